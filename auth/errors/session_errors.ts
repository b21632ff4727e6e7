import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/**
 * A session holds more than cookies can carry: browsers drop larger ones in silence, and the visitor
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
   * Makes the error of a sign-in whose cookies would be dropped.
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
