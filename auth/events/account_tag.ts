import type { Settings } from "../config/settings.ts";
import { encodeText, toBase64Url } from "../crypto/encoding.ts";
import { derivePurposeKey } from "../crypto/purpose_key.ts";
import type { Auth } from "../http/create_auth.ts";
import { settingsOf } from "../http/settings_of.ts";
import { canonicalIdentifier } from "../rate_limit/limit_key.ts";
import { storageKeyOf } from "../storage/storage_key.ts";

const keys = new WeakMap<Settings, CryptoKey | null>();

async function readKey({ secrets, hasDatabase, storage }: Settings): Promise<CryptoKey | null> {
  const secret = secrets[0] ?? (hasDatabase ? await storageKeyOf(storage) : null);
  if (secret === null) return null;
  const key = await derivePurposeKey(secret, "account-tag");
  // By WebCrypto on every platform: nobody waits for it who signs in.
  return await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
}

/** As {@linkcode accountTag}. Nothing fails for want of it: whoever is refused is told so also without an entry. */
export async function tagAccount(
  settings: Settings,
  identifier: string,
): Promise<string | undefined> {
  try {
    let key = keys.get(settings);
    if (key === undefined) keys.set(settings, key = await readKey(settings));
    if (key === null) return undefined;
    const text = encodeText(canonicalIdentifier(identifier));
    return toBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", key, text)));
  } catch (error) {
    settings.logger.error("account-tag-failed", { error });
    return undefined;
  }
}

/**
 * The name under which events speak of an account, `account` of `sign-in-failed` and `rate-limited`: HMAC-SHA-256 of what
 * was typed to say who it is, in one spelling, under a key for this purpose alone. It is the same for an account that
 * exists and for one that does not. The key comes of the first `secret`, or without one of a random text that the
 * tables hold: with another secret the names are others.
 *
 * @param auth What `createAuth()` made.
 * @param identifier E-mail address or name, as somebody types it.
 * @param env Environment of the application.
 * @returns 43 characters of base64url; undefined when there is neither a secret nor a key in the database.
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
): Promise<string | undefined> {
  return await tagAccount(settingsOf(auth, env), identifier);
}
