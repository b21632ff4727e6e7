import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/** The conditions of {@linkcode EmailProofError}. */
export type EmailProofErrorCode = "INVALID_LINK" | "INVALID_CODE" | "OTHER_BROWSER";

const MESSAGES: Readonly<Record<EmailProofErrorCode, string>> = {
  INVALID_LINK: "This link is not valid any more. Ask for a new one.",
  INVALID_CODE: "This code is not right, or not valid any more.",
  OTHER_BROWSER: "Open the link in the browser in which you asked for it.",
};

/** What a {@linkcode EmailProofError} says about the condition. */
export interface EmailProofErrorFields extends AuthErrorFields {
  /** Which condition. Default `INVALID_LINK`. */
  code?: EmailProofErrorCode;
}

/** A link or a code from an e-mail proves nothing: unknown, used, expired, or of another browser. */
export class EmailProofError extends AuthError {
  override readonly name: string = "EmailProofError";
  readonly code: EmailProofErrorCode;
  readonly status: 400 = 400;

  /** @param message Shown to the client; the default is the condition's own sentence. */
  constructor(message?: string, fields: EmailProofErrorFields = {}) {
    const code = fields.code ?? "INVALID_LINK";
    super(message ?? MESSAGES[code], fields);
    this.code = code;
  }
}

/** `sendVerificationRequest` failed, or did not end in time. Asking again makes a new link. */
export class EmailNotSentError extends AuthError {
  override readonly name: string = "EmailNotSentError";
  readonly code: "EMAIL_NOT_SENT" = "EMAIL_NOT_SENT";
  readonly status: 503 = 503;

  /** @param message For logs. */
  constructor(message: string = "The e-mail could not be sent", fields?: AuthErrorFields) {
    super(message, fields);
  }
}
