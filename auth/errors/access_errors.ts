import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/**
 * Nobody is signed in where somebody must be.
 *
 * @example
 * ```ts
 * import { UnauthenticatedError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new UnauthenticatedError().status, 401);
 * ```
 */
export class UnauthenticatedError extends AuthError {
  /** `"UnauthenticatedError"`, also in minified code, where the class has another name. */
  override readonly name: string = "UnauthenticatedError";
  /** Clients that read it send the visitor to the sign-in page. Of a {@linkcode SessionExpiredError} its own. */
  readonly code: "UNAUTHENTICATED" | "SESSION_EXPIRED" = "UNAUTHENTICATED";
  /** 401 Unauthorized (RFC 9110, 15.5.2): signing in makes the request pass. */
  readonly status: 401 = 401;

  /**
   * Makes the error of a request without a user.
   *
   * @param message Shown to the client. Default "Sign in to continue".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(message: string = "Sign in to continue", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/** What a {@linkcode ForbiddenError} carries for logs. Responses never show it. */
export interface ForbiddenErrorFields extends AuthErrorFields {
  /** The role that was asked for; several are joined by a comma. */
  requiredRole?: string;
  /** The permission that was asked for; several are joined by a comma. */
  requiredPermission?: string;
}

/**
 * Somebody is signed in and may not do this.
 *
 * @example
 * ```ts
 * import { ForbiddenError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const error = new ForbiddenError(undefined, { requiredRole: "admin" });
 * equal(error.requiredRole, "admin");
 * ```
 */
export class ForbiddenError extends AuthError {
  /** `"ForbiddenError"`, also in minified code, where the class has another name. */
  override readonly name: string = "ForbiddenError";
  /** Unlike `UNAUTHENTICATED`: signing in again changes nothing. */
  readonly code: "FORBIDDEN" = "FORBIDDEN";
  /** 403 Forbidden (RFC 9110, 15.5.4). */
  readonly status: 403 = 403;
  /** The role that was asked for. */
  declare readonly requiredRole?: string;
  /** The permission that was asked for. */
  declare readonly requiredPermission?: string;

  /**
   * Makes the error of a user who lacks a role or a permission.
   *
   * @param message Shown to the client, so it names no role. Default "You are not allowed to do
   * this".
   * @param fields What was missing, and `cause`; both for logs.
   */
  constructor(message: string = "You are not allowed to do this", fields?: ForbiddenErrorFields) {
    super(message, fields);
    if (fields?.requiredRole !== undefined) this.requiredRole = fields.requiredRole;
    if (fields?.requiredPermission !== undefined) {
      this.requiredPermission = fields.requiredPermission;
    }
  }
}

/**
 * The credentials are wrong. It never says which of them, so that it reveals no account.
 *
 * @example
 * ```ts
 * import { InvalidCredentialsError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new InvalidCredentialsError().code, "INVALID_CREDENTIALS");
 * ```
 */
export class InvalidCredentialsError extends AuthError {
  /** `"InvalidCredentialsError"`, also in minified code, where the class has another name. */
  override readonly name: string = "InvalidCredentialsError";
  /** The same for a wrong password, an unknown user, a disabled one, and a password that has ended. */
  readonly code: "INVALID_CREDENTIALS" = "INVALID_CREDENTIALS";
  /** 401 Unauthorized (RFC 9110, 15.5.2): other credentials may pass. */
  readonly status: 401 = 401;

  /**
   * Makes the error, for an `authorize` of your own that wants to say more than null.
   *
   * @param message Shown to the client; it must not tell which part was wrong. Default: a sentence
   * of that kind.
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string = "That email or password is wrong",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * The credentials are right, and the application's `signIn` callback lets this user not in.
 *
 * @example
 * ```ts
 * import { AccessDeniedError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new AccessDeniedError().code, "ACCESS_DENIED");
 * ```
 */
export class AccessDeniedError extends AuthError {
  /** `"AccessDeniedError"`, also in minified code, where the class has another name. */
  override readonly name: string = "AccessDeniedError";
  /** A page of your own gets it as the parameter `error` of its address. */
  readonly code: "ACCESS_DENIED" = "ACCESS_DENIED";
  /** 403 Forbidden (RFC 9110, 15.5.4). */
  readonly status: 403 = 403;

  /**
   * Makes the error, for a `signIn` callback that throws instead of returning false.
   *
   * @param message Shown to the client, so it gives no reason. Default "You are not allowed to sign
   * in".
   * @param fields `cause`: the reason, for logs.
   */
  constructor(message: string = "You are not allowed to sign in", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/**
 * There was a session and its time is over. It is an {@linkcode UnauthenticatedError}: whoever catches that one
 * catches both.
 *
 * @example
 * ```ts
 * import { SessionExpiredError, UnauthenticatedError } from "@framework/auth";
 * import { equal, ok } from "node:assert/strict";
 *
 * const error = new SessionExpiredError();
 * ok(error instanceof UnauthenticatedError);
 * equal(error.code, "SESSION_EXPIRED");
 * ```
 */
export class SessionExpiredError extends UnauthenticatedError {
  /** `"SessionExpiredError"`, also in minified code, where the class has another name. */
  override readonly name: string = "SessionExpiredError";
  /** Unlike `UNAUTHENTICATED`: somebody was signed in here before. */
  override readonly code: "SESSION_EXPIRED" = "SESSION_EXPIRED";

  /**
   * Makes the error of a session that has ended.
   *
   * @param message Shown to the client. Default "Your session has expired. Sign in again.".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string = "Your session has expired. Sign in again.",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * Somebody is signed in, and what they are about to do needs a fresh proof of who they are.
 *
 * @example
 * ```ts
 * import { ReauthenticationRequiredError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new ReauthenticationRequiredError().status, 401);
 * ```
 */
export class ReauthenticationRequiredError extends AuthError {
  /** `"ReauthenticationRequiredError"`, also in minified code, where the class has another name. */
  override readonly name: string = "ReauthenticationRequiredError";
  /** Clients that read it ask for the password or the passkey once more. */
  readonly code: "REAUTHENTICATION_REQUIRED" = "REAUTHENTICATION_REQUIRED";
  /** 401 Unauthorized (RFC 9110, 15.5.2): a fresh sign-in makes the request pass. */
  readonly status: 401 = 401;

  /**
   * Makes the error of a sign-in that is too long ago.
   *
   * @param message Shown to the client. Default "Sign in once more to continue".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(message: string = "Sign in once more to continue", fields?: AuthErrorFields) {
    super(message, fields);
  }
}
