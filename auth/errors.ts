/**
 * Errors of the library: classes, codes and statuses.
 *
 * @module
 */

/** Fields that every error of this library accepts in addition to its message. */
export interface AuthErrorFields {
  /** The error that led to this one. It is for logs; no response shows it. */
  cause?: unknown;
}

const BRAND: unique symbol = Symbol.for("framework.auth.error");

/**
 * The base of every error that this library throws: a stable `code` for programs, an HTTP `status`
 * for responses. Derive from it for an error of your own that `errorResponse()` answers by its status.
 *
 * @example
 * ```ts
 * import { AuthError, errorResponse } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * class PlanRequiredError extends AuthError {
 *   override readonly name = "PlanRequiredError";
 *   readonly code = "PLAN_REQUIRED";
 *   readonly status = 402;
 * }
 * const error = new PlanRequiredError("This page needs a paid plan");
 * equal(errorResponse(error, new Request("https://app.example/")).status, 402);
 * ```
 */
export abstract class AuthError extends Error {
  /** Stable, upper-case name of the condition. */
  abstract readonly code: string;
  /** The HTTP status of a response to this error. */
  abstract readonly status: number;
  /**
   * Message for clients from status 500 on, where `message` is not for clients. Default: a general
   * apology.
   */
  declare readonly publicMessage?: string;

