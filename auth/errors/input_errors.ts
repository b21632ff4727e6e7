import { AuthError, type AuthErrorFields } from "./auth_error.ts";

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
 * An e-mail address that cannot be one.
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
  /** A form that reads it marks its e-mail field. */
  readonly code: "INVALID_EMAIL" = "INVALID_EMAIL";
  /** 400 Bad Request (RFC 9110, 15.5.1). */
  readonly status: 400 = 400;

  /**
   * Makes the error, for rules of your own.
   *
   * @param message Shown to the client. Default "This is not an e-mail address".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(message: string = "This is not an e-mail address", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/** What an {@linkcode OverloadedError} carries. */
export interface OverloadedErrorFields extends AuthErrorFields {
  /** When to try again, in seconds: `Retry-After` of the response. Default: 2. */
  retryAfter?: number;
}

const PROFILE_MESSAGES = {
  ["INVALID_NAME"]: "A name has at most 256 characters, and no control characters",
  ["INVALID_IMAGE"]:
    "The address of a picture begins with https:// and has at most 2,048 characters",
} as const;

/**
 * A name or the address of a picture that cannot be stored and shown as it is.
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
  /** Which of the two: a form that reads it marks that field. */
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
   * Makes the error of a check that was not begun.
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
