import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/** The database did not answer. The request is refused: nobody is let in on a guess. */
export class StorageUnavailableError extends AuthError {
  override readonly name: string = "StorageUnavailableError";
  readonly code: "STORAGE_UNAVAILABLE" = "STORAGE_UNAVAILABLE";
  readonly status: 503 = 503;

  /** @param message For logs; `cause` holds what the database said. */
  constructor(
    message: string = "The storage of @framework/auth did not answer",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * A user with this id or this e-mail address exists already.
 *
 * A sign-up form that shows it tells everyone who has an account: where that matters, answer both
 * cases alike and tell the owner of the address by e-mail.
 */
export class UserExistsError extends AuthError {
  override readonly name: string = "UserExistsError";
  readonly code: "USER_EXISTS" = "USER_EXISTS";
  readonly status: 409 = 409;

  /** @param message Shown to the client. */
  constructor(
    message: string = "There is already an account with these details",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/** There is no such user, or the user is disabled, so no session was made. */
export class UserUnavailableError extends AuthError {
  override readonly name: string = "UserUnavailableError";
  readonly code: "USER_UNAVAILABLE" = "USER_UNAVAILABLE";
  readonly status: 403 = 403;

  /** @param message Shown to the client. */
  constructor(message: string = "This account cannot sign in", fields?: AuthErrorFields) {
    super(message, fields);
  }
}
