import { ReauthenticationRequiredError } from "../errors/access_errors.ts";
import { type RequireAuthOptions, requireUser, signInRedirect } from "../rbac/require.ts";
import type { SessionState } from "../session/session_state.ts";
import type { User } from "../users/user.ts";
import type { RequestAuth } from "../http/contracts.ts";

/** How fresh a sign-in must be, and what happens when it is not. */
export interface RequireRecentAuthOptions extends RequireAuthOptions {
  /** Seconds that may have passed since the user last proved who they are. Default 600. */
  maxAge?: number;
}

const DEFAULT_MAX_AGE = 600;

/**
 * The signed-in user whose proof is fresh, or the error that says what happens in place of the work. An
 * endpoint asks with `throwError`.
 *
 * @throws {ReauthenticationRequiredError} With `throwError`, when the proof is too old.
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
  const { maxAge = DEFAULT_MAX_AGE } = options;
  if (state.status === "valid") {
    // Written so that an age which is no number is too old.
    if (context.auth.settings.now() - state.authenticatedAt <= maxAge * 1000) return user;
  }
  const error = new ReauthenticationRequiredError();
  throw options.throwError === true
    ? error
    : signInRedirect(options, context, { error: error.code });
}
