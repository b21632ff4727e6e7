import { issueSession } from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { signedIn } from "../applications.ts";
import type { Contenders } from "../contender.ts";
import { BETTER_AUTH_TABLES, betterAuthConfig, signUp, WITHOUT_HASH } from "./better_auth.ts";

const MOST = 1000;

/** Makes a session of somebody who is known, as a row in `node:sqlite`. */
export const contenders: Contenders = {
  "by hand: one insert"() {
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE s (id TEXT PRIMARY KEY, hash TEXT UNIQUE, user TEXT, expires INT)");
    const insert = database.prepare("INSERT INTO s VALUES (?1, ?2, ?3, ?4)");
    return () => {
      const token = randomBytes(32).toString("base64url");
      const hash = createHash("sha256").update(token).digest("base64url");
      insert.run(randomUUID(), hash, "ada", Date.now() + 86_400_000);
      return `session=${token}; Max-Age=86400; Path=/; HttpOnly; Secure; SameSite=Lax`;
    };
  },
  async "the library"() {
    const database = new DatabaseSync(":memory:");
    database.exec(authSchema.up);
    const { auth } = await signedIn({ database: sqlite(database) });
    return () => issueSession(auth, "ada", {});
  },
  async "Better Auth, the row alone"({ peers }) {
    const { betterAuth } = await peers.betterAuth();
    const database = new DatabaseSync(":memory:");
    for (const sql of BETTER_AUTH_TABLES) database.exec(sql);
    const auth = betterAuth(betterAuthConfig({ ...WITHOUT_HASH, database }));
    await signUp(auth);
    const { id } = database.prepare(`SELECT id FROM "user"`).get() as { id: string };
    const { internalAdapter } = await auth.$context;
    const forget = database.prepare(`DELETE FROM "session"`);
    let made = 0;
    return async () => {
      // It lists all sessions of the user whenever it makes one.
      if (++made % MOST === 0) forget.run();
      return await internalAdapter.createSession(id);
    };
  },
};
