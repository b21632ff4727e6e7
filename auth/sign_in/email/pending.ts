/**
 * A pending sign-in by email: options, record, secrets in the browser.
 *
 * @module
 */

import type { RequestStore } from "../../core/contracts.ts";
import { readHostCookie, writeHostCookie } from "../../session/cookie.ts";
import type { EmailAddress } from "../../lib/email_address.ts";
import { isSecret } from "../../lib/secret.ts";
import type { MAILBOX_PURPOSES, SecretRecord } from "../../storage/secrets.ts";
import type { SentSecretRecord } from "../../storage/sent_secrets.ts";
import type { AuthContext, DefaultEnv, EmailParams, SendMail } from "../../types/application.ts";

/** Additional properties of the context of `sendVerificationRequest()`. */
export interface EmailContext<Env = DefaultEnv> extends AuthContext<Env> {
  /** The sender, as configured. */
  from: string;
  /** Aborts when the library stops waiting, after 10 seconds. */
  signal: AbortSignal;
}

/** Options for `email()`. */
export interface EmailConfig<Env = DefaultEnv> {
  /** Its name in addresses and in the list of providers. Default 'email'. */
  id?: string;
  /** Its name on the sign-in page. Default 'Email'. */
  name?: string;
  /** The sender, such as "App <hello@app.example>". */
  from: string;
  /** Lifetime of a link in seconds, at most a year. Default 86400. */
  maxAge?: number;
  /**
   * Accepts a link only in the browser that requested it. Default false: in another browser the
   * page behind the link says so and asks for confirmation.
   */
  sameBrowser?: boolean;
  /**
   * Adds a six-digit code to the email, to be typed in the browser that requested it. It expires
   * after ten minutes or five attempts. Default false.
   */
  code?: boolean;
  /**
   * Delivers the link. What it throws, or 10 seconds without an end, is answered with EMAIL_NOT_SENT.
   *
   * It is called for known and unknown addresses.
   */
  sendVerificationRequest(params: EmailParams, context: EmailContext<Env>): Promise<void>;
}

/** Options for `email()` with the function that sends the other mails of an application too. */
export interface EmailMailConfig<Env = DefaultEnv>
  extends Omit<EmailConfig<Env>, "from" | "sendVerificationRequest"> {
  /**
   * Sends the mail, of the kind "sign-in". The same function may stand at `passwords()`.
   *
   * It is called for known and unknown addresses.
   */
  sendMail: SendMail<Env>;
}

/** Validated configuration of `email()`. */
export interface CheckedEmail extends Required<Omit<EmailConfig, "sendVerificationRequest">> {
  /** See {@linkcode EmailConfig}. */
  send(params: EmailParams, context: EmailContext<unknown>): Promise<void>;
  /** Name of the application's function that sends, for the log. */
  mailer: string;
}

/**
 * Secrets of an email. Each is looked up under its own purpose, so that none can be redeemed as
 * another.
 */
export type EmailPurpose = (typeof MAILBOX_PURPOSES)[number] | "email-link-used";

/** Number of pending requests that a browser remembers, since the first email may arrive last. */
const KEPT_REQUESTS = 3;

/**
 * Number of emails to one address that are valid at a time. Strangers can request fewer in three
 * hours under the default limits, so they cannot push out the owner's.
 */
export const KEPT_MAILS = 20;

/** Record stored from the request until the email is redeemed. */
export interface PendingSignIn {
  /** Address that the email went to: as the account has it, or as it was typed. */
  address: string;
  /** Destination after sign-in, checked by the redirect guard. */
  callbackUrl: string | null;
  /** Hash of the secret of the browser that asked. */
  browser: string;
  /** For a code: its authenticator; empty for a link. */
  digest: string;
}

/** The record of one link or one code. */
export function pendingRecord(
  purpose: EmailPurpose,
  { hash, to, pending, at, maxAge }: {
    hash: string;
    to: EmailAddress;
    pending: PendingSignIn;
    at: number;
    maxAge: number;
  },
): SentSecretRecord {
  return {
    purpose,
    hash,
    identifier: to.identity,
    userId: null,
    payload: JSON.stringify(pending),
    createdAt: at,
    expiresAt: at + maxAge * 1000,
  };
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}

/**
 * Parses the payload of a stored request; null for one that cannot be read, which counts as absent.
 */
export function readPending({ payload }: Pick<SecretRecord, "payload">): PendingSignIn | null {
  let pending: Partial<PendingSignIn> | null;
  try {
    pending = JSON.parse(payload ?? "null");
  } catch {
    return null;
  }
  const { address, callbackUrl, browser, digest = "" } = pending ?? {};
  const known = typeof address === "string" && typeof browser === "string" &&
    typeof digest === "string" && isTextOrNull(callbackUrl);
  return known ? { address, browser, digest, callbackUrl: callbackUrl! } : null;
}

const COOKIE = "framework.email";

/**
 * Secrets that this browser received with its requests, newest first. Each email has a fresh one,
 * so a secret planted earlier is of no use for an email that is yet to be sent.
 */
export function readBrowserSecrets(store: RequestStore): string[] {
  return (readHostCookie(store, COOKIE) ?? "").split(".").slice(0, KEPT_REQUESTS).filter(isSecret);
}

/** A mail that this browser has asked for, as the page knows it on which its visitor waits. */
export interface SentTo {
  /** The address as it was typed. */
  address: string;
  /** Destination after sign-in. */
  callbackUrl: string | null;
}

// No longer than somebody waits: the address is not to be read by whoever uses the browser next.
const SENT_TO_AGE = 600;

const SENT_TO = "framework.email-to";

/** The mail that this browser has asked for last; null for none. Whether one was sent does not show in it. */
export function readSentTo(store: RequestStore): SentTo | null {
  const value = readHostCookie(store, SENT_TO);
  if (value === null) return null;
  try {
    const { address, callbackUrl } = JSON.parse(decodeURIComponent(value));
    return typeof address === "string" && isTextOrNull(callbackUrl)
      ? { address, callbackUrl }
      : null;
  } catch {
    return null;
  }
}

/** Tells the page on which a visitor waits what was typed. */
export function keepSentTo(store: RequestStore, sent: SentTo): void {
  const value = encodeURIComponent(JSON.stringify(sent));
  // Browsers drop a cookie of more than 4,096 bytes; the page then names no address.
  if (value.length > 3500) return;
  writeHostCookie(store, { name: SENT_TO, value, maxAge: SENT_TO_AGE });
}

/** Gives the browser the secret of one more email. */
export function keepBrowserSecret(store: RequestStore, secret: string, maxAge: number): void {
  const value = [secret, ...readBrowserSecrets(store)].slice(0, KEPT_REQUESTS).join(".");
  writeHostCookie(store, { name: COOKIE, value, maxAge });
}
