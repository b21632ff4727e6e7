import {
  type Auth,
  type AuthOptions,
  createAuth,
  createMemoryStorage,
  issueSession,
} from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { Contenders, Job } from "../contender.ts";
import { ORIGIN } from "./better_auth.ts";

/** Number of users, who get sessions in turn. */
const USERS = 20_000;

async function library(database: AuthOptions["database"] & object): Promise<Job> {
  const auth: Auth<unknown> = createAuth<unknown>({ baseUrl: ORIGIN, database, providers: [] });
  const storage = auth.storage({});
  for (let index = 0; index < USERS; index++) {
    const email = `u${index}@example.com`;
    const user = { id: `u${index}`, name: `User ${index}`, email };
    await storage.createUser({ user, emailIdentity: email, at: Date.now() });
  }
  let turn = 0;
  return () => issueSession(auth, `u${turn++ % USERS}`, {});
}

/** Sessions that stay. */
export const contenders: Contenders = {
  "by hand: a map"() {
    const sessions = new Map<string, Record<string, unknown>>();
    const ofUsers = new Map<string, Set<string>>();
    let turn = 0;
    return () => {
      const userId = `u${turn++ % USERS}`;
      const hash = createHash("sha256").update(randomBytes(32)).digest("base64url");
      const at = Date.now();
      sessions.set(hash, {
        id: randomUUID(),
        userId,
        userAgent: null,
        createdAt: at,
        refreshedAt: at,
        expiresAt: at + 86_400_000,
      });
      const own = ofUsers.get(userId);
      if (own === undefined) ofUsers.set(userId, new Set([hash]));
      else own.add(hash);
    };
  },
  "the library, storage in memory": () => library(createMemoryStorage()),
  "the library, `node:sqlite` in memory"() {
    const file = new DatabaseSync(":memory:");
    file.exec(authSchema.up);
    return library(sqlite(file));
  },
};
