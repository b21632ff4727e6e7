/**
 * Requirements on the user: signed in, of late, with a role or a permission.
 *
 * @module
 */

import type { RequestAuth, RequestStore } from "../core/contracts.ts";
import { guardRedirect, ownRedirect, returnPath, signInPath } from "../core/redirect.ts";
import {
  type AuthError,
  ConfigurationError,
  ForbiddenError,
  ReauthenticationRequiredError,
  RedirectError,
  SessionExpiredError,
  UnauthenticatedError,
} from "../errors.ts";
import { prefersJson } from "../core/request.ts";
import { wrongOption } from "../lib/options.ts";
import { type PermissionQuestion, type Rbac, userHasRole } from "../rbac/permissions.ts";
import { refuseOutsider } from "./outsider.ts";
import type { SessionState, ValidSession } from "../types/session.ts";
import type { User } from "../types/user.ts";
import { userOf } from "./resolve.ts";

/** Options for `requireAuth()`. */
export interface RequireAuthOptions {
  /**
   * Throw `UnauthenticatedError`, or the `SessionExpiredError` that is one, in place of a redirect. Default: without
   * `redirectTo`, for a client that prefers JSON, and for methods that no form has, such as DELETE: `fetch()` follows a
   * redirect, and a page in place of the answer reads as success.
   */
  throwError?: boolean;
  /** Redirect in place of the sign-in page: a path, or a URL of a trusted origin. */
  redirectTo?: string;
}

/** True where an error is thrown in place of a redirect, see {@linkcode RequireAuthOptions}. */
export function throwsError(
  { redirectTo, throwError }: RequireAuthOptions,
  request: Request,
): boolean {
  return throwError ??
    (redirectTo === undefined &&
      (prefersJson(request) || !/^(?:GET|HEAD|POST)$/.test(request.method)));
}

/** The error of a state without a user. */
function unauthenticated(
  state: SessionState,
): AuthError {
  return refuseOutsider(state) ??
    (state.status === "expired" ? new SessionExpiredError() : new UnauthenticatedError());
}

/**
 * The signed-in user, or the error that says what happens in place of the work.
 *
 * @throws {RedirectError} To the sign-in page, or to `redirectTo`.
 * @throws {UnauthenticatedError} With `throwError`, when nobody is signed in.
 * @throws {SessionExpiredError} With `throwError`, when the session has expired.
 * @throws {ForbiddenError} With tenants by path, when the user is no member of that of the request.
 * @throws {SecondFactorRequiredError} With tenants by path, when that of the request requires a second factor that the
 * session has not proved.
 */
export function requireUser(
  state: SessionState,
  options: RequireAuthOptions,
  context: { request: Request; auth: RequestAuth },
): User {
  const user = userOf(state);
  if (user !== null) return user;
  if (throwsError(options, context.request)) throw unauthenticated(state);
  throw refuseOutsider(state, true) ?? signInRedirect(options, context);
}

/**
 * The redirect to the sign-in page and back, to the one provider of an application without pages, or to `redirectTo`.
 *
 * @param told What the sign-in page says: the code of an error.
 * @throws {ConfigurationError} Where there is no such page, as by code without a theme.
 */
function signInRedirect(
  options: RequireAuthOptions,
  context: { request: Request; auth: RequestAuth },
  told: { error?: string } = {},
): RedirectError {
  const { settings, origin } = context.auth;
  const bounds = { ownOrigin: origin(), trustedOrigins: settings.trustedOrigins };
  if (options.redirectTo === undefined) {
    const path = signInPath(settings);
    if (path === null) {
      throw new ConfigurationError(
        "Nobody is signed in, and there is no sign-in page to go to: set `pages.theme` (defaultTheme brings " +
          "the built-in pages) or `pages.signIn`, or write requireAuth({ throwError: true }) for a 401",
        { field: "pages" },
      );
    }
    const callbackUrl = returnPath(context.request, bounds.ownOrigin);
    const parameters = { ...told, callbackUrl };
    return new RedirectError(ownRedirect(path, bounds.ownOrigin, parameters));
  }
  const target = guardRedirect(options.redirectTo, bounds);
  if (target === null) {
    throw new ConfigurationError(
      `Cannot redirect to ${JSON.stringify(options.redirectTo)}: it leaves the application. ` +
        "Write a path, or add its origin to `trustedOrigins`.",
      { field: "trustedOrigins" },
    );
  }
  return new RedirectError(target);
}

