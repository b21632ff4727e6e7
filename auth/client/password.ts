/**
 * Sign-up, forgotten and new password in the browser.
 *
 * @module
 */

import { type AuthClientOptions, call } from "./request.ts";
import { concludeSignIn, type SignInResult } from "./session.ts";

/** Options of every call. */
export interface PasswordCallOptions {
  /** False to stay on this page, and to go where the result says, or nowhere, by yourself. Default true. */
  redirect?: boolean;
}

/** A sign-up with a password. */
export interface SignUpOptions extends PasswordCallOptions {
  /** The address. */
  email: string;
  /** The password. */
  password: string;
  /** The name; empty it is refused, with the code `INVALID_NAME`. Default: none. */
  name?: string;
  /** Destination once the address is proved. Default: the page for new users, or the start page. */
  redirectTo?: string;
}

/** The link of a sign-up that was opened. */
export interface ConfirmSignUpOptions extends PasswordCallOptions {
  /** The token in the link. */
  token: string;
  /** The password: in another browser than the one that signed up. Default: none. */
  password?: string;
  /** "new" when `password` takes the place of the one of the sign-up. Default "chosen". */
  ask?: "chosen" | "new";
}

/** A request for a link to a new password. */
export interface ForgotPasswordOptions extends PasswordCallOptions {
  /** The address. */
  email: string;
  /** Destination after the sign-in with the new password. Default: the start page. */
  redirectTo?: string;
}

/** A new password by a mailed link. */
export interface ResetPasswordOptions extends PasswordCallOptions {
  /** The token in the link. */
  token: string;
  /** The new password. */
  password: string;
}

/** A new password of somebody who is signed in. */
export interface ChangePasswordOptions extends PasswordCallOptions {
  /** The new password. */
  password: string;
}

async function post(
  path: string,
  { redirect, redirectTo, ...fields }: PasswordCallOptions & { redirectTo?: string },
  options: AuthClientOptions,
): Promise<SignInResult> {
  const reply = await call(path, { ...options, fields: { ...fields, callbackUrl: redirectTo } });
  return concludeSignIn(reply, { ...options, redirect });
}

/**
 * Signs up by `passwords()`. The answer is the same for every address: a mail is on its way, and the browser goes to
 * the page that says so.
 *
 * @param values Address, password and name.
 * @param options Where the endpoints are.
 * @returns How far it came. A password that is too short, and too many attempts, are results, not exceptions.
 *
 * @example
 * ```ts
 * import { signUp } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server.
 * const fetch = () => Promise.resolve(Response.json({ redirectTo: "/auth/signup/sent" }));
 *
 * const values = { email: "ada@example.com", password: "four words in a row", redirect: false };
 * const result = await signUp(values, { fetch });
 * equal(result.ok && result.redirectTo, "/auth/signup/sent");
 * ```
 */
export function signUp(
  values: SignUpOptions,
  options: AuthClientOptions = {},
): Promise<SignInResult> {
  return post("/signup", values, options);
}

/**
 * Uses the link of a sign-up: makes the user and signs in. In another browser than the one that signed up the server
 * asks for the password, with the code `INVALID_CREDENTIALS`.
 *
 * @param values The token, and in another browser the password.
 * @param options Where the endpoints are.
 * @returns How far it came, with the new session.
 *
 * @example
 * ```ts
 * import { confirmSignUp } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * const refusal = { code: "INVALID_LINK", message: "This link is no longer valid." };
 * const fetch = () => Promise.resolve(Response.json(refusal, { status: 400 }));
 *
 * const result = await confirmSignUp({ token: "of the link" }, { fetch });
 * equal(!result.ok && result.error.code, "INVALID_LINK");
 * ```
 */
export function confirmSignUp(
  values: ConfirmSignUpOptions,
  options: AuthClientOptions = {},
): Promise<SignInResult> {
  return post("/signup/confirm", values, options);
}

/**
 * Asks for a link to a new password. The answer is the same for every address.
 *
 * @param values The address.
 * @param options Where the endpoints are.
 * @returns How far it came.
 *
 * @example
 * ```ts
 * import { forgotPassword } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * const fetch = () => Promise.resolve(Response.json({ redirectTo: "/auth/forgot/sent" }));
 * const result = await forgotPassword({ email: "ada@example.com", redirect: false }, { fetch });
 * equal(result.ok, true);
 * ```
 */
export function forgotPassword(
  values: ForgotPasswordOptions,
  options: AuthClientOptions = {},
): Promise<SignInResult> {
  return post("/forgot", values, options);
}

/**
 * Sets a new password by the link of a mail. It signs nobody in: the browser goes to the sign-in page.
 *
 * @param values The token and the new password.
 * @param options Where the endpoints are.
 * @returns How far it came.
 *
 * @example
 * ```ts
 * import { resetPassword } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * const fetch = () => Promise.resolve(Response.json({ redirectTo: "/auth/signin" }));
 * const values = { token: "of the link", password: "four words in a row", redirect: false };
 * equal((await resetPassword(values, { fetch })).ok, true);
 * ```
 */
export function resetPassword(
  values: ResetPasswordOptions,
  options: AuthClientOptions = {},
): Promise<SignInResult> {
  return post("/reset", values, options);
}

/**
 * Changes the password of whoever is signed in and has proved who they are in the last ten minutes; else the code is
 * `REAUTHENTICATION_REQUIRED`. All other sessions end.
 *
 * @param values The new password.
 * @param options Where the endpoints are.
 * @returns How far it came.
 *
 * @example
 * ```ts
 * import { changePassword } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * const fetch = () => Promise.resolve(Response.json({ redirectTo: "/auth/account" }));
 * const result = await changePassword({ password: "four words in a row", redirect: false }, { fetch });
 * equal(result.ok && result.session, null);
 * ```
 */
export function changePassword(
  values: ChangePasswordOptions,
  options: AuthClientOptions = {},
): Promise<SignInResult> {
  return post("/account/password", values, options);
}
