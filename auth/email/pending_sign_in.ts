import type { SecretRecord } from "../storage/secret_storage.ts";
import type { SentSecretRecord } from "../storage/sent_secret_storage.ts";
import type { EmailAddress } from "../users/email_address.ts";

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
