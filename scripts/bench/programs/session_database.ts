import { endSession } from "@framework/auth";
import { DatabaseSync } from "node:sqlite";
import { libraryCheck, libraryRequest, scopedCheck } from "../applications.ts";
import { sqliteByHand } from "../by_hand.ts";
import type { Contenders } from "../contender.ts";
import { freshCheck } from "../fresh_check.ts";
import { manySessions } from "./growth.ts";
import { AUTH_CORE_TABLES, createAuthCoreAdapter } from "./auth_core_adapter.ts";
import { authCoreConfig, sessionAction } from "./auth_core.ts";
import {
  BETTER_AUTH_TABLES,
  betterAuthConfig,
  checkOf,
  PERSON,
  signUp,
  WITHOUT_HASH,
} from "./better_auth.ts";

/** As many sessions as there are in an application of some size: an index of a single row is no index. */
const SESSIONS = 10_000;

async function signedInHere() {
  const { database, auth, requests } = await manySessions(SESSIONS);
  // Of them one has ended.
  const ended = requests.pop()!;
  await auth.run(ended, {}, undefined, async () => {
    await endSession();
    return new Response(null);
  });
  return { database, auth, requests, ended };
}

/** Checks of a session in `node:sqlite`. */
export const contenders: Contenders = {
  "one prepared join"() {
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE u (id TEXT PRIMARY KEY, name TEXT)");
    database.exec("CREATE TABLE s (token TEXT PRIMARY KEY, user_id TEXT, expires INTEGER)");
    database.exec("INSERT INTO u VALUES ('ada', 'Ada'); INSERT INTO s VALUES ('t', 'ada', 1)");
    const join = database.prepare(
      "SELECT s.expires, u.id, u.name FROM s JOIN u ON u.id = s.user_id WHERE s.token = ?1",
    );
    return () => {
      if (join.get("t") === undefined) throw new Error("Nobody is signed in");
    };
  },
  async "by hand: cookie, SHA-256, join"() {
    const { database, ...more } = await signedInHere();
    return await freshCheck(sqliteByHand(database, more.requests[0]!)[0]!, more);
  },
  async "the library"() {
    const { auth, ...more } = await signedInHere();
    return await freshCheck(libraryCheck(auth, more.requests[0]!), more);
  },
  async "the library, a whole request"() {
    const { auth, ...more } = await signedInHere();
    return await freshCheck(libraryRequest(auth, more.requests[0]!), more);
  },
  async "the library's check, in a scope by hand"() {
    const { auth, ...more } = await signedInHere();
    return await freshCheck(scopedCheck(auth, more.requests[0]!), more);
  },
  async "Better Auth"({ peers }) {
    const { betterAuth } = await peers.betterAuth();
    const database = new DatabaseSync(":memory:");
    for (const sql of BETTER_AUTH_TABLES) database.exec(sql);
    const auth = betterAuth(betterAuthConfig({ ...WITHOUT_HASH, database }));
    return checkOf(auth, await signUp(auth));
  },
  async "Auth.js core, adapter by hand"({ peers }) {
    const database = new DatabaseSync(":memory:");
    for (const sql of AUTH_CORE_TABLES) database.exec(sql);
    const expires = Date.now() + 30 * 86_400_000;
    database.prepare("INSERT INTO authjs_users VALUES ('ada', ?1, ?2, NULL, NULL)")
      .run(PERSON.name, PERSON.email);
    database.prepare("INSERT INTO authjs_sessions VALUES ('token', 'ada', ?1)").run(expires);
    const adapter = createAuthCoreAdapter((sql) => {
      const statement = database.prepare(sql);
      return (...values) => Promise.resolve(statement.get(...values));
    });
    const config = authCoreConfig({ providers: [], adapter, session: { strategy: "database" } });
    return await sessionAction(peers, "token", config);
  },
};
