import { isOwnPath } from "../config/address_options.ts";
import { checkKeys, isOptions, wrongOption } from "../config/check.ts";
import type { AuthError } from "../errors/auth_error.ts";
import { ForbiddenError, UnauthenticatedError } from "../errors/access_errors.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { errorResponse } from "../http/error_response.ts";
import { guardRedirect, redirectResponse } from "../http/redirect_guard.ts";
import { returnPath } from "../http/return_path.ts";
import type { ContextAuth } from "../request/context_auth.ts";
import { findRequest } from "../request/request_store.ts";
import type { User } from "../users/user.ts";
import { userHasRole } from "./roles.ts";

/** Who passes, and what happens to everyone else. All conditions that are given must hold. */
export interface AuthMiddlewareOptions {
  /** Whether somebody must be signed in. Default true. */
  required?: boolean;
  /**
   * Where visitors go who are not signed in: a path, or a URL. A path gets the parameter `callbackUrl` with
   * what the visitor asked for. Default: no redirect, a 401.
   */
  unauthenticatedRedirect?: string;
  /** The role that is needed. */
  role?: string;
  /** Roles of which any is needed. */
  roles?: string[];
  /** Decides for the user and the request; only `true` lets pass. */
  authorize?: (user: User, request: Request) => boolean | Promise<boolean>;
  /** Where users go who are signed in and may not pass: a path, or a URL. Default: no redirect, a 403. */
  unauthorizedRedirect?: string;
}

/** What a middleware of the library reads of its context. */
export interface AuthMiddlewareContext {
  /** Who is signed in. */
  auth: Pick<ContextAuth, "getUser">;
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
  "authorize",
  "unauthorizedRedirect",
];

function isWebUrl(value: unknown): value is string {
  return typeof value === "string" && /^https?:\/\/[^\\\s]+$/.test(value) && URL.canParse(value);
}

function checkOptions(options: unknown): asserts options is AuthMiddlewareOptions {
  if (!isOptions(options)) throw wrongOption("authMiddleware()", options, "an object");
  checkKeys(options, KEYS, "");
  const { required, role, roles, authorize } = options;
  if (required !== undefined && typeof required !== "boolean") {
    throw wrongOption("required", required, "true or false");
  }
  if (role !== undefined && (typeof role !== "string" || role === "")) {
    throw wrongOption("role", role, "the name of a role");
  }
  const named = Array.isArray(roles) && roles.length > 0 &&
    roles.every((one) => typeof one === "string" && one !== "");
  if (roles !== undefined && !named) {
    throw wrongOption("roles", roles, "a list of at least one role");
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

/**
 * Refuses: by a redirect, else by the status of the error. What the application wrote into its own source
 * is trusted, so the origin of a redirect that is a URL counts as allowed.
 */
function refuse(error: AuthError, request: Request, target: string | undefined): Response {
  if (target === undefined) return errorResponse(error, request);
  const ownOrigin = findRequest()?.auth.origin() ?? new URL(request.url).origin;
  const location = guardRedirect(target, {
    ownOrigin,
    trustedOrigins: new Set(isOwnPath(target) ? [] : [new URL(target).origin]),
  });
  if (location === null) {
    throw new ConfigurationError(`authMiddleware() cannot redirect to ${JSON.stringify(target)}`);
  }
  return redirectResponse(location, 303);
}

/** A page of the application itself learns where to bring the visitor back to, unless it says so already. */
function withWayBack(target: string | undefined, request: Request): string | undefined {
  const callbackUrl = returnPath(request);
  if (target === undefined || !isOwnPath(target) || callbackUrl === null) return target;
  const url = new URL(target, request.url);
  if (url.searchParams.has("callbackUrl")) return target;
  url.searchParams.set("callbackUrl", callbackUrl);
  return url.pathname + url.search + url.hash;
}

/**
 * Makes a middleware that lets only some users pass. It knows who is signed in from
 * `context.auth.getUser()` and from nothing else, no header of the request among it.
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
  const { required = true, role, roles, authorize } = options;
  const conditional = role !== undefined || roles !== undefined || authorize !== undefined;

  async function isAllowed(user: User, request: Request): Promise<boolean> {
    if (role !== undefined && !userHasRole(user, role)) return false;
    if (roles !== undefined && !userHasRole(user, roles)) return false;
    return authorize === undefined || (await authorize(user, request)) === true;
  }

  return async function middleware(request, next, context) {
    const user = await context.auth.getUser();
    if (user === null || user === undefined) {
      if (!required && !conditional) return await next();
      const target = withWayBack(options.unauthenticatedRedirect, request);
      return refuse(new UnauthenticatedError(), request, target);
    }
    if (await isAllowed(user, request)) return await next();
    return refuse(new ForbiddenError(), request, options.unauthorizedRedirect);
  };
}
