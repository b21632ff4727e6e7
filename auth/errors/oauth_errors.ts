import { AuthError, type AuthErrorFields } from "./auth_error.ts";

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

const FAILED = "The sign-in did not work. Start again.";

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

/** What an {@linkcode OAuthError} carries for logs. Responses never show it. */
export interface OAuthErrorFields extends AuthErrorFields {
  /** What the provider calls it: the `error` of its answer. */
  reason?: string;
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
  /**
   * Which of the conditions. A page of your own gets it as the parameter `error` of its address.
   */
  readonly code: OAuthErrorCode;
  /** Says what to do, and nothing of what the provider wrote. */
  override readonly publicMessage: string = FAILED;
  /**
   * By the code: 400, 401 or 403 where the visitor can do something, 502 or 503 where the provider
   * is at fault.
   */
  readonly status: number;
  /** What the provider calls it. */
  declare readonly reason?: string;

  /**
   * Makes the error, for a provider of your own.
   *
   * @param code Which condition; it decides the status.
   * @param message For the log, and below status 500 for the client. Default "The sign-in did not
   * work. Start again.".
   * @param fields `reason`: what the provider calls it; and `cause`. Both for logs.
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
  }
}
