import {
  type ContextAuth,
  ForbiddenError,
  hasPermission,
  type RbacDefinition,
  UnauthenticatedError,
  type User,
} from "@framework/auth";
import {
  type BackgroundContext,
  createCookieJar,
  type Env,
  type ParamsOf,
  type RequestContext,
  type RoutePath,
} from "@framework/cli/runtime";
import { ORIGIN } from "../context/fetch.ts";
import { openKysely } from "../context/kysely.ts";
import { runAs } from "../context/run_as.ts";
import { beginAtCallers, TestingError } from "../errors.ts";
import { isMockEnv, projectDatabase, projectEnv } from "./env.ts";
import { fn } from "./mock_function.ts";

/** Options for `createMockContext()`. */
// deno-lint-ignore no-explicit-any -- of no particular folder.
export interface MockContextOptions<Path extends RoutePath = any> {
  /**
   * Bindings and variables; they override those of the platform file, which are working doubles. An
   * environment of `createMockEnv` is used as it is.
   */
  env?: Partial<Env>;
  /** Values of the path's dynamic segments. Default: none. */
  params?: ParamsOf<Path>;
  /** True for a request that a browser sends ahead of a visit. Default: false. */
  isPrefetch?: boolean;
  /** Input of the action or route, as its schema makes it. Default: none. */
  input?: unknown;
  /** Cookies of the request, by name. Default: none. */
  cookies?: Readonly<Record<string, string>>;
  /**
   * Authentication of the request, such as `getUser`; other operations are derived from it unless
   * they are given too.
   */
  auth?: Partial<ContextAuth>;
  /**
   * Roles and their permissions: the default export of `app/auth/rbac.ts`. `hasPermission` and
   * `requirePermission` are derived from it and `auth.getUser`. Default: none; checking a
   * permission is then an error.
   */
  rbac?: RbacDefinition;
  /** The project's folder. Default: the current one. */
  cwd?: string;
}

const contexts = new WeakSet<object>();

/** Tests if {@linkcode createMockContext} made a value. */
export function isMockContext(value: object): value is RequestContext {
  return contexts.has(value);
}

const THIRTY_DAYS = 30 * 24 * 60 * 60 * 1000;

/**
 * Creates the context of a middleware, a loader, a route, or a handler of a queue or a cron job that is called directly.
 * `context.db` is a query builder over the database of `env`, otherwise over a new one with the
 * project's migrations applied; in a folder without a platform file it is empty. `waitUntil` is a
 * mock function, and `getAuth()` throws. `requireAuth` rejects with `UnauthenticatedError` for a visitor, because there is no sign-in
 * page to redirect to.
 *
 * @param options Environment, parameters and user.
 * @throws {TestingError} `PROJECT` when the platform file is wrong.
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
// deno-lint-ignore no-explicit-any -- of no particular folder.
export function createMockContext<Path extends RoutePath = any>(
  options: MockContextOptions<Path> = {},
): RequestContext<Path> & Pick<BackgroundContext, "getAuth"> {
  const { env: given = {}, cwd } = options;
  const env = (isMockEnv(given) ? given : { ...projectEnv(cwd), ...given }) as object;
  const cookie = Object.entries(options.cookies ?? {})
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("; ");
  const jar = createCookieJar(new Request(ORIGIN, { headers: cookie === "" ? {} : { cookie } }));
  const values = new Map<string, unknown>();
  let db: ReturnType<typeof openKysely> | undefined;
  const context = {
    env,
    params: options.params ?? {},
    input: options.input,
    cookies: jar.cookies,
    flash: jar.flash,
    auth: mockAuth(options.auth ?? {}, options.rbac),
    requestId: "test",
    isPrefetch: options.isPrefetch ?? false,
    waitUntil: fn(),
    getAuth() {
      throw new TestingError(
        "NOT_EMULATED",
        "getAuth() of a mock context has no application to take its authentication from. Run the job by ctx.scheduled() or " +
          "the handler by ctx.queue() of createTestContext().",
      );
    },
    get db() {
      return db ??= openKysely(projectDatabase(env, cwd));
    },
    get: (key: string) => values.get(key),
    set: (key: string, value: unknown) => void values.set(key, value),
  } as ReturnType<typeof createMockContext<Path>>;
  contexts.add(context);
  return context;
}

function mockAuth(given: Partial<ContextAuth>, rbac?: RbacDefinition): ContextAuth {
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
  const permits = given.hasPermission ?? (async (permission: string | string[]) => {
    if (rbac === undefined) throw notMocked("hasPermission");
    return await runAs(await getUser(), () => hasPermission(permission), { rbac });
  });
  return {
    getUser,
    getSession: async () => {
      const user = await getUser();
      return user === null ? null : { user, expires: new Date(Date.now() + THIRTY_DAYS) };
    },
    isAuthenticated: async () => await getUser() !== null,
    requireAuth: required,
    requireRecentAuth: required,
    hasRole,
    requireRole: async (role) => {
      await required();
      if (!await hasRole(role)) {
        throw new ForbiddenError(undefined, { requiredRole: [role].flat().join(", ") });
      }
    },
    hasPermission: permits,
    requirePermission: async (permission) => {
      await required();
      if (!await permits(permission)) {
        throw new ForbiddenError(undefined, { requiredPermission: [permission].flat().join(", ") });
      }
    },
    tenant: () => Promise.resolve(null),
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
    `context.auth.${operation}() was called, but a mock context has no sessions. Pass ` +
      `createMockContext({ auth: { ${operation}: … } })${
        operation === "hasPermission" ? ", or { rbac } with the roles that users have" : ""
      }, or test through createTestContext().fetch.`,
  );
}

beginAtCallers(createMockContext);
