/**
 * Sign-in by the code from an email.
 *
 * @module
 */

import type { Endpoint, EndpointContext } from "../../core/contracts.ts";
import { ownRedirect, redirectResponse } from "../../core/redirect.ts";
import { prefersJson } from "../../core/request.ts";
import { accountOf } from "../../core/request.ts";
import { type AuthError, EmailProofError, isAuthError } from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { createPurposeKey } from "../../lib/keys.ts";
import { hashSecret, randomBytes } from "../../lib/secret.ts";
import { lookOf, pageResponse } from "../../pages/frame.ts";
import { checkMailPage, openedLinkPage } from "../../pages/mail.ts";
import { knownError } from "../../pages/trouble.ts";
import { limitAttempts, type Refund } from "../../rate_limit/sign_in.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import { type LeftBehind, readLeftAt } from "../first_proof.ts";
import { ownPage } from "../sign_in.ts";
import { type ProvenMailbox, signInByEmail } from "./magic_link.ts";
import {
  type CheckedEmail,
  type PendingSignIn,
  readBrowserSecrets,
  readPending,
  readSentTo,
} from "./pending.ts";

const CODES = 1_000_000;
// The largest multiple of the number of codes in 32 bits: what lies above would make some codes likelier.
const LIMIT = 4_294_000_000;

/** Maximum lifetime of a code in seconds (NIST SP 800-63B, 3.1.3.2: ten minutes). */
export const CODE_MAX_AGE = 600;

/** Attempts that a code allows. */
const CODE_ATTEMPTS = 5;

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

/** A code that lives, at which one more attempt has been counted. */
interface LivingCode {
  /** The secret of the browser that asked for it. */
  browserSecret: string;
  /** Hash of that secret. */
  hash: string;
  /** The mailbox. */
  identity: string;
  /** The sign-in that the right code completes. */
  pending: PendingSignIn;
}

/**
 * Counts an attempt at the code that one email brought; null when it lives no more. It counts before anything is
 * compared, so that no number of attempts at once is more than the allowed ones (GHSA-7w99).
 */
async function countAttempt(
  { store: { auth: { settings } } }: EndpointContext,
  browserSecret: string,
): Promise<LivingCode | null> {
  const hash = await hashSecret(browserSecret);
  const stored = await groupOf(settings.storage, sentSecretGroup)
    .countAttempt("email-code", hash, { now: settings.now(), max: CODE_ATTEMPTS });
  const pending = stored && readPending(stored);
  return stored?.identifier && pending
    ? { browserSecret, hash, identity: stored.identifier, pending }
    : null;
}

/**
 * Counts a try against every mailbox whose codes it is compared with: with a new email a code has new attempts, these
 * go on. What is compared with nothing counts against no mailbox: else whoever has one email sent could use up all
 * tries of its owner.
 *
 * @returns What takes the try at a mailbox back.
 */
async function countTry(
  context: EndpointContext,
  provider: string,
  { living, browserSecrets }: { living: readonly LivingCode[]; browserSecrets: readonly string[] },
): Promise<Map<string, Refund>> {
  const refunds = new Map<string, Refund>();
  const names = new Set(living.map(({ identity }) => identity));
  // As long as for a code that lives: the time does not tell whether one was sent.
  if (names.size === 0 && browserSecrets.length > 0) {
    names.add(await hashSecret(browserSecrets[0]!));
  }
  for (const identifier of names) {
    const attempt = { of: "login", provider, identifier, apart: "code" } as const;
    refunds.set(identifier, await limitAttempts(context, attempt));
  }
  return refunds;
}

/**
 * Finds the email that a code came with: one of those that this browser has asked for.
 *
 * @throws {EmailProofError} When it is none of theirs.
 * @throws {RateLimitedError} When there have been too many tries.
 */
async function findProof(
  context: EndpointContext,
  provider: string,
  { typed, mailboxes }: { typed: string | undefined; mailboxes: Set<string> },
): Promise<ProvenMailbox> {
  const code = readCode(typed);
  if (code !== null) {
    const browserSecrets = readBrowserSecrets(context.store);
    const living = (await Promise.all(browserSecrets.map((one) => countAttempt(context, one))))
      .filter((one) => one !== null);
    for (const { identity } of living) mailboxes.add(identity);
    const refunds = await countTry(context, provider, { living, browserSecrets });
    for (const { identity, pending, hash, browserSecret } of living) {
      if (!await codeMatches(code, pending.digest, { browserSecret, identity })) continue;
      // Of this mailbox alone: at the others it was a guess.
      refunds.get(identity)!();
      return { identity, pending, secret: { purpose: "email-code", hash } };
    }
  }
  throw new EmailProofError(undefined, { code: "INVALID_CODE" });
}

