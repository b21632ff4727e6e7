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
  /** `"PasskeyError"`, also in minified code, where the class has another name. */
  override readonly name: string = "PasskeyError";
  /** Which of the conditions: refused at sign-in, not added, or too slow for the challenge. */
  readonly code: PasskeyErrorCode;
  /** By the code: 401 for `PASSKEY_REFUSED`, else 400. */
  readonly status: number;

  /**
   * Makes the error of a ceremony that failed.
   *
   * @param message Shown to the client; it must not say which check failed. Default: the sentence
   * of the condition.
   * @param fields `code`: which condition, "PASSKEY_REFUSED" by default; and `cause`, for logs.
   */
  constructor(message?: string, fields: PasskeyErrorFields = {}) {
    const code = fields.code ?? "PASSKEY_REFUSED";
    super(message ?? CONDITIONS[code].message, fields);
    this.code = code;
    this.status = CONDITIONS[code].status;
  }
}
