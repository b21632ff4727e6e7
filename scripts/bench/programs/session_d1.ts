import type { SqlDatabase } from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { libraryCheck, libraryRequest, signedIn } from "../applications.ts";
import { d1ByHand } from "../by_hand.ts";
import type { Contenders, Setting } from "../contender.ts";
import { freshCheck } from "../fresh_check.ts";
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

function databaseOf({ bindings }: Setting): SqlDatabase {
  return bindings.DB as SqlDatabase;
}

async function create(database: SqlDatabase, statements: readonly string[]): Promise<void> {
  await database.batch(statements.map((sql) => database.prepare(sql)));
}

async function signedInHere(setting: Setting) {
  const database = databaseOf(setting);
  const statements = authSchema.up.split(/;\n/).map((sql) => sql.trim()).filter((sql) =>
    sql !== ""
  );
  await create(database, statements);
  return { database, ...await signedIn({ database }) };
}

/** Checks of a session in D1. */
export const contenders: Contenders = {
  async "by hand: the join alone"(setting) {
    const { database, cookie } = await signedInHere(setting);
    return d1ByHand(database, cookie).run;
  },
  async "the library"(setting) {
    const { auth, request } = await signedInHere(setting);
    return await freshCheck(libraryCheck(auth, request));
  },
  async "the library, a whole request"(setting) {
    const { auth, request } = await signedInHere(setting);
    return await freshCheck(libraryRequest(auth, request));
  },
  async "Better Auth"(setting) {
    const { betterAuth } = await setting.peers.betterAuth();
    const database = databaseOf(setting);
    await create(database, BETTER_AUTH_TABLES);
    const auth = betterAuth(betterAuthConfig({ ...WITHOUT_HASH, database }));
    return checkOf(auth, await signUp(auth));
  },
  async "Auth.js core, adapter by hand"(setting) {
    const database = databaseOf(setting);
    await create(database, AUTH_CORE_TABLES);
    const expires = Date.now() + 30 * 86_400_000;
    await database.prepare("INSERT INTO authjs_users VALUES ('ada', ?1, ?2, NULL, NULL)")
      .bind(PERSON.name, PERSON.email).run();
    await database.prepare("INSERT INTO authjs_sessions VALUES ('token', 'ada', ?1)")
      .bind(expires).run();
    const adapter = createAuthCoreAdapter((sql) => {
      const statement = database.prepare(sql);
      return async (...values) => await statement.bind(...values).first() ?? undefined;
    });
    const config = authCoreConfig({ providers: [], adapter, session: { strategy: "database" } });
    return await sessionAction(setting.peers, "token", config);
  },
};
