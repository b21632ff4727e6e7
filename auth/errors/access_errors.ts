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
  override readonly name: string = "UnauthenticatedError";
  readonly code: "UNAUTHENTICATED" = "UNAUTHENTICATED";
  readonly status: 401 = 401;

  /** @param message Shown to the client. */
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
  override readonly name: string = "ForbiddenError";
  readonly code: "FORBIDDEN" = "FORBIDDEN";
  readonly status: 403 = 403;
  /** The role that was asked for. */
  readonly requiredRole?: string;
  /** The permission that was asked for. */
  readonly requiredPermission?: string;

  /** @param message Shown to the client, so it names no role. */
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
  override readonly name: string = "InvalidCredentialsError";
  readonly code: "INVALID_CREDENTIALS" = "INVALID_CREDENTIALS";
  readonly status: 401 = 401;

  /** @param message Shown to the client. */
  constructor(
    message: string = "Those credentials are not right. Check them and try again.",
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
  override readonly name: string = "AccessDeniedError";
  readonly code: "ACCESS_DENIED" = "ACCESS_DENIED";
  readonly status: 403 = 403;

  /** @param message Shown to the client, so it gives no reason. */
  constructor(message: string = "You are not allowed to sign in", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/**
 * There was a session and its time is over.
 *
 * @example
 * ```ts
 * import { SessionExpiredError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new SessionExpiredError().status, 401);
 * ```
 */
export class SessionExpiredError extends AuthError {
  override readonly name: string = "SessionExpiredError";
  readonly code: "SESSION_EXPIRED" = "SESSION_EXPIRED";
  readonly status: 401 = 401;

  /** @param message Shown to the client. */
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
  override readonly name: string = "ReauthenticationRequiredError";
  readonly code: "REAUTHENTICATION_REQUIRED" = "REAUTHENTICATION_REQUIRED";
  readonly status: 401 = 401;

  /** @param message Shown to the client. */
  constructor(message: string = "Sign in once more to continue", fields?: AuthErrorFields) {
    super(message, fields);
  }
}