/**
 * Lets only users with a role pass.
 *
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {ForbiddenError} When the user has none of the roles.
 */
export function requireUserRole(state: SessionState, role: string | readonly string[]): void {
  const user = userOf(state);
  if (user === null) throw unauthenticated(state);
  if (userHasRole(user, role)) return;
  throw new ForbiddenError(undefined, {
    requiredRole: typeof role === "string" ? role : role.join(", "),
  });
}

/** Tests if the user of a state has a permission. Without `rbac` nothing is permitted. */
export function statePermits(
  state: SessionState,
  rbac: Rbac | null,
  ...[asked, options]: PermissionQuestion
): boolean {
  return rbac !== null && rbac.permits(userOf(state), asked, options);
}

/**
 * Lets only users pass who may do something.
 *
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {ForbiddenError} When the user may not.
 */
export function requireUserPermission(
  state: SessionState,
  rbac: Rbac | null,
  ...[asked, options]: PermissionQuestion
): void {
  if (!statePermits(state, rbac, asked, options)) {
    if (state.status !== "valid") throw unauthenticated(state);
    throw new ForbiddenError(undefined, {
      requiredPermission: typeof asked === "string" ? asked : asked.join(", "),
    });
  }
}

/** Options for `requireRecentAuth()`. */
export interface RequireRecentAuthOptions extends RequireAuthOptions {
  /** Seconds that may have passed since the user last proved who they are. Default 600. */
  maxAge?: number;
  /**
   * Requires a session that is bound to its device: who has none gets a `SessionUnboundError`. It needs
   * `session.deviceBound`. Default false.
   */
  deviceBound?: boolean;
}

/**
 * The signed-in user whose proof is fresh, or the error that says what happens in place of the work. An
 * endpoint asks with `throwError`.
 *
 * @throws {ReauthenticationRequiredError} With `throwError`, when the proof is too old.
 * @throws {SessionUnboundError} With `deviceBound`, when the session is not bound to a device.
 * @throws {RedirectError} To the sign-in page, or to `redirectTo`.
 * @throws {UnauthenticatedError} With `throwError`, when nobody is signed in.
 * @throws {SessionExpiredError} With `throwError`, when the session has expired.
 */
export function requireRecentUser(
  state: SessionState,
  options: RequireRecentAuthOptions,
  context: { request: Request; auth: RequestAuth },
): User {
  const user = requireUser(state, options, context);
  const { maxAge = 600, deviceBound } = options;
  if (deviceBound) {
    const { strategy } = context.auth.settings;
    // Never is somebody let through because nobody can ask.
    if (!strategy.assertBound) {
      throw wrongOption("deviceBound", true, "session.deviceBound");
    }
    strategy.assertBound(state);
  }
  if (state.status === "valid") {
    // Written so that an age which is no number is too old.
    if (context.auth.settings.now() - state.authenticatedAt <= maxAge * 1000) return user;
  }
  const error = new ReauthenticationRequiredError();
  throw throwsError(options, context.request)
    ? error
    : signInRedirect(options, context, { error: error.code });
}

/** Tests that a session read at the start of a request has not ended since. */
export async function holdsStill(
  { auth: { settings }, waitUntil }: Pick<RequestStore, "auth" | "waitUntil">,
  { token }: ValidSession,
): Promise<boolean> {
  // Whether its client could be given another token makes no difference, since none is made.
  const how = { source: "cookie", waitUntil } as const;
  return (await settings.strategy.read(token, how)).status === "valid";
}
