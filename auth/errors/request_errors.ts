import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/** The conditions of {@linkcode RequestError}, each with its HTTP status. */
export type RequestErrorCode =
  | "BAD_REQUEST"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "HOST_NOT_ALLOWED";

const CONDITIONS: Record<RequestErrorCode, { status: number; message: string }> = {
  BAD_REQUEST: { status: 400, message: "The request is not complete or not well formed" },
  NOT_FOUND: { status: 404, message: "There is nothing at this address" },
  METHOD_NOT_ALLOWED: { status: 405, message: "This address does not answer that method" },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The request is too large" },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: "Send application/x-www-form-urlencoded or application/json",
  },
  HOST_NOT_ALLOWED: { status: 421, message: "This server does not answer for that host" },
};

/** What a {@linkcode RequestError} says about the condition. */
export interface RequestErrorFields extends AuthErrorFields {
  /** Which condition; it decides the status. Default `BAD_REQUEST`. */
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
  /** Which of the conditions; it decides the status. */
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
    super(message ?? CONDITIONS[code].message, fields);
    this.code = code;
    this.status = CONDITIONS[code].status;
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
   * Makes the error of a request that another site has the browser send.
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
