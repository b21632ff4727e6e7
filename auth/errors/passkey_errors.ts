import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/** The conditions of {@linkcode PasskeyError}, each with its HTTP status. */
export type PasskeyErrorCode = "PASSKEY_REFUSED" | "PASSKEY_NOT_ADDED" | "PASSKEY_EXPIRED";

const CONDITIONS: Record<PasskeyErrorCode, { status: number; message: string }> = {
  PASSKEY_REFUSED: { status: 401, message: "This passkey does not work here. Try another one." },
  PASSKEY_NOT_ADDED: { status: 400, message: "This passkey could not be added. Try again." },
  PASSKEY_EXPIRED: { status: 400, message: "That took too long. Try again." },
};

/** What a {@linkcode PasskeyError} says about the condition. */
export interface PasskeyErrorFields extends AuthErrorFields {
  /** Which condition; it decides the status. Default `PASSKEY_REFUSED`. */
  code?: PasskeyErrorCode;
}

/**
 * A passkey was not accepted. It never says which check failed, nor whether there is such a passkey; the
 * logger hears the reason as `passkey-refused`.
 *
 * @example
 * ```ts
 * import { PasskeyError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new PasskeyError().status, 401);
 * equal(new PasskeyError(undefined, { code: "PASSKEY_EXPIRED" }).status, 400);
 * ```
 */
export class PasskeyError extends AuthError {
  override readonly name: string = "PasskeyError";
  readonly code: PasskeyErrorCode;
  readonly status: number;

  /** @param message Shown to the client; the default is the condition's own sentence. */
  constructor(message?: string, fields: PasskeyErrorFields = {}) {
    const code = fields.code ?? "PASSKEY_REFUSED";
    super(message ?? CONDITIONS[code].message, fields);
    this.code = code;
    this.status = CONDITIONS[code].status;
  }
}
