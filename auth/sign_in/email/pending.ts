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

/** What `sendVerificationRequest` gets besides. */
export interface EmailContext<Env = DefaultEnv> extends AuthContext<Env> {
  /** The sender, as configured. */
  from: string;
  /** Aborts when the library stops waiting, after 10 seconds. */
  signal: AbortSignal;
}

/** What `email()` takes: the sender, what delivers, and how long a link holds. */
export interface EmailConfig<Env = DefaultEnv> {
  /** Its name in addresses and in the list of providers. Default 'email'. */
  id?: string;
  /** Its name on the sign-in page. Default 'E-mail'. */
  name?: string;
  /** The sender, such as "App <hello@app.example>". */
  from: string;
  /** How long a link holds, in seconds, up to a year. Default 86400. */
  maxAge?: number;
  /**
   * Whether a link holds only in the browser that asked for it. Default false: the page behind the link
   * says so, and asks.
   */
  sameBrowser?: boolean;
  /**
   * Whether there is a code of six digits too, to be typed where it was asked for. It holds ten minutes and
   * five attempts, and only in that browser. Default false.
   */
  code?: boolean;
  /**
   * Delivers the link. What it throws, or 10 seconds without an end, is answered with EMAIL_NOT_SENT.
   *
   * It is called for known and unknown addresses alike.
   */
  sendVerificationRequest(params: EmailParams, context: EmailContext<Env>): Promise<void>;
}

/** What is checked of the configuration. */
export interface CheckedEmail extends Required<Omit<EmailConfig, "sendVerificationRequest">> {
  /** See {@linkcode EmailConfig}. */
  send(params: EmailParams, context: EmailContext<unknown>): Promise<void>;
}

/** What an e-mail holds. Each is looked up under its own purpose, so that none opens what another does. */
export type EmailPurpose = "email-link" | "email-link-used" | "email-code";

/** How many requests of its own a browser remembers: who asks again may find the first e-mail first. */
export const KEPT_REQUESTS = 3;

/**
 * How many e-mails of one address hold at a time: what strangers can have sent in three hours, by the default limits,
 * leaves that of its owner.
 */
export const KEPT_MAILS = 20;

/** What is stored between the e-mail and its use. */
export interface PendingSignIn {
  /** The address as it was typed. */
  address: string;
  /** Where to go after sign-in; it has passed the redirect guard. */
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

/** What such a record says; null for a row that cannot be read, which counts as absent. */
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

/** How long a code holds at most, in seconds (NIST SP 800-63B, 3.1.3.2: ten minutes). */
export const CODE_MAX_AGE = 600;

/** How often a code may be guessed. */
export const CODE_ATTEMPTS = 5;

/** Six random digits, all equally likely. */
export function createCode(): string {
  for (;;) {
    const bytes = randomBytes(4);
    const number = new DataView(bytes.buffer).getUint32(0);
    if (number < LIMIT) return String(number % CODES).padStart(6, "0");
  }
}

/** What was typed as a code, without blanks; null when it can be none. */
export function readCode(typed: string | undefined): string | null {
  const code = typed?.normalize("NFKC").replace(/[\s-]/g, "");
  return code !== undefined && /^[0-9]{6}$/.test(code) ? code : null;
}

/** What a code is bound to. */
export interface CodeBounds {
  /** The secret of the browser that asked. */
  browserSecret: string;
  /** The mailbox. */
  identity: string;
}

/**
 * What is stored of a code: its signature by a key that only the browser that asked can make. A million
 * codes are tried out in no time, so a hash alone would give them away to whoever reads the table.
 */
export async function codeDigest(
  code: string,
  { browserSecret, identity }: CodeBounds,
): Promise<string> {
  return await createPurposeKey(browserSecret, "email-code").sign(`${code}\n${identity}`);
}

/** Whether a code makes this digest. The time tells nothing about where they differ. */
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
 * What this browser was given when it asked for e-mails, the newest first. One secret per e-mail, and
 * always a new one, so that what was here before stands for no e-mail that is still to come.
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
