/**
 * authMiddleware(), which guards the routes of an application.
 *
 * @module
 */

import { answerError } from "../core/error_response.ts";
import {
  guardRedirect,
  isMissingPage,
  ownRedirect,
  redirectResponse,
  returnPath,
  signInPath,
} from "../core/redirect.ts";
import { findRequest, gateOf, keysOf } from "../core/request.ts";
import { isOwnPath } from "../core/url_options.ts";
import {
  type AuthError,
  ConfigurationError,
  ForbiddenError,
  isAuthError,
  UnauthenticatedError,
} from "../errors.ts";
import { checkKeys, isOptions, readFlag, wrongOption } from "../lib/options.ts";
import { isPermission, PERMISSION_PATTERNS, userHasRole } from "../rbac/permissions.ts";
import type { User } from "../types/user.ts";
import type { ContextAuth } from "./context_auth.ts";
import { refuseOutsider } from "./outsider.ts";

/** Options for `authMiddleware()`. All given conditions must hold. */
export interface AuthMiddlewareOptions {
  /** Requires a signed-in user. Default true. */
  required?: boolean;
  /**
   * Redirect for visitors who are not signed in: a path, or a URL. A path gets the query parameter
   * `callbackUrl` with the requested page. Default: no redirect, a 401. With tenants by path, who is signed in and no
   * member of that of the request gets what `unauthorizedRedirect` says.
   */
  unauthenticatedRedirect?: string;
  /** The role that is needed. */
  role?: string;
  /** Roles of which any is needed. */
  roles?: string[];
  /** The permission that is needed. */
  permission?: string;
  /** Permissions of which any is needed. */
  permissions?: string[];
  /**
   * Decides for the user and the request; only `true` lets pass. What it throws is a 403 too and is logged as
   * `authorize-failed`; an error of this library, such as a redirect or a database that does not answer, is the
   * answer itself.
   */
  authorize?: (user: User, request: Request) => boolean | Promise<boolean>;
  /**
   * Redirect for signed-in users who lack a role or permission: a path, or a URL. Default: no
   * redirect, a 403.
   */
  unauthorizedRedirect?: string;
  /**
   * Requires the second factor, proved in this session or by a trusted browser: who has not proved it is led to the page that
   * asks for it, who has none to the page on which it is set up. It needs `secondFactor()` among the providers. Default false.
   */
  secondFactor?: boolean;
  /**
   * Lets API keys count, which they do nowhere else: with `permission` or `permissions` also those of teams, which are
   * nobody. A key has no role and proves no second factor, so neither can be asked for beside it. It needs `apiKeys()` among
   * the providers. Default false.
   */
  apiKey?: boolean;
}

/** Context that the middleware of the library reads. */
export interface AuthMiddlewareContext {
  /** Session of the request and, for `permission` and `permissions`, the user's permissions. */
  auth: Pick<ContextAuth, "getUser"> & {
    /** Tests if the user has a permission. */
    hasPermission?(permission: string): Promise<boolean>;
  };
}

/** A middleware: answers, or calls `next` and gives on its response. */
export type Middleware<Context extends AuthMiddlewareContext = AuthMiddlewareContext> = (
  request: Request,
  next: (request?: Request) => Promise<Response>,
  context: Context,
) => Promise<Response>;

const KEYS = [
  "required",
  "unauthenticatedRedirect",
  "role",
  "roles",
  "permission",
  "permissions",
  "authorize",
  "unauthorizedRedirect",
  "secondFactor",
  "apiKey",
];

function isWebUrl(value: unknown): value is string {
  return typeof value === "string" && /^https?:\/\/[^\\\s]+$/.test(value) && URL.canParse(value);
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** An empty list would either let nobody pass or everybody; whichever is meant, it is not written like that. */
function isFilledList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isItem);
}

