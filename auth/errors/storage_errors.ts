import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/**
 * The database did not answer. The request is refused: nobody is let in on a guess.
 *
 * @example
 * ```ts
 * import { createSqlStorage, type SqlDatabase, StorageUnavailableError } from "@framework/auth";
 * import { rejects } from "node:assert/strict";
 *
 * const broken = { prepare: () => { throw new Error("No connection"); } };
 * const storage = createSqlStorage(broken as unknown as SqlDatabase);
 * await rejects(storage.getUser("ada"), StorageUnavailableError);
 * ```
 */
export class StorageUnavailableError extends AuthError {
  /** `"StorageUnavailableError"`, also in minified code, where the class has another name. */
  override readonly name: string = "StorageUnavailableError";
  /** Clients that read it may try again; nothing was decided. */
  readonly code: "STORAGE_UNAVAILABLE" = "STORAGE_UNAVAILABLE";
  /** 503 Service Unavailable (RFC 9110, 15.6.4): the same request may pass in a moment. */
  readonly status: 503 = 503;
  /** Says what failed and what to do, and nothing of what the database said. */
  override readonly publicMessage: string = "The storage did not answer. Try again in a moment.";

  /**
   * Makes the error, for a storage of your own.
   *
   * @param message For logs. Default "The storage did not answer".
   * @param fields `cause`: what the database said, for logs.
   */
  constructor(
    message: string = "The storage did not answer",
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
 *
 * @example
 * ```ts
 * import { createMemoryStorage, UserExistsError } from "@framework/auth";
 * import { rejects } from "node:assert/strict";
 *
 * const storage = createMemoryStorage();
 * const record = { user: { id: "ada" }, emailIdentity: null, at: Date.now() };
 * await storage.createUser(record);
 * await rejects(storage.createUser(record), UserExistsError);
 * ```
 */
export class UserExistsError extends AuthError {
  /** `"UserExistsError"`, also in minified code, where the class has another name. */
  override readonly name: string = "UserExistsError";
  /** A sign-up form that reads it can offer to sign in instead. */
  readonly code: "USER_EXISTS" = "USER_EXISTS";
  /** 409 Conflict (RFC 9110, 15.5.10). */
  readonly status: 409 = 409;

  /**
   * Makes the error, for a storage of your own.
   *
   * @param message Shown to the client. Default "There is already an account with these details".
   * @param fields `cause`: what the database said, for logs.
   */
  constructor(
    message: string = "There is already an account with these details",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * There is no such user, or the user is disabled, so no session was made.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, issueSession, UserUnavailableError } from "@framework/auth";
 * import { rejects } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await rejects(issueSession(auth, "nobody", {}), UserUnavailableError);
 * ```
 */
export class UserUnavailableError extends AuthError {
  /** `"UserUnavailableError"`, also in minified code, where the class has another name. */
  override readonly name: string = "UserUnavailableError";
  /** The same for a user who is gone and one who is disabled. */
  readonly code: "USER_UNAVAILABLE" = "USER_UNAVAILABLE";
  /** 403 Forbidden (RFC 9110, 15.5.4). */
  readonly status: 403 = 403;

  /**
   * Makes the error, for a storage of your own.
   *
   * @param message Shown to the client, so it does not say which of the two. Default "This account
   * cannot sign in".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(message: string = "This account cannot sign in", fields?: AuthErrorFields) {
    super(message, fields);
  }
}
