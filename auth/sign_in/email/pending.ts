/**
 * A pending sign-in by e-mail: options, secrets in the browser, the code.
 *
 * @module
 */

import { isSecureOrigin } from "../../core/address.ts";
import type { RequestStore } from "../../core/contracts.ts";
import type { EmailAddress } from "../../lib/address.ts";
import { readCookie, serializeCookie } from "../../lib/cookie.ts";
import { createPurposeKey } from "../../lib/keys.ts";
import { isSecret, randomBytes } from "../../lib/secret.ts";
import type { SecretRecord } from "../../storage/secrets.ts";
import type { SentSecretRecord } from "../../storage/sent_secrets.ts";
import type { AuthContext, DefaultEnv, EmailParams } from "../../types/application.ts";

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
  /** Its name on the sign-in page. Default 'E-mail'. */
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
   * Adds a six-digit code to the e-mail, to be typed in the browser that requested it. It expires
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

/** Validated configuration of `email()`. */
export interface CheckedEmail extends Required<Omit<EmailConfig, "sendVerificationRequest">> {
  /** See {@linkcode EmailConfig}. */
  send(params: EmailParams, context: EmailContext<unknown>): Promise<void>;
}

/**
 * Secrets of an e-mail. Each is looked up under its own purpose, so that none can be redeemed as
 * another.
 */
export type EmailPurpose = "email-link" | "email-link-used" | "email-code";

/** Number of pending requests that a browser remembers, since the first e-mail may arrive last. */
export const KEPT_REQUESTS = 3;

/**
 * Number of e-mails to one address that are valid at a time. Strangers can request fewer in three
 * hours under the default limits, so they cannot push out the owner's.
 */
export const KEPT_MAILS = 20;

/** Record stored from the request until the e-mail is redeemed. */
export interface PendingSignIn {
  /** The address as it was typed. */
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

const CODES = 1_000_000;
// The largest multiple of the number of codes in 32 bits: what lies above would make some codes likelier.
const LIMIT = 4_294_000_000;

/** Maximum lifetime of a code in seconds (NIST SP 800-63B, 3.1.3.2: ten minutes). */
export const CODE_MAX_AGE = 600;

/** Attempts that a code allows. */
export const CODE_ATTEMPTS = 5;

/** Six random digits, all equally likely. */
export function createCode(): string {
  for (;;) {
    const bytes = randomBytes(4);
    const number = new DataView(bytes.buffer).getUint32(0);
    if (number < LIMIT) return String(number % CODES).padStart(6, "0");
  }
}

/** Normalizes a typed code by removing blanks; null when it cannot be a code. */
export function readCode(typed: string | undefined): string | null {
  const code = typed?.normalize("NFKC").replace(/[\s-]/g, "");
  return code !== undefined && /^[0-9]{6}$/.test(code) ? code : null;
}

/** Values that a code is bound to. */
export interface CodeBounds {
  /** The secret of the browser that asked. */
  browserSecret: string;
  /** The mailbox. */
  identity: string;
}

/**
 * Digest of a code for the database: an HMAC with a key that only the requesting browser can
 * derive. A million codes are quickly enumerated, so a plain hash would reveal the code to anyone
 * who reads the table.
 */
export async function codeDigest(
  code: string,
  { browserSecret, identity }: CodeBounds,
): Promise<string> {
  return await createPurposeKey(browserSecret, "email-code").sign(`${code}\n${identity}`);
}

/** Compares a code with its digest in constant time. */
export async function codeMatches(
  code: string,
  digest: string,
  { browserSecret, identity }: CodeBounds,
): Promise<boolean> {
  const key = createPurposeKey(browserSecret, "email-code");
  return await key.verify(`${code}\n${identity}`, digest);
}

/** With the prefix no sibling host of the site can plant one. */
function cookieName(secure: boolean): string {
  return `${secure ? "__Host-" : ""}framework.email`;
}

/**
 * Secrets that this browser received with its requests, newest first. Each e-mail has a fresh one,
 * so a secret planted earlier is of no use for an e-mail that is yet to be sent.
 */
export function readBrowserSecrets({ request, auth }: RequestStore): string[] {
  const name = cookieName(isSecureOrigin(auth.origin()));
  const reading = readCookie(request.headers.get("cookie"), name);
  if (reading.found !== "one") return [];
  return reading.value.split(".").slice(0, KEPT_REQUESTS).filter(isSecret);
}

/** Gives the browser the secret of one more e-mail. */
export function keepBrowserSecret(store: RequestStore, secret: string, maxAge: number): void {
  const secure = isSecureOrigin(store.auth.origin());
  const value = [secret, ...readBrowserSecrets(store)].slice(0, KEPT_REQUESTS).join(".");
  store.cookiesOut.set(serializeCookie({ name: cookieName(secure), value, maxAge }, {
    secure,
    httpOnly: true,
    sameSite: "lax",
    path: "/",
    domain: null,
  }));
}
