/** What went wrong, in words for programs and for people. */
export interface AuthClientFailure {
  /**
   * The code of the server, such as `INVALID_CREDENTIALS` or `RATE_LIMITED`; `NETWORK_ERROR` when there was no
   * answer, `UNEXPECTED_RESPONSE` when it was none of the library.
   */
  code: string;
  /** A sentence that can be shown. */
  message: string;
  /** The status of the response; 0 without one. */
  status: number;
  /** Seconds after which to try again, where the server says so. */
  retryAfter?: number;
}

/**
 * What `getSession()` and `signOut()` throw when nobody knows how it stands: the server could not be reached, or
 * could not say. It has the fields of an {@linkcode AuthClientFailure}.
 *
 * @example
 * ```ts
 * import { AuthClientError, getSession } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * const fetch = () => Promise.reject(new TypeError("No connection"));
 * try {
 *   await getSession({ fetch });
 * } catch (error) {
 *   if (!(error instanceof AuthClientError)) throw error;
 *   equal(error.failure.code, "NETWORK_ERROR");
 * }
 * ```
 */
export class AuthClientError extends Error {
  /** `"AuthClientError"`, also in minified code, where the class has another name. */
  override readonly name = "AuthClientError";
  /** What went wrong, with the code of the server or `NETWORK_ERROR`. */
  readonly failure: AuthClientFailure;

  /**
   * Makes the error. Applications catch it rather than make it.
   *
   * @param failure What went wrong; its message becomes that of the error.
   */
  constructor(failure: AuthClientFailure) {
    super(failure.message);
    this.failure = failure;
  }
}