  /**
   * Called by the classes that derive from this one.
   *
   * @param message What failed and what to do. Below status 500 it is shown to the client.
   * @param fields `cause`: what led to it, for logs; and what the subclass adds.
   */
  constructor(message?: string, fields: AuthErrorFields = {}) {
    super(message, "cause" in fields ? { cause: fields.cause } : undefined);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Tests if a thrown value is an error of this library or derives from one. Recognizes errors of
 * another copy of the library, as a bundle or a test runner may hold two, where `instanceof` fails.
 *
 * @param error Whatever was thrown.
 *
 * @example
 * ```ts
 * import { isAuthError, requireAuth } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * try {
 *   requireAuth(); // outside of any request
 * } catch (error) {
 *   equal(isAuthError(error) && error.code, "OUTSIDE_REQUEST");
 * }
 * equal(isAuthError(new TypeError("Of somebody else")), false);
 * ```
 */
export function isAuthError(error: unknown): error is AuthError {
  return error instanceof Error && (error as { [BRAND]?: unknown })[BRAND] === true;
}

/**
 * Error for a request that requires a signed-in user.
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
   * Creates the error for a request without a user.
   *
   * @param message Shown to the client. Default "Sign in to continue".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(message: string = "Sign in to continue", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/** Fields of a {@linkcode ForbiddenError} for logs, never part of a response. */
export interface ForbiddenErrorFields extends AuthErrorFields {
  /** The role that was asked for; several are joined by a comma. */
  requiredRole?: string;
  /** The permission that was asked for; several are joined by a comma. */
  requiredPermission?: string;
}

/**
 * Error for a user who lacks a role or a permission.
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
   * Creates the error for a user who lacks a role or a permission.
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
  /** Unlike `UNAUTHENTICATED`: a user was signed in here before. */
  override readonly code: "SESSION_EXPIRED" = "SESSION_EXPIRED";

  /**
   * Creates the error for a session that has ended.
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
 * Error for an action that requires recent authentication.
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
   * Creates the error for a sign-in that is too long ago.
   *
   * @param message Shown to the client. Default "Sign in again to continue".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(message: string = "Sign in again to continue", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/**
 * The user has a second factor that this sign-in, or this session, has not proved. Where a page was asked for, the answer is
 * a redirect to the page that asks for it.
 *
 * @example
 * ```ts
 * import { SecondFactorRequiredError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new SecondFactorRequiredError().status, 401);
 * ```
 */
export class SecondFactorRequiredError extends AuthError {
  /** `"SecondFactorRequiredError"`, also in minified code, where the class has another name. */
  override readonly name: string = "SecondFactorRequiredError";
  /** Clients that read it ask for a code and send it to `/auth/second-factor`. */
  readonly code: "SECOND_FACTOR_REQUIRED" = "SECOND_FACTOR_REQUIRED";
  /** 401 Unauthorized (RFC 9110, 15.5.2): with the second factor the request passes. */
  readonly status: 401 = 401;
  /** The absolute URL of the page that asks for it; null outside of a request. */
  readonly redirectTo: SafeRedirect | null;
  /** The 303 response to that page, for who asked for a page; undefined where there is none to go to. */
  readonly toResponse: (() => Response) | undefined;

  /**
   * Creates the error for a second factor that has not been proved.
   *
   * @param message Shown to the client. Default "Confirm the second step to continue".
   * @param fields `redirectTo`: the page that asks for it, default none; `cause`: what led to it, for logs.
   */
  constructor(
    message: string = "Confirm the second step to continue",
    fields: AuthErrorFields & { redirectTo?: SafeRedirect | null } = {},
  ) {
    super(message, fields);
    const { redirectTo = null } = fields;
    this.redirectTo = redirectTo;
    this.toResponse = redirectTo === null
      ? undefined
      : () => new RedirectError(redirectTo).toResponse();
  }
}

/**
 * Thrown when a session is bound to a device and the request does not come from there, or when a bound session is required
 * and this one is none. See `deviceBound()`.
 *
 * @example
 * ```ts
 * import { SessionUnboundError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new SessionUnboundError().status, 401);
 * ```
 */
export class SessionUnboundError extends AuthError {
  /** `"SessionUnboundError"`, also in minified code, where the class has another name. */
  override readonly name: string = "SessionUnboundError";
  /** Clients that read it send the request again, which the browser then does with the proof of its device. */
  readonly code: "SESSION_UNBOUND" = "SESSION_UNBOUND";
  /** 401 Unauthorized (RFC 9110, 15.5.2): with the proof of the device the request passes. */
  readonly status: 401 = 401;
  /** The page that tries again, for who asked for a page; undefined where there is none. */
  readonly toResponse: (() => Response) | undefined;

  /**
   * Creates the error for a request without the proof of its device.
   *
   * @param message Shown to the client. Default "This device is being checked. Send it again".
   * @param fields `page`: makes the page that tries again, default none; `cause`: what led to it, for logs.
   */
  constructor(
    message: string = "This device is being checked. Send it again",
    fields: AuthErrorFields & { page?: () => Response } = {},
  ) {
    super(message, fields);
    this.toResponse = fields.page;
  }
}

/** The conditions of {@linkcode SecondFactorError}, each with its HTTP status. */
export type SecondFactorErrorCode =
  | "SECOND_FACTOR_WRONG"
  | "SECOND_FACTOR_OVER"
  | "SECOND_FACTOR_TRIES_OVER"
  | "SECOND_FACTOR_CLOSED"
  | "SECOND_FACTOR_UNPROVED_EMAIL"
  | "SECOND_FACTOR_CHANGED"
  | "SECOND_FACTOR_RECOVERY_REFUSED"
  | "SECOND_FACTOR_RECOVERY_EARLY";

const SECOND_FACTOR_CONDITIONS: Record<
  SecondFactorErrorCode,
  { status: number; message: string }
> = {
  SECOND_FACTOR_WRONG: {
    status: 401,
    message: "That code is wrong, or it has been used before. Wait for the next one and try again.",
  },
  SECOND_FACTOR_OVER: { status: 401, message: "This sign-in took too long. Start again." },
  SECOND_FACTOR_TRIES_OVER: {
    status: 401,
    message: "Too many wrong codes ended this sign-in. Start again.",
  },
  SECOND_FACTOR_CLOSED: {
    status: 429,
    message:
      "There have been too many wrong codes today. Use a recovery code, or a passkey if you have one.",
  },
  SECOND_FACTOR_UNPROVED_EMAIL: {
    status: 403,
    message: "Confirm your email address before you turn on two-step sign-in.",
  },
  SECOND_FACTOR_CHANGED: {
    status: 409,
    message: "Two-step sign-in has been changed meanwhile. Start again.",
  },
  SECOND_FACTOR_RECOVERY_REFUSED: {
    status: 403,
    message:
      "This takes your password or a passkey: a link or code by email is not enough, nor is a password that is newer than your last code.",
  },
  SECOND_FACTOR_RECOVERY_EARLY: {
    status: 409,
    message: "There is no request that has taken effect.",
  },
};

/** Fields of a {@linkcode SecondFactorError}. */
export interface SecondFactorErrorFields extends AuthErrorFields {
  /** Error code, which determines the status. Default `SECOND_FACTOR_WRONG`. */
  code?: SecondFactorErrorCode;
}

/**
 * A second factor was not accepted, or cannot be turned on.
 *
 * @example
 * ```ts
 * import { SecondFactorError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new SecondFactorError().status, 401);
 * equal(new SecondFactorError(undefined, { code: "SECOND_FACTOR_CLOSED" }).status, 429);
 * ```
 */
export class SecondFactorError extends AuthError {
  /** `"SecondFactorError"`, also in minified code, where the class has another name. */
  override readonly name: string = "SecondFactorError";
  /** Condition that was found. */
  readonly code: SecondFactorErrorCode;
  /** The status of the condition. */
  readonly status: number;

  /**
   * Creates the error.
   *
   * @param message Shown to the client. Default: the sentence of the condition.
   * @param fields `code`: the condition, default `SECOND_FACTOR_WRONG`; `cause`: what led to it, for logs.
   */
  constructor(message?: string, fields: SecondFactorErrorFields = {}) {
    const code = fields.code ?? "SECOND_FACTOR_WRONG";
    super(message ?? SECOND_FACTOR_CONDITIONS[code].message, fields);
    this.code = code;
    this.status = SECOND_FACTOR_CONDITIONS[code].status;
  }
}

/** The conditions of {@linkcode ApiKeyError}, each with its HTTP status. */
const API_KEY_CONDITIONS: Readonly<Record<ApiKeyErrorCode, { status: number; message: string }>> = {
  API_KEY_INVALID: {
    status: 401,
    message: "This API key is wrong or has ended. Make a new one, and send it whole.",
  },
  API_KEY_CONFLICT: {
    status: 400,
    message: "Send one API key, and no session cookie beside it.",
  },
  API_KEY_REFUSED: {
    status: 403,
    message: "API keys do not count here. Sign in with a browser.",
  },
};

/**
 * Error code of an {@linkcode ApiKeyError}: the key is unknown, wrong, over, or its owner is disabled; it came with another
 * key or with a session cookie; it came where keys do not count, or of a team or user who has no part in this one.
 */
export type ApiKeyErrorCode = "API_KEY_INVALID" | "API_KEY_CONFLICT" | "API_KEY_REFUSED";

/** Fields of an {@linkcode ApiKeyError}. */
export interface ApiKeyErrorFields extends AuthErrorFields {
  /** Error code, which determines the status. Default `API_KEY_INVALID`. */
  code?: ApiKeyErrorCode;
}

/**
 * An API key was not admitted. Nothing of it is in the error.
 *
 * @example
 * ```ts
 * import { ApiKeyError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new ApiKeyError().status, 401);
 * equal(new ApiKeyError(undefined, { code: "API_KEY_CONFLICT" }).status, 400);
 * ```
 */
export class ApiKeyError extends AuthError {
  /** `"ApiKeyError"`, also in minified code, where the class has another name. */
  override readonly name: string = "ApiKeyError";
  /** Condition that was found. */
  readonly code: ApiKeyErrorCode;
  /** The status of the condition. */
  readonly status: number;

  /**
   * Creates the error.
   *
   * @param message Shown to the client. Default: the sentence of the condition.
   * @param fields `code`: the condition, default `API_KEY_INVALID`; `cause`: what led to it, for logs.
   */
  constructor(message?: string, fields: ApiKeyErrorFields = {}) {
    const code = fields.code ?? "API_KEY_INVALID";
    super(message ?? API_KEY_CONDITIONS[code].message, fields);
    this.code = code;
    this.status = API_KEY_CONDITIONS[code].status;
  }
}

/**
 * An account at a provider, or a passkey, is another user's already.
 *
 * @example
 * ```ts
 * import { AccountTakenError, errorResponse } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const request = new Request("https://app.example/", { headers: { accept: "application/json" } });
 * const response = errorResponse(new AccountTakenError(), request);
 * equal(response.status, 409);
 * equal((await response.json()).code, "ACCOUNT_TAKEN");
 * ```
 */
export class AccountTakenError extends AuthError {
  /** `"AccountTakenError"`, also in minified code, where the class has another name. */
  override readonly name: string = "AccountTakenError";
  /** A page of your own gets it as the parameter `error` of its address. */
  readonly code: "ACCOUNT_TAKEN" = "ACCOUNT_TAKEN";
  /** 409 Conflict (RFC 9110, 15.5.10): the account stays with its user. */
  readonly status: 409 = 409;

  /**
   * Creates the error for an account that cannot be linked twice.
   *
   * @param message Shown to the client, so it does not name the other user. Default: a sentence of
   * that kind.
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string = "This account already belongs to another user",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * Error for an account whose address belongs to a user, without proof that both are one person.
 *
 * @example
 * ```ts
 * import { AccountNotLinkedError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * function explain(error: unknown): string {
 *   return error instanceof AccountNotLinkedError ? "Sign in as before, then link it" : "Try again";
 * }
 * equal(explain(new AccountNotLinkedError()), "Sign in as before, then link it");
 * ```
 */
export class AccountNotLinkedError extends AuthError {
  /** `"AccountNotLinkedError"`, also in minified code, where the class has another name. */
  override readonly name: string = "AccountNotLinkedError";
  /** A page of your own gets it as the parameter `error` of its address. */
  readonly code: "ACCOUNT_NOT_LINKED" = "ACCOUNT_NOT_LINKED";
  /** 403 Forbidden (RFC 9110, 15.5.4). */
  readonly status: 403 = 403;

  /**
   * Creates the error for a sign-in that would take over an account by its address.
   *
   * @param message Shown to the client. Default: how to sign in, and to link afterwards.
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string =
      "An account with this address already exists. Sign in the way you did before, then link this one.",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * The last way to sign in cannot be removed.
 *
 * @example
 * ```ts
 * import { LastWayInError } from "@framework/auth";
 * import { equal, rejects } from "node:assert/strict";
 *
 * // As unlinkAccount() and removePasskey() reject when nothing else is left.
 * const removal = Promise.reject(new LastWayInError());
 * await rejects(removal, LastWayInError);
 * equal(new LastWayInError().code, "LAST_WAY_IN");
 * ```
 */
export class LastWayInError extends AuthError {
  /** `"LastWayInError"`, also in minified code, where the class has another name. */
  override readonly name: string = "LastWayInError";
  /** Clients that read it offer to add another way in. */
  readonly code: "LAST_WAY_IN" = "LAST_WAY_IN";
  /** 409 Conflict (RFC 9110, 15.5.10): the way in stays. */
  readonly status: 409 = 409;

  /**
   * Creates the error for a removal that would lock its user out.
   *
   * @param message Shown to the client. Default "This is your only way to sign in: add another one
   * first".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string = "This is your only way to sign in. Add another one first.",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/** Fields of a {@linkcode ConfigurationError} about the option it concerns. */
export interface ConfigurationErrorFields extends AuthErrorFields {
  /** The option, as a path: `session.maxAge`. */
  field?: string;
}

/**
 * The application declared something that cannot work. It is thrown at the start where the shape is
 * known, else at the first request; `handle()` and `run()` let it pass, so that the host reports it.
 *
 * @example
 * ```ts
 * import { ConfigurationError, createAuth, createMemoryStorage } from "@framework/auth";
 * import { throws } from "node:assert/strict";
 *
 * throws(
 *   () => createAuth({ database: createMemoryStorage(), basePath: "auth" }),
 *   (error) => error instanceof ConfigurationError && error.field === "basePath",
 * );
 * ```
 */
export class ConfigurationError extends AuthError {
  /** `"ConfigurationError"`, also in minified code, where the class has another name. */
  override readonly name: string = "ConfigurationError";
  /** All that a response shows of it. */
  readonly code: "CONFIGURATION" = "CONFIGURATION";
  /** 500 Internal Server Error (RFC 9110, 15.6.1): clients learn nothing of the configuration. */
  readonly status: 500 = 500;
  /** The option, as a path: `session.maxAge`. */
  declare readonly field?: string;

  /**
   * Makes the error, for an adapter or a provider of your own.
   *
   * @param message What was found and what to write. For the developer; no response shows it.
   * @param fields `field`: which option, and `cause`.
   */
  constructor(
    message: string = "The configuration is wrong",
    fields?: ConfigurationErrorFields,
  ) {
    super(message, fields);
    if (fields?.field !== undefined) this.field = fields.field;
  }
}

/** The conditions of {@linkcode EmailProofError}. */
export type EmailProofErrorCode = "INVALID_LINK" | "INVALID_CODE" | "OTHER_BROWSER";

const MESSAGES: Readonly<Record<EmailProofErrorCode, string>> = {
  INVALID_LINK: "This link is no longer valid. Request a new one.",
  INVALID_CODE: "This code is wrong or no longer valid.",
  OTHER_BROWSER: "Open the link in the browser in which you requested it.",
};

/** Fields of an {@linkcode EmailProofError}. */
export interface EmailProofErrorFields extends AuthErrorFields {
  /** Error code. Default `INVALID_LINK`. */
  code?: EmailProofErrorCode;
}

/**
 * A link or a code from an email proves nothing: unknown, used, expired, or of another browser.
 *
 * @example
 * ```ts
 * import { EmailProofError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const error = new EmailProofError(undefined, { code: "OTHER_BROWSER" });
 * equal(error.status, 400);
 * equal(error.message, "Open the link in the browser in which you requested it.");
 * ```
 */
export class EmailProofError extends AuthError {
  /** `"EmailProofError"`, also in minified code, where the class has another name. */
  override readonly name: string = "EmailProofError";
  /** Error code. A page of your own receives it as the query parameter `error`. */
  readonly code: EmailProofErrorCode;
  /** 400 Bad Request (RFC 9110, 15.5.1): the link or code never comes to hold again. */
  readonly status: 400 = 400;

  /**
   * Creates the error for a proof that failed.
   *
   * @param message Shown to the client. Default: the sentence of the condition.
   * @param fields `code`: which condition, "INVALID_LINK" by default; and `cause`, for logs.
   */
  constructor(message?: string, fields: EmailProofErrorFields = {}) {
    const code = fields.code ?? "INVALID_LINK";
    super(message ?? MESSAGES[code], fields);
    this.code = code;
  }
}

/**
 * `sendVerificationRequest` failed, or did not end in time. Asking again makes a new link.
 *
 * @example
 * ```ts
 * import { EmailNotSentError, errorResponse } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const error = new EmailNotSentError(undefined, { cause: new Error("Mailbox full") });
 * equal(errorResponse(error, new Request("https://app.example/")).status, 503);
 * ```
 */
export class EmailNotSentError extends AuthError {
  /** `"EmailNotSentError"`, also in minified code, where the class has another name. */
  override readonly name: string = "EmailNotSentError";
  /** A page of your own gets it as the parameter `error` of its address. */
  readonly code: "EMAIL_NOT_SENT" = "EMAIL_NOT_SENT";
  /** Says what to do, and nothing of the mail service. */
  override readonly publicMessage: string = "We could not send the email. Try again in a moment.";
  /** 503 Service Unavailable (RFC 9110, 15.6.4): asking again makes a new link. */
  readonly status: 503 = 503;

  /**
   * Creates the error for a mail that did not go out.
   *
   * @param message For logs: the page shows a sentence of its own. Default "The email could not be
   * sent".
   * @param fields `cause`: what the mail service said, for logs.
   */
  constructor(message: string = "The email could not be sent", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/**
 * A password that cannot be hashed: over 1,024 bytes of UTF-8, or not well-formed Unicode.
 *
 * @example
 * ```ts
 * import { hashPassword, InvalidPasswordError } from "@framework/auth";
 * import { rejects } from "node:assert/strict";
 *
 * await rejects(hashPassword("a".repeat(1025)), InvalidPasswordError);
 * ```
 */
export class InvalidPasswordError extends AuthError {
  /** `"InvalidPasswordError"`, also in minified code, where the class has another name. */
  override readonly name: string = "InvalidPasswordError";
  /** Unlike `INVALID_CREDENTIALS`: it is about a new password. */
  readonly code: "INVALID_PASSWORD" = "INVALID_PASSWORD";
  /** 400 Bad Request (RFC 9110, 15.5.1). */
  readonly status: 400 = 400;

  /**
   * Makes the error, for rules of your own.
   *
   * @param message Shown to the client. Default "This password cannot be used".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(message: string = "This password cannot be used", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/**
 * An email address that cannot be one.
 *
 * @example
 * ```ts
 * import { InvalidEmailError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const error = new InvalidEmailError("We send to addresses of app.example only");
 * equal(error.status, 400);
 * ```
 */
export class InvalidEmailError extends AuthError {
  /** `"InvalidEmailError"`, also in minified code, where the class has another name. */
  override readonly name: string = "InvalidEmailError";
  /** A form that reads it marks its email field. */
  readonly code: "INVALID_EMAIL" = "INVALID_EMAIL";
  /** 400 Bad Request (RFC 9110, 15.5.1). */
  readonly status: 400 = 400;

  /**
   * Makes the error, for rules of your own.
   *
   * @param message Shown to the client. Default "This is not an email address".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(message: string = "This is not an email address", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/** Fields of an {@linkcode OverloadedError}. */
export interface OverloadedErrorFields extends AuthErrorFields {
  /** Seconds until a retry makes sense: `Retry-After` of the response. Default: 2. */
  retryAfter?: number;
}

const PROFILE_MESSAGES = {
  ["INVALID_NAME"]: "A name has at most 256 characters, and no control characters",
  ["INVALID_IMAGE"]: "A profile picture URL begins with https:// and has at most 2,048 characters",
} as const;

/**
 * Error for a name or a profile picture URL that cannot be stored and shown.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, InvalidProfileError } from "@framework/auth";
 * import { rejects } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/signup"), {}, undefined, async () => {
 *   await rejects(createUser({ name: "a".repeat(257) }), InvalidProfileError);
 *   await rejects(createUser({ image: "javascript:alert(1)" }), { code: "INVALID_IMAGE" });
 *   return new Response();
 * });
 * ```
 */
export class InvalidProfileError extends AuthError {
  /** `"InvalidProfileError"`, also in minified code, where the class has another name. */
  override readonly name: string = "InvalidProfileError";
  /** Error code, by which a form marks the invalid field. */
  readonly code: "INVALID_NAME" | "INVALID_IMAGE";
  /** 400 Bad Request (RFC 9110, 15.5.1). */
  readonly status: 400 = 400;

  /**
   * Makes the error, for rules of your own.
   *
   * @param code Which field it is about.
   * @param message Shown to the client. Default: what a name or an image has to be.
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    code: InvalidProfileError["code"],
    message: string = PROFILE_MESSAGES[code],
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
    this.code = code;
  }
}

/**
 * Too many password checks wait already; try again in a moment.
 *
 * @example
 * ```ts
 * import { errorResponse, OverloadedError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const request = new Request("https://app.example/auth/signin/credentials");
 * equal(errorResponse(new OverloadedError(), request).status, 503);
 * ```
 */
export class OverloadedError extends AuthError {
  /** `"OverloadedError"`, also in minified code, where the class has another name. */
  override readonly name: string = "OverloadedError";
  /** It says nothing about the password, which was not looked at. */
  readonly code: "OVERLOADED" = "OVERLOADED";
  /** Says what to do. */
  override readonly publicMessage: string = "We are busy right now. Try again in a moment.";
  /** 503 Service Unavailable (RFC 9110, 15.6.4): the same request may pass in a moment. */
  readonly status: 503 = 503;
  /** `Retry-After` of the response, in seconds. */
  readonly retryAfter: number;

  /**
   * Creates the error for a check that was not begun.
   *
   * @param message For logs. Default "Too many password checks are waiting".
   * @param fields `retryAfter`, in seconds, 2 by default; and `cause`: what led to it, for logs.
   */
  constructor(
    message: string = "Too many password checks are waiting",
    fields: OverloadedErrorFields = {},
  ) {
    super(message, fields);
    this.retryAfter = fields.retryAfter ?? 2;
  }
}

/** The conditions of {@linkcode OAuthError}. */
export type OAuthErrorCode =
  | "OAUTH_STATE_MISSING"
  | "OAUTH_STATE_UNKNOWN"
  | "OAUTH_STATE_EXPIRED"
  | "OAUTH_STATE_FOREIGN"
  | "OAUTH_DENIED"
  | "OAUTH_PROVIDER_ERROR"
  | "OAUTH_RESPONSE_INVALID"
  | "OAUTH_PROFILE_INVALID"
  | "OAUTH_UNAVAILABLE"
  | "OAUTH_LINK_SESSION"
  | "OAUTH_GRANT_LOST";

const FAILED = "The sign-in failed. Start again.";

const STATUS: Record<OAuthErrorCode, number> = {
  OAUTH_STATE_MISSING: 400,
  OAUTH_STATE_UNKNOWN: 400,
  OAUTH_STATE_EXPIRED: 400,
  OAUTH_STATE_FOREIGN: 403,
  OAUTH_DENIED: 403,
  OAUTH_PROVIDER_ERROR: 502,
  OAUTH_RESPONSE_INVALID: 502,
  OAUTH_PROFILE_INVALID: 502,
  OAUTH_UNAVAILABLE: 503,
  OAUTH_LINK_SESSION: 403,
  OAUTH_GRANT_LOST: 401,
};

/** Fields of an {@linkcode OAuthError} for logs, never part of a response. */
export interface OAuthErrorFields extends AuthErrorFields {
  /** Error code of the provider: the `error` of its response. */
  reason?: string;
  /** Address at the provider that refuses this application, or that is none: only the configuration can mend it. */
  endpoint?: string;
}

/**
 * A sign-in at a provider, or a call to one, did not work. `code` says which way:
 *
 * - `OAUTH_STATE_MISSING`, `…_UNKNOWN`, `…_EXPIRED`, `…_FOREIGN`: the provider's answer belongs to no
 *   sign-in, to one that was finished, that took too long, or to one of another browser or provider.
 * - `OAUTH_DENIED`: the visitor or the provider refused. `OAUTH_PROVIDER_ERROR`: it reports an error.
 * - `OAUTH_RESPONSE_INVALID`, `OAUTH_PROFILE_INVALID`: what it says about the user cannot be believed.
 * - `OAUTH_UNAVAILABLE`: it does not answer.
 * - `OAUTH_LINK_SESSION`: the session that asked to link the account is not there any more.
 * - `OAUTH_GRANT_LOST`: there is no access any more, and the user must sign in at the provider again.
 *
 * @example
 * ```ts
 * import { OAuthError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new OAuthError("OAUTH_UNAVAILABLE").status, 503);
 * ```
 */
export class OAuthError extends AuthError {
  /** `"OAuthError"`, also in minified code, where the class has another name. */
  override readonly name: string = "OAuthError";
  /** Error code. A page of your own receives it as the query parameter `error`. */
  readonly code: OAuthErrorCode;
  /** Message for clients, without the provider's text. */
  override readonly publicMessage: string = FAILED;
  /**
   * By the code: 400, 401 or 403 where the visitor can do something, 502 or 503 where the provider
   * is at fault.
   */
  readonly status: number;
  /** Error code of the provider. */
  declare readonly reason?: string;
  /** Address at the provider that refuses this application, or that is none: only the configuration can mend it. */
  declare readonly endpoint?: string;

  /**
   * Makes the error, for a provider of your own.
   *
   * @param code Which condition; it decides the status.
   * @param message For the log, and below status 500 for the client. Default "The sign-in did not
   * work. Start again.".
   * @param fields `reason`: what the provider calls it; `endpoint`, where the configuration is at fault; and
   * `cause`. All for logs.
   */
  constructor(
    code: OAuthErrorCode,
    message: string = FAILED,
    fields: OAuthErrorFields = {},
  ) {
    super(message, fields);
    this.code = code;
    this.status = STATUS[code];
    if (fields.reason !== undefined) this.reason = fields.reason;
    if (fields.endpoint !== undefined) this.endpoint = fields.endpoint;
  }
}

/** The conditions of {@linkcode PasskeyError}, each with its HTTP status. */
export type PasskeyErrorCode =
  | "PASSKEY_REFUSED"
  | "PASSKEY_UNKNOWN"
  | "PASSKEY_UNVERIFIED"
  | "PASSKEY_NOT_ADDED"
  | "PASSKEY_EXPIRED";

const PASSKEY_CONDITIONS: Record<PasskeyErrorCode, { status: number; message: string }> = {
  PASSKEY_REFUSED: { status: 401, message: "This passkey does not work here. Try another one." },
  PASSKEY_UNKNOWN: { status: 401, message: "This passkey does not work here. Try another one." },
  PASSKEY_UNVERIFIED: {
    status: 401,
    message:
      "This device cannot check that it is you. Set up a PIN, fingerprint or face on it, or use another one.",
  },
  PASSKEY_NOT_ADDED: { status: 400, message: "This passkey could not be added. Try again." },
  PASSKEY_EXPIRED: { status: 400, message: "That took too long. Try again." },
};

/** Fields of a {@linkcode PasskeyError}. */
export interface PasskeyErrorFields extends AuthErrorFields {
  /** Error code, which determines the status. Default `PASSKEY_REFUSED`. */
  code?: PasskeyErrorCode;
}

/**
 * A passkey was not accepted. It never says which check failed; the logger hears the reason as
 * `passkey-refused`. That there is no such passkey it says as `PASSKEY_UNKNOWN`, to scripts that have answered a
 * challenge of their own browser, so that the password manager drops it. That the authenticator has not verified its user
 * where that is required is `PASSKEY_UNVERIFIED`, once the signature is known to be right.
 *
 * @example
 * ```ts
 * import { PasskeyError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new PasskeyError().status, 401);
 * equal(new PasskeyError(undefined, { code: "PASSKEY_EXPIRED" }).status, 400);
 * ```
 */
export class PasskeyError extends AuthError {
  /** `"PasskeyError"`, also in minified code, where the class has another name. */
  override readonly name: string = "PasskeyError";
  /** Error code: refused or unknown at sign-in, not registered, or too late for the challenge. */
  readonly code: PasskeyErrorCode;
  /** By the code: 401 for `PASSKEY_REFUSED`, `PASSKEY_UNKNOWN` and `PASSKEY_UNVERIFIED`, else 400. */
  readonly status: number;

  /**
   * Creates the error for a ceremony that failed.
   *
   * @param message Shown to the client; it must not say which check failed. Default: the sentence
   * of the condition.
   * @param fields `code`: which condition, "PASSKEY_REFUSED" by default; and `cause`, for logs.
   */
  constructor(message?: string, fields: PasskeyErrorFields = {}) {
    const code = fields.code ?? "PASSKEY_REFUSED";
    super(message ?? PASSKEY_CONDITIONS[code].message, fields);
    this.code = code;
    this.status = PASSKEY_CONDITIONS[code].status;
  }
}

/** Fields of a {@linkcode RateLimitedError}. */
export interface RateLimitedErrorFields extends AuthErrorFields {
  /** Headers for the response: `Retry-After`, `RateLimit`, `RateLimit-Policy`. Default: none. */
  headers?: Record<string, string>;
  /**
   * Suggests a sign-in by email or a new password, since strangers guess at the account. Default
   * false.
   */
  useEmail?: boolean;
}

/**
 * Message with the time until the next attempt, rounded up to a unit that people count in. Themes
 * translate these sentences.
 */
function sentence(retryAfter: string | undefined): string {
  const seconds = Number(retryAfter);
  let when = "later";
  // From 90 minutes on.
  if (seconds > 5400) when = `in ${Math.ceil(seconds / 3600)} hours`;
  else if (seconds > 60) when = `in ${Math.ceil(seconds / 60)} minutes`;
  else if (seconds > 0) when = "in a minute";
  return `There have been too many attempts. Try again ${when}.`;
}

/**
 * There have been too many attempts.
 *
 * @example
 * ```ts
 * import { errorResponse, RateLimitedError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const error = new RateLimitedError(undefined, { headers: { "retry-after": "60" } });
 * const response = errorResponse(error, new Request("https://app.example/"));
 * equal(response.status, 429);
 * equal(response.headers.get("retry-after"), "60");
 * equal(error.message, "There have been too many attempts. Try again in a minute.");
 * ```
 */
export class RateLimitedError extends AuthError {
  /** `"RateLimitedError"`, also in minified code, where the class has another name. */
  override readonly name: string = "RateLimitedError";
  /** Error code. The event `rate-limited` names the limit. */
  readonly code: "RATE_LIMITED" = "RATE_LIMITED";
  /** 429 Too Many Requests (RFC 6585, 4). */
  readonly status: 429 = 429;
  /** Headers for the response. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * True when a sign-in by email or a new password is the way on, since strangers guess at the
   * account.
   */
  readonly useEmail: boolean;

  /**
   * Makes the error, for a limit of your own.
   *
   * @param message Shown to the client. Default: that there have been too many attempts, and by `Retry-After`
   * when to try again.
   * @param fields `headers` of the response, such as `retry-after` in seconds, and `cause`.
   */
  constructor(
    message?: string,
    fields: RateLimitedErrorFields = {},
  ) {
    super(message ?? sentence(fields.headers?.["retry-after"]), fields);
    this.headers = fields.headers ?? {};
    this.useEmail = fields.useEmail ?? false;
  }
}

/**
 * Leaves the current work and sends the client elsewhere. `requireAuth()` throws it; `auth.run()`
 * answers it. Where a framework catches it first, `errorResponse()` or `toResponse()` make the response, or the
 * framework's own redirect goes to `location`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, RedirectError, requireAuth } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { signIn: "/login" } });
 * const response = await auth.run(new Request("http://localhost/private"), {}, undefined, () => {
 *   try {
 *     requireAuth();
 *   } catch (error) {
 *     if (error instanceof RedirectError) return error.toResponse();
 *     throw error;
 *   }
 *   return new Response("private");
 * });
 * equal(response.status, 303);
 * ```
 */
export class RedirectError extends AuthError {
  /** `"RedirectError"`, also in minified code, where the class has another name. */
  override readonly name: string = "RedirectError";
  /** No client sees it: the response is a redirect. */
  readonly code: "REDIRECT" = "REDIRECT";
  /** 303 See Other (RFC 9110, 15.4.4): the browser asks with GET, whatever the request was. */
  readonly status: 303 = 303;
  /** The absolute URL, which the redirect guard has passed. */
  readonly location: SafeRedirect;

  /**
   * Makes the error. Applications catch it rather than make it.
   *
   * @param location The absolute URL. Only the redirect guard makes this type.
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(location: SafeRedirect, fields?: AuthErrorFields) {
    super(`Redirect to ${location}: answer it by errorResponse(error, request)`, fields);
    this.location = location;
  }

  /** The 303 response. It is not cached, since it depends on who asks. */
  toResponse(): Response {
    return new Response(null, {
      status: this.status,
      headers: { "location": this.location, "cache-control": "no-store", "vary": "Cookie" },
    });
  }
}

/**
 * An absolute URL to which this application may send a client. Only the redirect guard makes it, so a
 * redirect that nobody checked does not compile.
 */
export type SafeRedirect = string & { readonly "passed the redirect guard": true };

/** The conditions of {@linkcode RequestError}, each with its HTTP status. */
export type RequestErrorCode =
  | "BAD_REQUEST"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "HOST_NOT_ALLOWED";

const REQUEST_CONDITIONS: Record<RequestErrorCode, { status: number; message: string }> = {
  BAD_REQUEST: { status: 400, message: "The request is incomplete or malformed" },
  NOT_FOUND: { status: 404, message: "There is nothing at this address" },
  METHOD_NOT_ALLOWED: { status: 405, message: "This address does not answer that method" },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The request is too large" },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: "Send application/x-www-form-urlencoded or application/json",
  },
  HOST_NOT_ALLOWED: { status: 421, message: "This server does not answer for that host" },
};

/** Fields of a {@linkcode RequestError}. */
export interface RequestErrorFields extends AuthErrorFields {
  /** Error code, which determines the status. Default `BAD_REQUEST`. */
  code?: RequestErrorCode;
  /** For `METHOD_NOT_ALLOWED`: the methods that the address answers (RFC 9110, 15.5.6). */
  allow?: string;
}

/**
 * The request itself is at fault: its path, method, size, type, host or shape.
 *
 * @example
 * ```ts
 * import { errorResponse, RequestError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const error = new RequestError(undefined, { code: "METHOD_NOT_ALLOWED", allow: "GET, HEAD" });
 * const response = errorResponse(error, new Request("https://app.example/"));
 * equal(response.status, 405);
 * equal(response.headers.get("allow"), "GET, HEAD");
 * ```
 */
export class RequestError extends AuthError {
  /** `"RequestError"`, also in minified code, where the class has another name. */
  override readonly name: string = "RequestError";
  /** Error code, which determines the status. */
  readonly code: RequestErrorCode;
  /** By the code: 400, 404, 405, 413, 415 or 421 (RFC 9110, 15.5). */
  readonly status: number;
  /** The methods that the address answers, for a 405. */
  declare readonly allow?: string;

  /**
   * Makes the error, for a handler of your own.
   *
   * @param message Shown to the client. Default: the sentence of the condition.
   * @param fields `code`: which condition, "BAD_REQUEST" by default; `allow` for a 405; and
   * `cause`, for logs.
   */
  constructor(message?: string, fields: RequestErrorFields = {}) {
    const code = fields.code ?? "BAD_REQUEST";
    super(message ?? REQUEST_CONDITIONS[code].message, fields);
    this.code = code;
    this.status = REQUEST_CONDITIONS[code].status;
    if (fields.allow !== undefined) this.allow = fields.allow;
  }
}

/**
 * A request that would change something came from another site.
 *
 * @example
 * ```ts
 * import { assertSameOrigin, CrossSiteRequestError } from "@framework/auth";
 * import { throws } from "node:assert/strict";
 *
 * const request = new Request("https://app.example/transfer", {
 *   method: "POST",
 *   headers: { origin: "https://evil.example" },
 * });
 * throws(
 *   () => assertSameOrigin(request, { ownOrigin: "https://app.example" }),
 *   CrossSiteRequestError,
 * );
 * ```
 */
export class CrossSiteRequestError extends AuthError {
  /** `"CrossSiteRequestError"`, also in minified code, where the class has another name. */
  override readonly name: string = "CrossSiteRequestError";
  /** The event `origin-refused` tells from where it came. */
  readonly code: "CROSS_SITE_REQUEST" = "CROSS_SITE_REQUEST";
  /** 403 Forbidden (RFC 9110, 15.5.4). */
  readonly status: 403 = 403;

  /**
   * Creates the error for a request that another site has the browser send.
   *
   * @param message Shown to the client. Default: a sentence that names `trustedOrigins`, since the first to see it
   * is a developer whose pages have another origin.
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string =
      "This request came from another site and was refused. If that site is yours, add it to trustedOrigins.",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * A session does not fit into cookies: browsers silently drop larger ones, and the visitor
 * would never be signed in. Thrown at the sign-in, before any cookie is set.
 *
 * @example
 * ```ts
 * import { SessionTooLargeError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * function hint(error: unknown): string | null {
 *   return error instanceof SessionTooLargeError ? "Keep less in the jwt callback" : null;
 * }
 * equal(hint(new SessionTooLargeError()), "Keep less in the jwt callback");
 * ```
 */
export class SessionTooLargeError extends AuthError {
  /** `"SessionTooLargeError"`, also in minified code, where the class has another name. */
  override readonly name: string = "SessionTooLargeError";
  /** All that a response shows of it. */
  readonly code: "SESSION_TOO_LARGE" = "SESSION_TOO_LARGE";
  /** 500 Internal Server Error (RFC 9110, 15.6.1): callbacks have put too much into the session. */
  readonly status: 500 = 500;

  /**
   * Creates the error for a sign-in whose cookies would be dropped.
   *
   * @param message For logs: how much was found, and how much may be, in bytes.
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string = "The session does not fit into cookies",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * An operation that needs the current request was called where there is none.
 *
 * @example
 * ```ts
 * import { getUser, OutsideRequestError } from "@framework/auth";
 * import { throws } from "node:assert/strict";
 *
 * // Not inside auth.run(), auth.handle() or a file of an application by convention.
 * throws(() => getUser(), OutsideRequestError);
 * ```
 */
export class OutsideRequestError extends AuthError {
  /** `"OutsideRequestError"`, also in minified code, where the class has another name. */
  override readonly name: string = "OutsideRequestError";
  /** All that a response shows of it. */
  readonly code: "OUTSIDE_REQUEST" = "OUTSIDE_REQUEST";
  /** 500 Internal Server Error (RFC 9110, 15.6.1): a mistake in the application. */
  readonly status: 500 = 500;

  /**
   * Creates the error for a call that has no request around it.
   *
   * @param message For the developer: names the operation and the way out.
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string = "This operation needs a request",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * A cookie was to be set after the response's headers had gone; or somebody asked only then who is signed in, and a cache
 * may give the response to others.
 *
 * @example
 * ```ts
 * import { AuthError, HeadersSentError } from "@framework/auth";
 * import { equal, ok } from "node:assert/strict";
 *
 * const error = new HeadersSentError();
 * ok(error instanceof AuthError);
 * equal(error.code, "HEADERS_SENT");
 * ```
 */
export class HeadersSentError extends AuthError {
  /** `"HeadersSentError"`, also in minified code, where the class has another name. */
  override readonly name: string = "HeadersSentError";
  /** All that a response shows of it. */
  readonly code: "HEADERS_SENT" = "HEADERS_SENT";
  /** 500 Internal Server Error (RFC 9110, 15.6.1): a mistake in the application. */
  readonly status: 500 = 500;

  /**
   * Creates the error for a cookie that comes too late.
   *
   * @param message For the developer: names the operation and the way out.
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string =
      "Cannot set a cookie: the headers have gone. Start or end sessions before you return the response",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * The database did not answer. The request is refused: nobody is let in on a guess.
 *
 * @example
 * ```ts
 * import { createSqlStorage, type SqlDatabase, StorageUnavailableError } from "@framework/auth";
 * import { rejects } from "node:assert/strict";
 *
 * const broken = { prepare: () => { throw new Error("No connection"); } };
 * const storage = createSqlStorage(broken as unknown as SqlDatabase);
 * await rejects(storage.getUser("ada"), StorageUnavailableError);
 * ```
 */
export class StorageUnavailableError extends AuthError {
  /** `"StorageUnavailableError"`, also in minified code, where the class has another name. */
  override readonly name: string = "StorageUnavailableError";
  /** Clients that read it may try again; nothing was decided. */
  readonly code: "STORAGE_UNAVAILABLE" = "STORAGE_UNAVAILABLE";
  /** 503 Service Unavailable (RFC 9110, 15.6.4): the same request may pass in a moment. */
  readonly status: 503 = 503;
  /** Message for clients, without the database's text. */
  override readonly publicMessage: string = "The storage did not answer. Try again in a moment.";

  /**
   * Makes the error, for a storage of your own.
   *
   * @param message For logs. Default "The storage did not answer".
   * @param fields `cause`: what the database said, for logs.
   */
  constructor(
    message: string = "The storage did not answer",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * A user whose roles had to be as they were read has other ones by now, is blocked, or is gone: nothing was changed.
 *
 * @example
 * ```ts
 * import { UserChangedError } from "@framework/auth";
 * import { administrationGroup, createMemoryStorage, groupOf } from "@framework/auth/storage";
 * import { rejects } from "node:assert/strict";
 *
 * const storage = createMemoryStorage();
 * const at = Date.now();
 * for (const id of ["ada", "eve"]) {
 *   await storage.createUser({ user: { id }, emailIdentity: null, at });
 * }
 * const operations = groupOf(storage, administrationGroup);
 * const unchanged = [{ userId: "eve", roles: ["admin"] }];
 * await rejects(operations.disableUser("ada", at, { unchanged }), UserChangedError);
 * ```
 */
export class UserChangedError extends AuthError {
  /** `"UserChangedError"`, also in minified code, where the class has another name. */
  override readonly name: string = "UserChangedError";
  /** Whoever reads it looks again, and decides anew. */
  readonly code: "USER_CHANGED" = "USER_CHANGED";
  /** 409 Conflict (RFC 9110, 15.5.10). */
  readonly status: 409 = 409;

  /**
   * Makes the error, for a storage of your own.
   *
   * @param message Shown to the client. Default "This account has changed meanwhile".
   * @param fields `cause`: what the database said, for logs.
   */
  constructor(
    message: string = "This account has changed meanwhile",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * A user with this id or this email address exists already.
 *
 * A sign-up form that shows it tells everyone who has an account: where that matters, answer both
 * cases in the same way and tell the owner of the address by email.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, UserExistsError } from "@framework/auth";
 * import { rejects } from "node:assert/strict";
 *
 * const storage = createMemoryStorage();
 * const record = { user: { id: "ada" }, emailIdentity: null, at: Date.now() };
 * await storage.createUser(record);
 * await rejects(storage.createUser(record), UserExistsError);
 * ```
 */
export class UserExistsError extends AuthError {
  /** `"UserExistsError"`, also in minified code, where the class has another name. */
  override readonly name: string = "UserExistsError";
  /** A sign-up form that reads it can offer to sign in instead. */
  readonly code: "USER_EXISTS" = "USER_EXISTS";
  /** 409 Conflict (RFC 9110, 15.5.10). */
  readonly status: 409 = 409;

  /**
   * Makes the error, for a storage of your own.
   *
   * @param message Shown to the client. Default "An account with these details already exists".
   * @param fields `cause`: what the database said, for logs.
   */
  constructor(
    message: string = "An account with these details already exists",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * Error for a user who does not exist or is disabled, so that no session was created.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, issueSession, UserUnavailableError } from "@framework/auth";
 * import { rejects } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await rejects(issueSession(auth, "nobody", {}), UserUnavailableError);
 * ```
 */
export class UserUnavailableError extends AuthError {
  /** `"UserUnavailableError"`, also in minified code, where the class has another name. */
  override readonly name: string = "UserUnavailableError";
  /** The same code for a deleted and a disabled user. */
  readonly code: "USER_UNAVAILABLE" = "USER_UNAVAILABLE";
  /** 403 Forbidden (RFC 9110, 15.5.4). */
  readonly status: 403 = 403;

  /**
   * Makes the error, for a storage of your own.
   *
   * @param message Shown to the client, so it does not say which of the two. Default "This account
   * cannot sign in".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(message: string = "This account cannot sign in", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/**
 * The request belongs to no tenant, or to one that is unknown or suspended.
 *
 * @example
 * ```ts
 * import { TenantNotFoundError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new TenantNotFoundError().status, 404);
 * ```
 */
export class TenantNotFoundError extends AuthError {
  /** `"TenantNotFoundError"`, also in minified code, where the class has another name. */
  override readonly name: string = "TenantNotFoundError";
  /** The same for a tenant that is unknown and one that is suspended. */
  readonly code: "TENANT_NOT_FOUND" = "TENANT_NOT_FOUND";
  /** 404 Not Found (RFC 9110, 15.5.5). */
  readonly status: 404 = 404;

  /**
   * Makes the error, for a route of your own that belongs to a tenant.
   *
   * @param message Shown to the client, so it repeats nothing of the request. Default "There is no
   * such tenant".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(message: string = "There is no such tenant", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/**
 * A tenant with this id or slug exists already.
 *
 * @example
 * ```ts
 * import { createMemoryTenantStorage, TenantExistsError } from "@framework/auth/tenant";
 * import { rejects } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * await storage.create({ slug: "acme", name: "Acme Ltd" });
 * await rejects(storage.create({ slug: "acme", name: "Another" }), TenantExistsError);
 * ```
 */
export class TenantExistsError extends AuthError {
  /** `"TenantExistsError"`, also in minified code, where the class has another name. */
  override readonly name: string = "TenantExistsError";
  /** A form that reads it marks its slug field. */
  readonly code: "TENANT_EXISTS" = "TENANT_EXISTS";
  /** 409 Conflict (RFC 9110, 15.5.10). */
  readonly status: 409 = 409;

  /**
   * Makes the error, for a tenant storage of your own.
   *
   * @param message Shown to the client. Default "This name is already taken".
   * @param fields `cause`: what the store said, for logs.
   */
  constructor(message: string = "This name is already taken", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/**
 * Error for an invalid field of a tenant.
 *
 * @example
 * ```ts
 * import { createMemoryTenantStorage, InvalidTenantError } from "@framework/auth/tenant";
 * import { rejects } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * await rejects(storage.create({ slug: "Not a slug", name: "Acme Ltd" }), InvalidTenantError);
 * ```
 */
export class InvalidTenantError extends AuthError {
  /** `"InvalidTenantError"`, also in minified code, where the class has another name. */
  override readonly name: string = "InvalidTenantError";
  /** A form that reads it shows the message at the field. */
  readonly code: "INVALID_TENANT" = "INVALID_TENANT";
  /** 400 Bad Request (RFC 9110, 15.5.1). */
  readonly status: 400 = 400;

  /**
   * Makes the error, for rules of your own.
   *
   * @param message Shown to the client: which field, and what it may hold. Default "This cannot be
   * a tenant".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string = "This is not a valid tenant",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * An invitation opens nothing: unknown, used, revoked, expired, or its inviter may not invite any more. Whoever invited
 * makes a new one.
 *
 * @example
 * ```ts
 * import { InvitationError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new InvitationError().status, 400);
 * ```
 */
export class InvitationError extends AuthError {
  /** `"InvitationError"`, also in minified code, where the class has another name. */
  override readonly name: string = "InvitationError";
  /** Stable error code. */
  readonly code: "INVALID_INVITATION" = "INVALID_INVITATION";
  /** 400 Bad Request (RFC 9110, 15.5.1): the invitation never comes to hold again. */
  readonly status: 400 = 400;

  /**
   * Creates the error for an invitation that does not hold.
   *
   * @param message Shown to the client. Default: a general sentence, the same for every reason.
   * @param fields `cause`, for logs.
   */
  constructor(
    message: string = "This invitation no longer works. Ask for a new one.",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * The last owner of a team stays one: without any, nobody could look after it.
 *
 * @example
 * ```ts
 * import { LastOwnerError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new LastOwnerError().status, 409);
 * ```
 */
export class LastOwnerError extends AuthError {
  /** `"LastOwnerError"`, also in minified code, where the class has another name. */
  override readonly name: string = "LastOwnerError";
  /** Stable error code. */
  readonly code: "LAST_OWNER" = "LAST_OWNER";
  /** 409 Conflict (RFC 9110, 15.5.10): possible once somebody else is an owner too. */
  readonly status: 409 = 409;

  /**
   * Creates the error for the last owner of a team.
   *
   * @param message Shown to the client. Default: a general sentence.
   * @param fields `cause`, for logs.
   */
  constructor(
    message: string = "A team keeps an owner. Make somebody else the owner first.",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}
