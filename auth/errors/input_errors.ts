import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/** A password that cannot be hashed: over 1,024 bytes of UTF-8, or not well-formed Unicode. */
export class InvalidPasswordError extends AuthError {
  override readonly name: string = "InvalidPasswordError";
  readonly code: "INVALID_PASSWORD" = "INVALID_PASSWORD";
  readonly status: 400 = 400;

  /** @param message Shown to the client. */
  constructor(message: string = "This password cannot be used", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/** An e-mail address that cannot be one. */
export class InvalidEmailError extends AuthError {
  override readonly name: string = "InvalidEmailError";
  readonly code: "INVALID_EMAIL" = "INVALID_EMAIL";
  readonly status: 400 = 400;

  /** @param message Shown to the client. */
  constructor(message: string = "This is not an e-mail address", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/** Too many password checks wait already; try again in a moment. */
export class OverloadedError extends AuthError {
  override readonly name: string = "OverloadedError";
  readonly code: "OVERLOADED" = "OVERLOADED";
  readonly status: 503 = 503;

  /** @param message For logs. */
  constructor(message: string = "Too many password checks are waiting", fields?: AuthErrorFields) {
    super(message, fields);
  }
}
