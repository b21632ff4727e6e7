import type { ContextAuth } from "@framework/auth";
import type { SqlDatabase } from "@framework/auth/storage";
import { Kysely } from "kysely";
import { createD1Dialect } from "./d1_dialect.ts";
import type { CookieJar } from "./cookies.ts";
import type { Params, RequestContext } from "./types.ts";

/** Parts of one request's context. */
export interface ContextParts {
  env: Record<string, unknown>;
  /** Name of the database binding. */
  database: string;
  auth: ContextAuth;
  params: Params;
  jar: Pick<CookieJar, "cookies" | "flash">;
  /** Id of the request, created at the first use. */
  readonly requestId: string;
  waitUntil(work: Promise<unknown>): void;
  isPrefetch: boolean;
}

/** Context of one request, as the runtime has it. */
export interface OwnContext extends RequestContext {
  input: unknown;
}

/** Creates the context of one request. */
export function createContext(parts: ContextParts): OwnContext {
  const { env, auth, params, jar: { cookies, flash }, waitUntil, isPrefetch } = parts;
  let values: Map<string, unknown> | undefined;
  // deno-lint-ignore no-explicit-any -- the schema is the application's.
  let db: Kysely<any> | undefined;
  return {
    env,
    auth,
    params,
    input: undefined,
    cookies,
    flash,
    get requestId() {
      return parts.requestId;
    },
    waitUntil,
    isPrefetch,
    get db() {
      return db ??= new Kysely({ dialect: createD1Dialect(binding(env, parts.database)) });
    },
    get: (key) => values?.get(key),
    set: (key, value) => void (values ??= new Map()).set(key, value),
  };
}

function binding(env: Record<string, unknown>, name: string): SqlDatabase {
  const database = env[name];
  if (typeof database === "object" && database !== null && "prepare" in database) {
    return database as SqlDatabase;
  }
  throw new Error(
    `context.db needs the database binding "${name}", which does not exist. ` +
      `Add it to d1_databases in wrangler.jsonc, or set another one as database in framework.config.ts.`,
  );
}