function checkOptions(options: unknown): asserts options is AuthMiddlewareOptions {
  if (!isOptions(options)) throw wrongOption("authMiddleware()", options, "an object");
  checkKeys(options, KEYS, "");
  const { required, role, roles, permission, permissions, authorize, secondFactor, apiKey } =
    options;
  readFlag(required, "required");
  readFlag(secondFactor, "secondFactor");
  if (readFlag(apiKey, "apiKey") === true && (role ?? roles ?? (secondFactor || undefined))) {
    throw wrongOption(
      "apiKey",
      true,
      "it beside `permission`: a key has no role and proves no second factor",
    );
  }
  if (role !== undefined && !isName(role)) {
    throw wrongOption("role", role, "the name of a role");
  }
  if (roles !== undefined && !isFilledList(roles, isName)) {
    throw wrongOption("roles", roles, "a list of at least one role");
  }
  if (permission !== undefined && !isPermission(permission)) {
    throw wrongOption("permission", permission, PERMISSION_PATTERNS);
  }
  if (permissions !== undefined && !isFilledList(permissions, isPermission)) {
    throw wrongOption(
      "permissions",
      permissions,
      `a list of at least one of ${PERMISSION_PATTERNS}`,
    );
  }
  if (authorize !== undefined && typeof authorize !== "function") {
    throw wrongOption("authorize", authorize, "a function that returns true or false");
  }
  for (const name of ["unauthenticatedRedirect", "unauthorizedRedirect"]) {
    const target = options[name];
    if (target !== undefined && !isOwnPath(target) && !isWebUrl(target)) {
      throw wrongOption(
        name,
        target,
        'a path such as "/login", or a URL such as "https://id.example/"',
      );
    }
  }
}

function ownOriginOf(request: Request): string {
  return findRequest()?.auth.origin() ?? new URL(request.url).origin;
}

/**
 * Refuses: by a redirect, else by the status of the error. What the application wrote into its own source
 * is trusted, so the origin of a redirect that is a URL counts as allowed.
 */
function refuse(error: AuthError, request: Request, target: string | undefined): Response {
  if (target === undefined) return markRefusal(answerError(error, request), error);
  const auth = findRequest()?.auth;
  const ownOrigin = ownOriginOf(request);
  // An own path may have become longer than what is taken from outside, by the way back.
  const location = isOwnPath(target)
    ? ownRedirect(target, ownOrigin)
    : guardRedirect(target, { ownOrigin, trustedOrigins: new Set([new URL(target).origin]) });
  if (location === null) {
    throw new ConfigurationError(`authMiddleware() cannot redirect to ${JSON.stringify(target)}`);
  }
  const { origin, pathname, search } = new URL(location);
  const isSignIn = origin === ownOrigin && pathname === auth?.settings.pages.signIn;
  if (isSignIn && isMissingPage(pathname, auth.settings)) {
    const path = signInPath(auth.settings);
    if (path !== null) return refuse(error, request, path + search);
    throw new ConfigurationError(
      `authMiddleware() cannot redirect: there is no page at "${pathname}" ` +
        "unless `pages.theme` brings it (defaultTheme)",
      { field: "pages.theme" },
    );
  }
  return redirectResponse(location, 303);
}

/** A page of the application itself learns where to bring the visitor back to, unless it says so already. */
function withWayBack(target: string | undefined, request: Request): string | undefined {
  if (target === undefined || !isOwnPath(target)) return target;
  const callbackUrl = returnPath(request, ownOriginOf(request));
  if (callbackUrl === null) return target;
  const url = new URL(target, request.url);
  if (url.searchParams.has("callbackUrl")) return target;
  url.searchParams.set("callbackUrl", callbackUrl);
  return url.pathname + url.search + url.hash;
}

async function permitsAny(
  permissions: readonly string[],
  { auth }: AuthMiddlewareContext,
): Promise<boolean> {
  if (auth.hasPermission === undefined) {
    throw new ConfigurationError(
      "authMiddleware() cannot tell what the user may do: its context has no auth.hasPermission(). Pass the " +
        "context that auth.run() gives.",
    );
  }
  for (const permission of permissions) {
    if (await auth.hasPermission(permission) === true) return true;
  }
  return false;
}

/**
 * Makes a middleware that lets only some users pass. It knows who is signed in from
 * `context.auth.getUser()`, and what they may do from `context.auth.hasPermission()`, and from nothing
 * else, no header of the request among it.
 *
 * @param options Who passes. By default everyone who is signed in.
 * @throws {ConfigurationError} For an option that is unknown or wrong.
 *
 * @example
 * ```ts
 * import { authMiddleware } from "@framework/auth/middleware";
 * import { equal } from "node:assert/strict";
 *
 * const middleware = authMiddleware({ role: "admin", unauthenticatedRedirect: "/login" });
 *
 * const context = { auth: { getUser: () => Promise.resolve(null) } };
 * const next = () => Promise.resolve(new Response("for admins"));
 * const response = await middleware(new Request("https://app.example/admin"), next, context);
 * equal(response.headers.get("location"), "https://app.example/login?callbackUrl=%2Fadmin");
 * ```
 */
