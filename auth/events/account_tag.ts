import { encodeText, toBase64Url } from "../crypto/encoding.ts";
import { derivePurposeKey } from "../crypto/purpose_key.ts";
import { type Auth, settingsOf } from "../http/settings_of.ts";
import { canonicalIdentifier } from "../rate_limit/limit_key.ts";
import { databaseKeyOf } from "../storage/database_key.ts";
import type { Settings } from "../http/contracts.ts";

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
export async function tagAccount(settings: Settings, identifier: string): Promise<string> {
  const text = encodeText(canonicalIdentifier(identifier));
  return toBase64Url(
    new Uint8Array(await crypto.subtle.sign("HMAC", await keyOf(settings), text)),
  );
}

/**
 * The name under which events speak of an account, `account` of `sign-in-failed` and `rate-limited`: HMAC-SHA-256 of what
 * was typed to say who it is, in one spelling, under a key for this purpose alone. It is the same for an account that
 * exists and for one that does not. The key is derived from the first `secret`, or without one from a random text that
 * the tables hold: with another secret the names are others.
 *
 * @param auth What `createAuth()` made.
 * @param identifier E-mail address or name, as somebody types it.
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
