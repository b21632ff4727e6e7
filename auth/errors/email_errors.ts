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

/**
 * A link or a code from an e-mail proves nothing: unknown, used, expired, or of another browser.
 *
 * @example
 * ```ts
 * import { EmailProofError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const error = new EmailProofError(undefined, { code: "OTHER_BROWSER" });
 * equal(error.status, 400);
 * equal(error.message, "Open the link in the browser in which you asked for it.");
 * ```
 */
export class EmailProofError extends AuthError {
  /** `"EmailProofError"`, also in minified code, where the class has another name. */
  override readonly name: string = "EmailProofError";
  /**
   * Which of the conditions. A page of your own gets it as the parameter `error` of its address.
   */
  readonly code: EmailProofErrorCode;
  /** 400 Bad Request (RFC 9110, 15.5.1): the link or code never comes to hold again. */
  readonly status: 400 = 400;

  /**
   * Makes the error of a proof that failed.
   *
   * @param message Shown to the client. Default: the sentence of the condition.
   * @param fields `code`: which condition, "INVALID_LINK" by default; and `cause`, for logs.
   */
  constructor(message?: string, fields: EmailProofErrorFields = {}) {
    const code = fields.code ?? "INVALID_LINK";
    super(message ?? MESSAGES[code], fields);
    this.code = code;
  }
}

/**
 * `sendVerificationRequest` failed, or did not end in time. Asking again makes a new link.
 *
 * @example
 * ```ts
 * import { EmailNotSentError, errorResponse } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const error = new EmailNotSentError(undefined, { cause: new Error("Mailbox full") });
 * equal(errorResponse(error, new Request("https://app.example/")).status, 503);
 * ```
 */
export class EmailNotSentError extends AuthError {
  /** `"EmailNotSentError"`, also in minified code, where the class has another name. */
  override readonly name: string = "EmailNotSentError";
  /** A page of your own gets it as the parameter `error` of its address. */
  readonly code: "EMAIL_NOT_SENT" = "EMAIL_NOT_SENT";
  /** Says what to do, and nothing of the mail service. */
  override readonly publicMessage: string = "We could not send the e-mail. Try again in a moment.";
  /** 503 Service Unavailable (RFC 9110, 15.6.4): asking again makes a new link. */
  readonly status: 503 = 503;

  /**
   * Makes the error of a mail that did not go out.
   *
   * @param message For logs: the page shows a sentence of its own. Default "The e-mail could not be
   * sent".
   * @param fields `cause`: what the mail service said, for logs.
   */
  constructor(message: string = "The e-mail could not be sent", fields?: AuthErrorFields) {
    super(message, fields);
  }
}
