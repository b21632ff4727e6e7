import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/** What a {@linkcode RateLimitedError} carries. */
export interface RateLimitedErrorFields extends AuthErrorFields {
  /** Headers for the response: `Retry-After`, `RateLimit`, `RateLimit-Policy`. Default: none. */
  headers?: Record<string, string>;
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
 * ```
 */
export class RateLimitedError extends AuthError {
  /** `"RateLimitedError"`, also in minified code, where the class has another name. */
  override readonly name: string = "RateLimitedError";
  /** Which limit it was stands in the event `rate-limited`. */
  readonly code: "RATE_LIMITED" = "RATE_LIMITED";
  /** 429 Too Many Requests (RFC 6585, 4). */
  readonly status: 429 = 429;
  /** Headers for the response. */
  readonly headers: Readonly<Record<string, string>>;

  /**
   * Makes the error, for a limit of your own.
   *
   * @param message Shown to the client. Default "There have been too many attempts. Try again
   * later.".
   * @param fields `headers` of the response, such as `Retry-After` in seconds, and `cause`.
   */
  constructor(
    message: string = "There have been too many attempts. Try again later.",
    fields: RateLimitedErrorFields = {},
  ) {
    super(message, fields);
    this.headers = fields.headers ?? {};
  }
}
