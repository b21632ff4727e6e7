/**
 * Options of `passwords()`, and the mails that it sends.
 *
 * @module
 */

import type { PasswordHasher } from "../../password/hash.ts";
import type { PasswordPolicy } from "../../password/policy.ts";
import type { AuthContext, DefaultEnv, Mail } from "../../types/application.ts";
import type { Awaitable } from "../../types/callbacks.ts";

/** Kind of a mail of `passwords()`. */
export type PasswordMailKind =
  /** The link that completes a sign-up, or proves the address of a new user. */
  | "verification"
  /** Somebody wanted to sign up with the address of an account. */
  | "known-account"
  /** The link to choose a new password. */
  | "reset"
  /** The password has been changed. */
  | "password-changed"
  /** Somebody signed in to the account in a browser in which its user has not been seen. */
  | "new-device";

/** A mail of `passwords()`, ready to be sent. */
export interface PasswordMail extends Mail {
  /** Its kind, for applications that write their own mails. */
  kind: PasswordMailKind;
  /**
   * Number of passkeys that still sign in to the account, in a mail of the kind "password-changed". Default: none is
   * counted.
   */
  passkeys?: number;
}

/**
 * Sends a mail. What it throws, or 10 seconds without an end, is answered with EMAIL_NOT_SENT where the visitor may
 * know that a mail was to be sent, and logged.
 */
export type SendPasswordMail<Env = DefaultEnv> = (
  mail: PasswordMail,
  context: AuthContext<Env>,
) => Awaitable<unknown>;

/** Options for `passwords()`. */
export interface PasswordsConfig<Env = DefaultEnv> extends PasswordPolicy {
  /** Its name on pages. Default 'Password'. */
  name?: string;
  /**
   * Sends the mails. Default: in development they go to the terminal and to `/auth/dev/mail`; in production it must be
   * given.
   */
  sendMail?: SendPasswordMail<Env>;
  /**
   * Least number of characters of a new password, 8 to 64. Default 15. Write 8 only where a second factor is required
   * of everybody: a password that is the only factor needs 15 (NIST SP 800-63B-4, 3.1.1.2).
   */
  minLength?: number;
  /**
   * Refuses new passwords that are on the list of leaked ones, which Have I Been Pwned publishes: five digits of a hash
   * leave the server. When the service does not answer within a second the password is taken, and the event
   * `password-unchecked` says so. Default false.
   */
  breached?: boolean;
  /**
   * Checks hashes that another library made: every one that does not begin with `$scrypt$`. After a success the
   * password is hashed anew. What it throws counts as a wrong password, and is logged as `verify-legacy-failed` with the
   * user's id. Default: such hashes are wrong.
   */
  verifyLegacy?: (password: string, hash: string) => boolean | Promise<boolean>;
  /** Hashes and checks passwords, as `createDurableObjectHasher()` does. Default: scrypt in the process. */
  hasher?: PasswordHasher;
  /**
   * "first": a sign-up makes a user when the link in the mail is opened, and every address gets the same answer.
   * "later": it makes the user at once and signs in, the address is proved when its owner opens the mail; **whoever
   * signs up then learns whether an address has an account**. Default "first".
   */
  verification?: "first" | "later";
}

/** Validated options of `passwords()`. */
export interface CheckedPasswords {
  /** Its id, the name of its accounts in events. */
  id: "passwords";
  /** Its name on pages. */
  name: string;
  /** Sends the mails, or shows them to the developer. */
  send: SendPasswordMail<unknown>;
  /** Conditions of a new password. */
  policy: PasswordPolicy & { minLength: number };
  /** True when new passwords are looked up in the list of leaked ones. */
  breached: boolean;
  /** Hashes and checks passwords, also those of another library. */
  hasher: PasswordHasher;
  /** See {@linkcode PasswordsConfig}. */
  verification: "first" | "later";
}

/**
 * Password to ask for in a browser other than the one that signed up: the one chosen at the sign-up, or a new one in
 * its place.
 */
export type AskedPassword = "chosen" | "new";

/** Reads which password a page asks for. */
export function readAsk(value: string | null | undefined): AskedPassword {
  return value === "new" ? "new" : "chosen";
}

/** Lifetime of the link of a sign-up, in seconds: a day. */
export const SIGN_UP_AGE = 86_400;
/** Lifetime of the link to a new password, in seconds: an hour. */
export const RESET_AGE = 3600;

/** Paths below `basePath`. */
export const PATHS = {
  signUp: "/signup",
  sent: "/signup/sent",
  resend: "/signup/resend",
  confirm: "/signup/confirm",
  start: "/signin",
  signIn: "/signin/passwords",
  forgot: "/forgot",
  forgotSent: "/forgot/sent",
  reset: "/reset",
  resetDone: "/reset/done",
  change: "/account/password",
} as const;
