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
  override readonly name: string = "RateLimitedError";
  readonly code: "RATE_LIMITED" = "RATE_LIMITED";
  readonly status: 429 = 429;
  /** Headers for the response. */
  readonly headers: Readonly<Record<string, string>>;

  /** @param message Shown to the client. */
  constructor(
    message: string = "There have been too many attempts. Try again later.",
    fields: RateLimitedErrorFields = {},
  ) {
    super(message, fields);
    this.headers = fields.headers ?? {};
  }
}