export function authMiddleware(options: AuthMiddlewareOptions = {}): Middleware {
  checkOptions(options);
  const { required = true, role, roles, permission, permissions, authorize, secondFactor } =
    options;
  const { apiKey = false } = options;
  const conditional = [role, roles, permission, permissions, authorize]
    .some((condition) => condition !== undefined);

  async function meetsRoles(user: User, context: AuthMiddlewareContext): Promise<boolean> {
    if (role !== undefined && !userHasRole(user, role)) return false;
    if (roles !== undefined && !userHasRole(user, roles)) return false;
    if (permission !== undefined && !await permitsAny([permission], context)) return false;
    return permissions === undefined || await permitsAny(permissions, context);
  }

  /** Reason to refuse a user; null for none. */
  async function findRefusal(
    user: User,
    { request, context }: { request: Request; context: AuthMiddlewareContext },
  ): Promise<ForbiddenError | null> {
    if (!await meetsRoles(user, context)) return new ForbiddenError();
    if (authorize === undefined) return null;
    try {
      return (await authorize(user, request)) === true ? null : new ForbiddenError();
    } catch (cause) {
      if (isAuthError(cause)) throw cause;
      // Nobody passes where nobody could say, and what went wrong is not the visitor's to see.
      findRequest()?.auth.settings.logger.error("authorize-failed", { error: cause });
      return new ForbiddenError(undefined, { cause });
    }
  }

  /** Tells if nobody's key, that of a team, may do what is asked for. */
  async function letsTeamPass(context: AuthMiddlewareContext): Promise<boolean> {
    if (authorize !== undefined) return false;
    if (permission === undefined && permissions === undefined) return !required;
    return (permission === undefined || await permitsAny([permission], context)) &&
      (permissions === undefined || await permitsAny(permissions, context));
  }

  return async function middleware(request, next, context) {
    if (typeof context?.auth?.getUser !== "function") {
      throw new ConfigurationError(
        "authMiddleware() needs the context of auth.run() as its third argument: " +
          "auth.run(request, env, info, (context) => guard(request, next, context))",
      );
    }
    const store = findRequest();
    const keys = store && keysOf(store.auth.settings);
    // Never is a key ignored because nobody knows keys.
    if (apiKey && !keys) throw wrongOption("apiKey", true, "apiKeys() in `providers`");
    const keyed = keys === undefined ? null : await keys.admit(store!, apiKey);
    if (keyed === "team") {
      if (await letsTeamPass(context)) return await next();
      return refuse(new ForbiddenError(), request, undefined);
    }
    const user = await context.auth.getUser();
    if (user === null || user === undefined) {
      if (!required && !conditional) return await next();
      // A sign-in page would only send them back here.
      const outsider = refuseOutsider(await store?.auth.load(), true);
      // It leads to its own page.
      if (outsider?.status === 401) throw outsider;
      if (outsider) return refuse(outsider, request, options.unauthorizedRedirect);
      const target = withWayBack(options.unauthenticatedRedirect, request);
      return refuse(new UnauthenticatedError(), request, target);
    }
    const refusal = await findRefusal(user, { request, context });
    if (refusal === null) {
      if (secondFactor) {
        const gate = store && gateOf(store.auth.settings);
        // Never is somebody let through because nobody can ask.
        if (!gate) {
          throw wrongOption("secondFactor", true, "secondFactor() in `providers`");
        }
        await gate.require(store);
      }
      return await next();
    }
    // A program has no use for a page.
    return refuse(refusal, request, keyed === null ? options.unauthorizedRedirect : undefined);
  };
}

const KEY: unique symbol = Symbol.for("framework.refusals");
const shared = globalThis as { [KEY]?: WeakMap<object, AuthError> };

// On the global object, so that two copies of this module in one bundle speak of the same responses. By
// the response itself and not by one of its headers: nothing that a client or another server sends is one.
const refusals: WeakMap<object, AuthError> = shared[KEY] ??= new WeakMap();

/** Remembers why a response refuses. */
function markRefusal(response: Response, error: AuthError): Response {
  refusals.set(response, error);
  return response;
}

/**
 * Returns the reason for a refusal by `authMiddleware()`, for a host that shows a page of its own
 * in its place; null for every other response, including redirects.
 *
 * @param response The very response that the middleware returned: a copy of it is another one.
 *
 * @example
 * ```ts
 * import { authMiddleware, refusalOf } from "@framework/auth/middleware";
 * import { equal } from "node:assert/strict";
 *
 * const context = { auth: { getUser: () => Promise.resolve(null) } };
 * const next = () => Promise.resolve(new Response("for users"));
 * const response = await authMiddleware()(new Request("https://app.example/"), next, context);
 * equal(refusalOf(response)?.code, "UNAUTHENTICATED");
 * equal(refusalOf(await next()), null);
 * ```
 */
export function refusalOf(response: Response): AuthError | null {
  return refusals.get(response) ?? null;
}
