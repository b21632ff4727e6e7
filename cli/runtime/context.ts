import type { ContextAuth } from "@framework/auth";
import type { SqlDatabase } from "@framework/auth/storage";
import { Kysely } from "kysely";
import { createD1Dialect } from "./d1_dialect.ts";
import type { CookieJar } from "./cookies.ts";
import type { Database } from "./register.ts";
import type { Params, RequestContext } from "./types.ts";

/** Set by the build of a worker in which nothing names `db`, so that it has no query builder. */
declare const FRAMEWORK_WITHOUT_DATABASE: true | undefined;

/** Parts of one request's context. */
export interface ContextParts {
  env: Record<string, unknown>;
  /** Name of the database binding. */
  database: string;
  auth: ContextAuth;
  params: Params;
  /** Null in a worker that has no code for cookies, because nothing asks for them. */
  jar: Pick<CookieJar, "cookies" | "flash"> | null;
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
  const { env, auth, params, waitUntil, isPrefetch } = parts;
  const { cookies, flash } = parts.jar ?? {} as CookieJar;
  const open = createDatabaseOpener(env, parts.database);
  let values: Map<string, unknown> | undefined;
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
      return open();
    },
    get: (key) => values?.get(key),
    set: (key, value) => void (values ??= new Map()).set(key, value),
  };
}

/**
 * Creates the function behind `context.db`, which makes the query builder at its first call.
 *
 * @param env Bindings of the platform.
 * @param name Name of the database binding.
 */
export function createDatabaseOpener(
  env: Record<string, unknown>,
  name: string,
): () => Kysely<Database> {
  return typeof FRAMEWORK_WITHOUT_DATABASE === "undefined" ? opener(env, name) : refuse;
}

function opener(env: Record<string, unknown>, name: string): () => Kysely<Database> {
  let db: Kysely<Database> | undefined;
  return () => db ??= new Kysely({ dialect: createD1Dialect(binding(env, name)) });
}

/** Answers code that reads the property by a name that it puts together. */
function refuse(): never {
  throw new Error(
    "This worker was built without context.db, because none of its files names `db`. Write `context.db` where you " +
      "use it, and build again.",
  );
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
