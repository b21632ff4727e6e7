import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/** What a {@linkcode RateLimitedError} carries. */
export interface RateLimitedErrorFields extends AuthErrorFields {
  /** Headers for the response: `Retry-After`, `RateLimit`, `RateLimit-Policy`. Default: none. */
  headers?: Record<string, string>;
  /** Whether a sign-in by e-mail or a new password is the way on, since strangers guess at the account. Default false. */
  useEmail?: boolean;
}

const FIRST_HOURS = 90 * 60;

/** When to try again, rounded up, in a unit that people count in. Themes translate these sentences. */
function sentence(retryAfter: string | undefined): string {
  const seconds = Number(retryAfter);
  let when = "later";
  if (seconds > FIRST_HOURS) when = `in ${Math.ceil(seconds / 3600)} hours`;
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
  /** Which limit it was stands in the event `rate-limited`. */
  readonly code: "RATE_LIMITED" = "RATE_LIMITED";
  /** 429 Too Many Requests (RFC 6585, 4). */
  readonly status: 429 = 429;
  /** Headers for the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a sign-in by e-mail or a new password is the way on, since strangers guess at the account. */
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
