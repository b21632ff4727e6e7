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

/** The request itself is at fault: its path, method, size, type, host or shape. */
export class RequestError extends AuthError {
  override readonly name: string = "RequestError";
  readonly code: RequestErrorCode;
  readonly status: number;
  /** The methods that the address answers, for a 405. */
  readonly allow?: string;

  /** @param message Shown to the client; the default is the condition's own sentence. */
  constructor(message?: string, fields: RequestErrorFields = {}) {
    const code = fields.code ?? "BAD_REQUEST";
    super(message ?? CONDITIONS[code].message, fields);
    this.code = code;
    this.status = CONDITIONS[code].status;
    if (fields.allow !== undefined) this.allow = fields.allow;
  }
}

/** A request that would change something came from another site. */
export class CrossSiteRequestError extends AuthError {
  override readonly name: string = "CrossSiteRequestError";
  readonly code: "CROSS_SITE_REQUEST" = "CROSS_SITE_REQUEST";
  readonly status: 403 = 403;

  /** @param message Shown to the client. */
  constructor(
    message: string = "This request came from another site and was refused",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}
