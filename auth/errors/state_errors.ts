import { AuthError, type AuthErrorFields } from "./auth_error.ts";

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
   * Makes the error of a call that has no request around it.
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
 * A cookie was to be set after the response's headers had gone.
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
   * Makes the error of a cookie that comes too late.
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
