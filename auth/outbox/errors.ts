/**
 * Errors of deliveries and of received webhooks. Apart from all others, since few applications have either.
 *
 * @module
 */

import { AuthError, type AuthErrorFields } from "../errors.ts";

/** The conditions of {@linkcode DeliveryError}, each with its HTTP status. */
export type DeliveryErrorCode =
  | "DELIVERY_ADDRESS"
  | "DELIVERY_UNREACHABLE"
  | "DELIVERY_TIMEOUT"
  | "DELIVERY_REFUSED"
  | "DELIVERY_GONE";

const DELIVERY_CONDITIONS: Record<DeliveryErrorCode, { status: number; message: string }> = {
  DELIVERY_ADDRESS: { status: 502, message: "The receiver has no public address" },
  DELIVERY_UNREACHABLE: { status: 502, message: "The receiver cannot be reached" },
  DELIVERY_TIMEOUT: { status: 504, message: "The receiver did not answer in time" },
  DELIVERY_REFUSED: { status: 502, message: "The receiver did not accept the event" },
  DELIVERY_GONE: { status: 502, message: "The receiver wants no more events" },
};

/** Fields of a {@linkcode DeliveryError}. */
export interface DeliveryErrorFields extends AuthErrorFields {
  /** Status that the receiver answered with. Default: it did not answer. */
  receivedStatus?: number;
  /** When to try again at the earliest, in milliseconds since 1970. Default: whoever delivers decides. */
  retryAt?: number;
}

/**
 * An event was not delivered. `code` says why:
 *
 * - `DELIVERY_ADDRESS`: the address leads to a network that is not public, or its name to no address.
 * - `DELIVERY_UNREACHABLE`: no connection, no valid certificate, or an answer that is no HTTP.
 * - `DELIVERY_TIMEOUT`: the receiver took too long.
 * - `DELIVERY_REFUSED`: it answered with a status other than 2xx.
 * - `DELIVERY_GONE`: it answered 410, and wants no more events.
 *
 * Its message and its fields hold nothing of the answer but the status, so that it can be stored and shown.
 *
 * @example
 * ```ts
 * import { DeliveryError } from "@framework/auth/webhooks";
 * import { equal } from "node:assert/strict";
 *
 * const error = new DeliveryError("DELIVERY_REFUSED", "hooks.example answered with status 503", {
 *   receivedStatus: 503,
 *   retryAt: Date.now() + 60_000,
 * });
 * equal(error.status, 502);
 * equal(error.final, false);
 * equal(new DeliveryError("DELIVERY_GONE").final, true);
 * ```
 */
export class DeliveryError extends AuthError {
  /** `"DeliveryError"`, also in minified code, where the class has another name. */
  override readonly name: string = "DeliveryError";
  /** Error code. */
  readonly code: DeliveryErrorCode;
  /** By the code: 504 for `DELIVERY_TIMEOUT`, else 502 (RFC 9110, 15.6). */
  readonly status: number;
  /** Status that the receiver answered with, where it answered. */
  declare readonly receivedStatus?: number;
  /** When to try again at the earliest, in milliseconds since 1970, where the receiver says so. */
  declare readonly retryAt?: number;
  /** True when trying again is of no use: the receiver wants no more events. */
  readonly final: boolean;

  /**
   * Makes the error, for a destination of your own.
   *
   * @param code Which condition; it decides the status, and `DELIVERY_GONE` is final.
   * @param message For logs, and for who looks after the receiver: no secrets, and nothing of an answer's body.
   * Default: the sentence of the condition.
   * @param fields `receivedStatus`, `retryAt`, and `cause`, for logs.
   */
  constructor(
    code: DeliveryErrorCode,
    message: string = DELIVERY_CONDITIONS[code].message,
    fields: DeliveryErrorFields = {},
  ) {
    super(message, fields);
    this.code = code;
    this.status = DELIVERY_CONDITIONS[code].status;
    this.final = code === "DELIVERY_GONE";
    if (fields.receivedStatus !== undefined) this.receivedStatus = fields.receivedStatus;
    if (fields.retryAt !== undefined) this.retryAt = fields.retryAt;
  }
}

/** The conditions of {@linkcode WebhookError}, each with its HTTP status. */
export type WebhookErrorCode = "WEBHOOK_MALFORMED" | "WEBHOOK_SIGNATURE" | "WEBHOOK_TIMESTAMP";

const WEBHOOK_CONDITIONS: Record<WebhookErrorCode, { status: 400 | 401; message: string }> = {
  WEBHOOK_MALFORMED: { status: 400, message: "The request is no webhook" },
  WEBHOOK_SIGNATURE: { status: 401, message: "The signature of the webhook does not verify" },
  WEBHOOK_TIMESTAMP: {
    status: 401,
    message: "The webhook was sent too long ago, or a clock is wrong",
  },
};

/**
 * A request to a receiver of webhooks is not one that the sender has made. `code` says why:
 *
 * - `WEBHOOK_MALFORMED`: a header is missing, or the signed body is not JSON with `type`, `timestamp` and `data`.
 * - `WEBHOOK_SIGNATURE`: no signature is one of the secrets'.
 * - `WEBHOOK_TIMESTAMP`: it was sent at a time that is too far from now, as a repeated one would be.
 *
 * @example
 * ```ts
 * import { WebhookError } from "@framework/auth/webhooks";
 * import { equal } from "node:assert/strict";
 *
 * equal(new WebhookError("WEBHOOK_SIGNATURE").status, 401);
 * ```
 */
export class WebhookError extends AuthError {
  /** `"WebhookError"`, also in minified code, where the class has another name. */
  override readonly name: string = "WebhookError";
  /** Error code. */
  readonly code: WebhookErrorCode;
  /** By the code: 400 for `WEBHOOK_MALFORMED`, else 401 (RFC 9110, 15.5). */
  readonly status: 400 | 401;

  /**
   * Creates the error for a request that is refused.
   *
   * @param code Which condition; it decides the status.
   * @param message Shown to the client. Default: the sentence of the condition.
   * @param fields `cause`, for logs.
   */
  constructor(
    code: WebhookErrorCode,
    message: string = WEBHOOK_CONDITIONS[code].message,
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
    this.code = code;
    this.status = WEBHOOK_CONDITIONS[code].status;
  }
}
