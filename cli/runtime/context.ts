import type { ContextAuth } from "@framework/auth";
import type { SqlDatabase } from "@framework/auth/storage";
import { Kysely } from "kysely";
import { createD1Dialect } from "./d1_dialect.ts";
import type { Params, RequestContext } from "./types.ts";

/** Parts of one request's context. */
export interface ContextParts {
  env: Record<string, unknown>;
  /** Name of the database binding. */
  database: string;
  auth: ContextAuth;
  params: Params;
  /** Names the request; read when it is asked for. */
  readonly requestId: string;
  waitUntil(work: Promise<unknown>): void;
}

/** Makes the context of one request. */
export function createContext(
  parts: ContextParts,
): RequestContext<Record<string, unknown>, Params> {
  const { env, auth, params, waitUntil } = parts;
  let values: Map<string, unknown> | undefined;
  // deno-lint-ignore no-explicit-any -- the schema is the application's.
  let db: Kysely<any> | undefined;
  return {
    env,
    auth,
    params,
    get requestId() {
      return parts.requestId;
    },
    waitUntil,
    get db() {
      return db ??= new Kysely({ dialect: createD1Dialect(binding(env, parts.database)) });
    },
    get: <T>(key: string) => values?.get(key) as T | undefined,
    set: (key, value) => void (values ??= new Map()).set(key, value),
  };
}

function binding(env: Record<string, unknown>, name: string): SqlDatabase {
  const database = env[name];
  if (typeof database === "object" && database !== null && "prepare" in database) {
    return database as SqlDatabase;
  }
  throw new Error(
    `context.db needs the database binding "${name}", and there is none. ` +
      `Add it to d1_databases in wrangler.jsonc, or name another in framework.config.ts (database).`,
  );
}