/** Says what ends with this first proof of a mailbox, and asks; nothing is taken yet. */
function askFirst(
  { store }: EndpointContext,
  { id }: CheckedEmail,
  { code, ends }: { code: string; ends: LeftBehind },
): Response {
  const { basePath, trustedOrigins } = store.auth.settings;
  const look = lookOf(store);
  const page = openedLinkPage(look, {
    action: `${basePath}/callback/${id}/code`,
    hidden: { code, ends: "agreed" },
    address: null,
    about: "sign-in",
    ends,
  });
  return pageResponse(look, page, { formOrigins: trustedOrigins });
}

/** `POST /callback/<id>/code`: signs in with the code from an email, in the browser that asked for it. */
export function codeEndpoint(provider: CheckedEmail): Endpoint {
  return async function signInWithCode(context) {
    const { request, report } = context.store;
    const fields = await readFields(request, { optional: false });
    const mailboxes = new Set<string>();
    try {
      const proof = await findProof(context, provider.id, { typed: fields.get("code"), mailboxes });
      const hasAgreed = fields.get("ends") === "agreed" || prefersJson(request);
      const ends = hasAgreed ? null : await readLeftAt(context.store, proof.identity);
      if (ends !== null) {
        return askFirst(context, provider, { code: fields.get("code") ?? "", ends });
      }
      return await signInByEmail(context, provider, proof);
    } catch (error) {
      if (!isAuthError(error) || error.status >= 500 || error.code === "RATE_LIMITED") throw error;
      const [mailbox] = mailboxes;
      const account = await accountOf(context.store.auth.settings, mailbox);
      report({ type: "sign-in-failed", code: error.code, provider: provider.id, ...account });
      if (prefersJson(request)) throw error;
      return await codeFailurePage(error, context, provider, fields.get("code"));
    }
  };
}

/** The built-in page on which a visitor waits for the mail, with a form for the code if there are codes. */
function waitPage(
  { store }: EndpointContext,
  { id, code }: CheckedEmail,
  { error = null, status = 200, resent = false, typed }: {
    error?: string | null;
    status?: number;
    resent?: boolean;
    typed?: string | undefined;
  } = {},
): Response {
  const { basePath, pages, trustedOrigins } = store.auth.settings;
  const look = lookOf(store);
  const sent = readSentTo(store);
  const problem = knownError(look, error);
  const isOfCode = error === "INVALID_CODE";
  const page = checkMailPage(look, {
    address: sent?.address ?? null,
    code: code
      ? {
        action: `${basePath}/callback/${id}/code`,
        ...isOfCode && { value: typed, error: problem },
      }
      : null,
    resend: sent === null ? null : {
      action: `${basePath}/signin/${id}`,
      hidden: { email: sent.address, callbackUrl: sent.callbackUrl, again: "1" },
    },
    resent,
    change: pages.signIn,
    error: isOfCode ? null : problem,
  });
  return pageResponse(look, page, { status, formOrigins: trustedOrigins });
}

/** `GET /verify-request`: the built-in page, or the way to the application's own. */
export function verifyRequestEndpoint(provider: CheckedEmail): Endpoint {
  return function showVerifyRequest(context) {
    const { settings: { basePath, pages }, origin } = context.store.auth;
    if (pages.verifyRequest !== `${basePath}/verify-request`) {
      return redirectResponse(ownRedirect(pages.verifyRequest, origin()), 302);
    }
    const resent = context.url.searchParams.get("sent") === "again";
    return waitPage(context, provider, { resent });
  };
}

/** Page for another attempt with a code, with the reason and its status. */
async function codeFailurePage(
  error: AuthError,
  context: EndpointContext,
  provider: CheckedEmail,
  typed: string | undefined,
): Promise<Response> {
  const { settings: { pages }, origin } = context.store.auth;
  const address = ownRedirect(pages.verifyRequest, origin(), { error: error.code });
  return await ownPage(address, error.status, context) ??
    waitPage(context, provider, { error: error.code, status: error.status, typed });
}
