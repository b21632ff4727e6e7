/**
 * The guard of accounts at which somebody can guess: known browsers, and names of accounts in
 * events.
 *
 * @module
 */

import type { AccountGuard, Settings } from "../core/contracts.ts";
import { readSecretCookie, writeHostCookie } from "../session/cookie.ts";
import { MAX_COOKIE_AGE } from "../lib/cookie.ts";
import { canonicalIdentifier, parseEmailAddress } from "../lib/email_address.ts";
import { encodeText, toBase64Url } from "../lib/encoding.ts";
import { hashText } from "../lib/hash.ts";
import { derivePurposeKey } from "../lib/keys.ts";
import { createSecret } from "../lib/secret.ts";
import type { Auth } from "../session/context_auth.ts";
import { settingsOf } from "../session/settings_of.ts";
import { databaseKeyOf } from "../storage/database_key.ts";
import { knownBrowserGroup, type KnownBrowserStorage } from "../storage/known_browsers.ts";

const keys = new WeakMap<Settings, { secret: string; key: CryptoKey }>();

async function keyOf(settings: Settings): Promise<CryptoKey> {
  const secret = settings.secrets[0] ?? await databaseKeyOf(settings.storage);
  const known = keys.get(settings);
  if (known?.secret === secret) return known.key;
  const bytes = await derivePurposeKey(secret, "account-tag");
  // By WebCrypto on every platform: nobody waits for it who signs in.
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  keys.set(settings, { secret, key });
  return key;
}

/** As {@linkcode accountTag}. */
async function tagAccount(settings: Settings, identifier: string): Promise<string> {
  const text = encodeText(canonicalIdentifier(identifier));
  return toBase64Url(
    new Uint8Array(await crypto.subtle.sign("HMAC", await keyOf(settings), text)),
  );
}

/**
 * The name under which events speak of an account, `account` of `sign-in-failed` and `rate-limited`: HMAC-SHA-256 of
 * what was typed to say who it is, in one spelling, under a key for this purpose alone. It is the same for an account
 * that exists and for one that does not. The key is derived from the first `secret`, or without one from a random text
 * that the tables hold: with another secret the names are others.
 *
 * @param auth What `createAuth()` made.
 * @param identifier Email address or name, as somebody types it.
 * @param env Environment of the application.
 * @returns 43 characters of base64url.
 *
 * @example
 * ```ts
 * import { accountTag, createAuth, createMemoryStorage } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const tag = await accountTag(auth, "ada@example.com", {});
 * equal(await accountTag(auth, " Ada@Example.com", {}), tag);
 * ```
 */
export async function accountTag<Env>(
  auth: Auth<Env>,
  identifier: string,
  env: Env,
): Promise<string> {
  return await tagAccount(settingsOf(auth, env), identifier);
}

const COOKIE = "framework.known";

/** The mailbox of an identifier that is an address; null for any other. */
function mailboxOf(identifier: string): string | null {
  return parseEmailAddress(identifier)?.identity ?? null;
}

/**
 * Hash stored for a known browser. It covers the identifier typed there and serves no other, so one
 * id works for all users of a browser without the table linking them. A name counts as it was typed: where
 * "ada" and "ADA" are two users, neither is known as the other.
 */
async function hashOf(id: string, identifier: string): Promise<string> {
  return await hashText(`${id}\n${mailboxOf(identifier) ?? identifier}`);
}

function storageOf(settings: Settings): KnownBrowserStorage | null {
  return settings.hasDatabase ? settings.storage.group?.(knownBrowserGroup) ?? null : null;
}

/**
 * Guard of the accounts at which somebody can guess. Browsers in which their owners have signed in are known, as
 * "device cookies" (OWASP, Slow Down Online Guessing Attacks with Device Cookies): what strangers guess at an account
 * does not use up the attempts that they have there.
 */
export const ACCOUNT_GUARD: AccountGuard = {
  async find(store, identifier, { proved, userId = null }) {
    const id = readSecretCookie(store, COOKIE);
    const browsers = id === null ? null : storageOf(store.auth.settings);
    if (id === null || browsers === null) return null;
    const hash = await hashOf(id, identifier);
    const { now } = store.auth.settings;
    const asked = { now: now(), proved, emailIdentity: mailboxOf(identifier), userId };
    return await browsers.isKnownBrowser(hash, asked) ? hash : null;
  },
  async remember(store, { userId, identifier, email, conditions }) {
    const browsers = storageOf(store.auth.settings);
    if (browsers === null) return;
    const { now, logger } = store.auth.settings;
    const id = readSecretCookie(store, COOKIE) ?? createSecret();
    const createdAt = now();
    const expiresAt = createdAt + MAX_COOKIE_AGE * 1000;
    try {
      const put = async (name: string, emailIdentity: string | null): Promise<string> => {
        const browser = { idHash: await hashOf(id, name), userId, createdAt, expiresAt };
        await browsers.putKnownBrowser(browser, { ...conditions, keep: 10, emailIdentity });
        return mailboxOf(name) ?? name;
      };
      const typed = identifier === null ? null : await put(identifier, null);
      const mailbox = email === null ? null : mailboxOf(email);
      // An address that the user only claims would open the door of somebody else.
      if (mailbox !== null && mailbox !== typed) await put(email!, mailbox);
    } catch (error) {
      // Who is signed in stays so; strangers can keep them out of their next sign-in, and no longer than a day.
      return logger.error("known-browser-not-stored", { error });
    }
    writeHostCookie(store, { name: COOKIE, value: id, maxAge: MAX_COOKIE_AGE });
  },
  async forget(settings, userId) {
    await storageOf(settings)?.dropKnownBrowsers(userId);
  },
  tag: tagAccount,
};
