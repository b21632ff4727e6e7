import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/** An account at a provider, or a passkey, is another user's already. */
export class AccountTakenError extends AuthError {
  override readonly name: string = "AccountTakenError";
  readonly code: "ACCOUNT_TAKEN" = "ACCOUNT_TAKEN";
  readonly status: 409 = 409;

  /** @param message Shown to the client. */
  constructor(
    message: string = "This account belongs to another user already",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/** There is a user with the address of this account, and nothing proves that they are one person. */
export class AccountNotLinkedError extends AuthError {
  override readonly name: string = "AccountNotLinkedError";
  readonly code: "ACCOUNT_NOT_LINKED" = "ACCOUNT_NOT_LINKED";
  readonly status: 403 = 403;

  /** @param message Shown to the client. */
  constructor(
    message: string =
      "There is already an account with this address. Sign in the way you did before, then link this one.",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/** The last way to sign in cannot be removed. */
export class LastWayInError extends AuthError {
  override readonly name: string = "LastWayInError";
  readonly code: "LAST_WAY_IN" = "LAST_WAY_IN";
  readonly status: 409 = 409;

  /** @param message Shown to the client. */
  constructor(
    message: string = "This is your only way to sign in: add another one first",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}
