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
 */
export class AuthClientError extends Error {
  /** The name of the class. */
  override readonly name = "AuthClientError";
  /** What went wrong. */
  readonly failure: AuthClientFailure;

  /**
   * @param failure What went wrong.
   */
  constructor(failure: AuthClientFailure) {
    super(failure.message);
    this.failure = failure;
  }
}
