/**
 * Types of an application's environment and of the mails that it delivers.
 *
 * @module
 */

import type { Awaitable } from "./callbacks.ts";

/**
 * The bindings and variables of an application, as `context.env` has them. Declare them once, and every
 * `authorize` and `sendVerificationRequest` knows them:
 *
 * ```ts
 * import type { SqlDatabase } from "@framework/auth";
 *
 * declare module "@framework/auth" {
 *   interface AuthEnv {
 *     DB: SqlDatabase;
 *   }
 * }
 * ```
 */
// deno-lint-ignore no-empty-interface
export interface AuthEnv {}

/** The environment where nothing else names its type: {@linkcode AuthEnv}, or anything unless it is declared. */
// deno-lint-ignore no-explicit-any
export type DefaultEnv = keyof AuthEnv extends never ? Record<string, any> : AuthEnv;

/** Second argument of `authorize`. */
export interface AuthContext<Env = DefaultEnv> {
  /** The environment of the application: its bindings and variables. */
  env: Env;
  /** The request that signs in. Its body has been read. */
  request: Request;
}

/** A mail of the library, ready to be sent. */
export interface Mail {
  /**
   * Its kind, for applications that write their own mails: "sign-in" for the link of `email()`, or one of those of
   * `passwords()`.
   */
  kind: string;
  /** The recipient: one plain address, its domain as A-labels. Use it as the only recipient, as it is. */
  to: string;
  /** Subject, in the language of the visitor. */
  subject: string;
  /** Plain text. */
  text: string;
  /** The same as HTML, in the looks of the application's theme. */
  html: string;
  /** The link in it. Behind it is a page with a button; to follow it changes nothing. */
  url: string;
  /** Time until which the link works; null for one that does not end. */
  expires: Date | null;
}

/**
 * Sends a mail: one function for all ways to sign in that send some. What it throws, or 10 seconds without an end, is
 * answered with EMAIL_NOT_SENT where the visitor may know that a mail was to be sent, and logged.
 */
export type SendMail<Env = DefaultEnv> = (
  mail: Mail,
  context: AuthContext<Env>,
) => Awaitable<unknown>;

/** Argument of `sendVerificationRequest`. */
export interface EmailParams {
  /** The recipient: one plain address, its domain as A-labels. Use it as the only recipient, as it is. */
  identifier: string;
  /** The link. It opens a page with a button; the button signs in, once. */
  url: string;
  /** The token in the link, for mails that build a link of their own. */
  token: string;
  /** Expiry of the email's link and code. */
  expires: Date;
  /** With `code: true`: six digits, for people who read their mail on another device. */
  code?: string;
  /**
   * True when nobody has confirmed this address on its account yet. Credentials set up there
   * before, such as a password, end when the recipient signs in by this email: let the email say
   * so, and that a new password must be set.
   */
  ends: boolean;
  /** Subject that the library has written, in the visitor's language, with the theme's name. */
  subject: string;
  /** The mail as HTML in the theme's colours, light and dark, for who writes none of their own. */
  html: string;
  /** The same as plain text. */
  text: string;
}

/** A mail on its way, for {@linkcode DeliverMail}. */
export interface OutgoingMail extends EmailParams {
  /** The sender, as configured; "" where `sendMail` chooses it. */
  from: string;
  /** Its kind, such as "sign-in" or "reset"; see {@linkcode Mail}. */
  kind?: string;
}

/**
 * Function that delivers all emails, in tests for example.
 *
 * @param mail What is sent.
 * @param send Calls the application's own `sendVerificationRequest` with it.
 */
export type DeliverMail = (mail: OutgoingMail, send: () => Promise<void>) => Promise<void>;
