import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/**
 * An account at a provider, or a passkey, is another user's already.
 *
 * @example
 * ```ts
 * import { AccountTakenError, errorResponse } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const request = new Request("https://app.example/", { headers: { accept: "application/json" } });
 * const response = errorResponse(new AccountTakenError(), request);
 * equal(response.status, 409);
 * equal((await response.json()).code, "ACCOUNT_TAKEN");
 * ```
 */
export class AccountTakenError extends AuthError {
  /** `"AccountTakenError"`, also in minified code, where the class has another name. */
  override readonly name: string = "AccountTakenError";
  /** A page of your own gets it as the parameter `error` of its address. */
  readonly code: "ACCOUNT_TAKEN" = "ACCOUNT_TAKEN";
  /** 409 Conflict (RFC 9110, 15.5.10): the account stays with its user. */
  readonly status: 409 = 409;

  /**
   * Makes the error of an account that cannot be linked twice.
   *
   * @param message Shown to the client, so it does not name the other user. Default: a sentence of
   * that kind.
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string = "This account belongs to another user already",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * There is a user with the address of this account, and nothing proves that they are one person.
 *
 * @example
 * ```ts
 * import { AccountNotLinkedError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * function explain(error: unknown): string {
 *   return error instanceof AccountNotLinkedError ? "Sign in as before, then link it" : "Try again";
 * }
 * equal(explain(new AccountNotLinkedError()), "Sign in as before, then link it");
 * ```
 */
export class AccountNotLinkedError extends AuthError {
  /** `"AccountNotLinkedError"`, also in minified code, where the class has another name. */
  override readonly name: string = "AccountNotLinkedError";
  /** A page of your own gets it as the parameter `error` of its address. */
  readonly code: "ACCOUNT_NOT_LINKED" = "ACCOUNT_NOT_LINKED";
  /** 403 Forbidden (RFC 9110, 15.5.4). */
  readonly status: 403 = 403;

  /**
   * Makes the error of a sign-in that would take over an account by its address.
   *
   * @param message Shown to the client. Default: how to sign in, and to link afterwards.
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string =
      "There is already an account with this address. Sign in the way you did before, then link this one.",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/**
 * The last way to sign in cannot be removed.
 *
 * @example
 * ```ts
 * import { LastWayInError } from "@framework/auth";
 * import { equal, rejects } from "node:assert/strict";
 *
 * // As unlinkAccount() and removePasskey() reject when nothing else is left.
 * const removal = Promise.reject(new LastWayInError());
 * await rejects(removal, LastWayInError);
 * equal(new LastWayInError().code, "LAST_WAY_IN");
 * ```
 */
export class LastWayInError extends AuthError {
  /** `"LastWayInError"`, also in minified code, where the class has another name. */
  override readonly name: string = "LastWayInError";
  /** Clients that read it offer to add another way in. */
  readonly code: "LAST_WAY_IN" = "LAST_WAY_IN";
  /** 409 Conflict (RFC 9110, 15.5.10): the way in stays. */
  readonly status: 409 = 409;

  /**
   * Makes the error of a removal that would lock its user out.
   *
   * @param message Shown to the client. Default "This is your only way to sign in: add another one
   * first".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(
    message: string = "This is your only way to sign in: add another one first",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}
