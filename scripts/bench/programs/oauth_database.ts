import { authSchema } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { Contenders } from "../contender.ts";
import { BETTER_AUTH_TABLES, betterAuthConfig, jsonRequest, SECRET } from "./better_auth.ts";
import {
  answer,
  CLIENT,
  comeBack,
  cookiesOf,
  expectSession,
  handJob,
  ISSUER,
  legsOf,
  oauthJob,
  stateOf,
} from "./oauth.ts";
import { type HandStore, nodePrimitives } from "./oauth_by_hand.ts";

let people = 0;

/** The provider, where everybody who comes is somebody new, whom their access token tells apart. */
async function answerAnew(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input);
  const headers = input instanceof Request ? input.headers : new Headers(init.headers);
  const number = Number(headers.get("authorization")?.split(" ").at(-1));
  if (url === `${ISSUER}/access_token`) {
    return Response.json({
      "access_token": String(++people),
      "token_type": "bearer",
      scope: "read:user,user:email",
    });
  }
  if (url === "https://api.github.com/user") {
    return Response.json({ id: number, login: `ada${number}`, name: "Ada Lovelace" });
  }
  if (url === "https://api.github.com/user/emails") {
    return Response.json([{ email: `ada${number}@example.com`, primary: true, verified: true }]);
  }
  return await answer(input);
}

const TABLES =
  `CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT, email TEXT NOT NULL UNIQUE, image TEXT,
  verified INTEGER NOT NULL);
CREATE TABLE accounts (provider TEXT NOT NULL, account TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, PRIMARY KEY (provider, account));
CREATE INDEX accounts_user ON accounts (user_id);
CREATE TABLE sessions (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires INTEGER NOT NULL);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE TABLE transactions (hash TEXT PRIMARY KEY, sealed TEXT NOT NULL, until INTEGER NOT NULL);`;

function createStore(file: DatabaseSync): HandStore {
  file.exec(`PRAGMA foreign_keys = ON; ${TABLES}`);
  const put = file.prepare("INSERT INTO transactions VALUES (?1, ?2, ?3)");
  const take = file.prepare("DELETE FROM transactions WHERE hash = ?1 RETURNING sealed");
  const find = file.prepare(
    "SELECT user_id FROM accounts WHERE provider = 'github' AND account = ?1",
  );
  const addUser = file.prepare("INSERT INTO users VALUES (?1, ?2, ?3, ?4, ?5)");
  const addAccount = file.prepare("INSERT INTO accounts VALUES ('github', ?1, ?2)");
  const addSession = file.prepare("INSERT INTO sessions VALUES (?1, ?2, ?3)");
  return {
    put: (hash, sealed, until) => void put.run(hash, sealed, until),
    take: (hash) => (take.get(hash) as { sealed: string } | undefined)?.sealed,
    signIn({ id, name, email, image }) {
      const token = randomBytes(32).toString("base64url");
      const hash = createHash("sha256").update(token).digest("base64url");
      const now = Date.now();
      file.exec("BEGIN IMMEDIATE");
      try {
        const found = find.get(id) as { "user_id": string } | undefined;
        const userId = found?.user_id ?? randomUUID();
        if (found === undefined) {
          addUser.run(userId, name, email, image, now);
          addAccount.run(id, userId);
        }
        addSession.run(hash, userId, now + 86_400_000);
        file.exec("COMMIT");
      } catch (error) {
        file.exec("ROLLBACK");
        throw error;
      }
      return `session=${token}; Max-Age=86400; Path=/; HttpOnly; Secure; SameSite=Lax`;
    },
  };
}

/** Sign-ins of people who have not been there, with everything in `node:sqlite`. */
export const contenders: Contenders = {
  "by hand, with every check: node:crypto"() {
    const store = createStore(new DatabaseSync(":memory:"));
    return handJob(nodePrimitives(SECRET), { fetch: answerAnew, store });
  },
  async "the library"() {
    const file = new DatabaseSync(":memory:");
    file.exec(authSchema.up);
    const legs = legsOf({ database: sqlite(file), fetch: answerAnew });
    return await oauthJob("the library", legs, { once: true });
  },
  async "Better Auth"({ peers }) {
    globalThis.fetch = answerAnew;
    const { betterAuth } = await peers.betterAuth();
    const file = new DatabaseSync(":memory:");
    for (const sql of BETTER_AUTH_TABLES) file.exec(sql);
    const auth = betterAuth(
      betterAuthConfig({ database: file, socialProviders: { github: CLIENT } }),
    );
    return async () => {
      const begun = await auth.handler(
        jsonRequest("/api/auth/sign-in/social", { provider: "github", callbackURL: "/" }),
      );
      const { url } = await begun.clone().json();
      const state = stateOf(begun, url);
      const request = comeBack("/api/auth/callback/github", state, cookiesOf(begun));
      expectSession(await auth.handler(request), "session_token=");
    };
  },
};
