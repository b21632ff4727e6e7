import { type ContextAuth, ForbiddenError, UnauthenticatedError, type User } from "@framework/auth";
import type { Params, RequestContext } from "@framework/cli/runtime";
import type { D1Database } from "../bindings/d1.ts";
import { openKysely } from "../context/kysely.ts";
import { TestingError } from "../errors.ts";

/** What `createMockContext` takes. */
export interface MockContextOptions<Env extends object, P extends Params> {
  /** Bindings and variables. Default: none. */
  env?: Env;
  /** What the path's dynamic segments held. Default: none. */
  params?: P;
  /** Who is signed in, as `getUser`; other operations follow from it unless they are given too. */
  auth?: Partial<ContextAuth>;
}

const THIRTY_DAYS = 30 * 24 * 60 * 60 * 1000;

/**
 * Makes the context of a request for a middleware, a loader or a route that is called directly.
 *
 * `context.db` is a query builder over `env.DB`. Without a sign-in page to go to, `requireAuth`
 * rejects with `UnauthenticatedError`.
 *
 * @param options Environment, parameters and user.
 * @example
 * ```ts
 * import { authMiddleware } from "@framework/auth/middleware";
 * import { createMockContext, createMockRequest } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * const middleware = authMiddleware();
 * const next = () => Promise.resolve(new Response("ok"));
 *
 * const signedOut = createMockContext();
 * assert.equal((await middleware(createMockRequest("/"), next, signedOut)).status, 401);
 *
 * const signedIn = createMockContext({ auth: { getUser: () => Promise.resolve({ id: "ada" }) } });
 * assert.equal((await middleware(createMockRequest("/"), next, signedIn)).status, 200);
 * ```
 */
export function createMockContext<
  Env extends object = Record<string, unknown>,
  P extends Params = Record<string, string>,
>(options: MockContextOptions<Env, P> = {}): RequestContext<Env, P> {
  const env = (options.env ?? {}) as Env;
  const values = new Map<string, unknown>();
  let db: ReturnType<typeof openKysely> | undefined;
  return {
    env,
    params: (options.params ?? {}) as P,
    auth: mockAuth(options.auth ?? {}),
    requestId: "test",
    waitUntil: () => {},
    get db() {
      return db ??= openKysely(databaseOf(env));
    },
    get: <T = unknown>(key: string) => values.get(key) as T | undefined,
    set: (key, value) => void values.set(key, value),
  };
}

function mockAuth(given: Partial<ContextAuth>): ContextAuth {
  const getUser = given.getUser ?? (() => Promise.resolve(null));
  async function required(): Promise<User> {
    const user = await getUser();
    if (user === null) throw new UnauthenticatedError();
    return user;
  }
  const hasRole = async (role: string | string[]) => {
    const user = await getUser();
    return user !== null && [role].flat().some((one) => userHas(user, one));
  };
  return {
    getUser,
    getSession: async () => {
      const user = await getUser();
      return user === null ? null : { user, expires: new Date(Date.now() + THIRTY_DAYS) };
    },
    isAuthenticated: async () => await getUser() !== null,
    requireAuth: required,
    hasRole,
    requireRole: async (role) => {
      await required();
      if (!await hasRole(role)) {
        throw new ForbiddenError(undefined, { requiredRole: [role].flat().join(", ") });
      }
    },
    startSession: () => Promise.reject(notMocked("startSession")),
    endSession: () => Promise.reject(notMocked("endSession")),
    ...given,
  };
}

function userHas(user: User, role: string): boolean {
  return user.role === role || user.roles?.includes(role) === true;
}

function notMocked(operation: string): TestingError {
  return new TestingError(
    "NOT_MOCKED",
    `context.auth.${operation}() was called, and a mock context has no sessions. Pass ` +
      `createMockContext({ auth: { ${operation}: … } }), or test through createTestContext().fetch.`,
  );
}

function databaseOf(env: object): D1Database {
  const database: unknown = Reflect.get(env, "DB");
  if (typeof database === "object" && database !== null && "prepare" in database) {
    return database as D1Database;
  }
  throw new TestingError(
    "NO_DATABASE",
    "context.db was used, and the mock context's env has no DB. Pass " +
      "createMockContext({ env: { DB: … } }), for example that of createTestContext().env.",
  );
}
