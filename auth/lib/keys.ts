/**
 * Keys derived for one purpose each, and texts sealed with them.
 *
 * @module
 */

import { createTextCipher, type TextCipher } from "./cipher.ts";
import { encodeText, fromBase64, toBase64Url } from "./encoding.ts";
import { createTextKey, type TextKey } from "./hash.ts";

/**
 * Purpose of a key. Two purposes never share a key, so a value made for one is invalid for the
 * other.
 */
type KeyPurpose =
  | "session-jwt"
  | "email-code"
  | "oauth-transaction"
  | "provider-token"
  | "account-tag"
  | "second-factor"
  | "webhook-secret"
  | "device-challenge";

/**
 * The key for one purpose, from a secret of the application: HKDF with SHA-256 (RFC 5869). Whoever brings a
 * text that was signed for another purpose brings one that was signed with another key (CVE-2023-48309). By
 * WebCrypto on every platform: that alone costs a worker nothing to load.
 *
 * @returns 32 bytes.
 */
export async function derivePurposeKey(
  secret: string,
  purpose: KeyPurpose,
): Promise<Uint8Array<ArrayBuffer>> {
  const from = await crypto.subtle.importKey("raw", encodeText(secret), "HKDF", false, [
    "deriveBits",
  ]);
  // One of its own for all keys (RFC 5869, 3.1).
  const salt = await crypto.subtle.digest("SHA-256", encodeText("@framework/auth"));
  const hkdf = { name: "HKDF", hash: "SHA-256", salt, info: encodeText(purpose) };
  return new Uint8Array(await crypto.subtle.deriveBits(hkdf, from, 256));
}

/** Signs and verifies texts for one purpose. The key is derived when it is first needed. */
export function createPurposeKey(secret: string, purpose: KeyPurpose): TextKey {
  let known: TextKey | undefined;

  // No promise is kept: another request could not wait for it.
  async function derive(): Promise<TextKey> {
    return known = createTextKey(await derivePurposeKey(secret, purpose));
  }

  function use<T>(work: (key: TextKey) => T | Promise<T>): T | Promise<T> {
    return known === undefined ? derive().then(work) : work(known);
  }

  return {
    sign: (text) => use((key) => key.sign(text)),
    verify: (text, signature) => use((key) => key.verify(text, signature)),
  };
}

/** Context of a sealed text. */
export interface SealOptions {
  /** The secrets of the application: the first seals, all open. */
  secrets: readonly string[];
  /** The purpose, which decides the key. */
  purpose: KeyPurpose;
  /** Associated data: a text opens only with the same value. Default "". */
  place?: string;
}

// The first part of every sealed text, so that another way to seal can be told from this one.
const VERSION = "1.";

/** Associated data: a text opens for the purpose and at the place for which it was sealed. */
function associatedData({ purpose, place = "" }: SealOptions): string {
  return `${VERSION}${purpose}\0${place}`;
}

// Keys that have been derived, as long as the list of their secrets is there: to derive one takes longer than to seal and
// to open a text. No promises: another request could not wait for them.
const derived = new WeakMap<readonly string[], Map<string, TextCipher>>();

async function deriveCipher(
  secret: string,
  { secrets, purpose }: SealOptions,
): Promise<TextCipher> {
  const ciphers = derived.get(secrets) ?? new Map<string, TextCipher>();
  derived.set(secrets, ciphers);
  const name = `${purpose} ${secret}`;
  const known = ciphers.get(name);
  if (known !== undefined) return known;
  const cipher = createTextCipher(await derivePurposeKey(secret, purpose));
  ciphers.set(name, cipher);
  return cipher;
}

async function sealWith(cipher: TextCipher, text: string, options: SealOptions): Promise<string> {
  return VERSION + toBase64Url(await cipher.encrypt(text, associatedData(options)));
}

/** Bytes of a sealed text; null for what is none. */
function readSealed(sealed: string): Uint8Array | null {
  if (!sealed.startsWith(VERSION)) return null;
  return fromBase64(sealed.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/"));
}

/** Seals a text with AES-256-GCM (NIST SP 800-38D) under a key of its purpose and a random nonce. */
export async function seal(text: string, options: SealOptions): Promise<string> {
  return await sealWith(await deriveCipher(options.secrets[0]!, options), text, options);
}

/** Opens what {@linkcode seal} made; null for anything else, also for another purpose or place. */
export async function unseal(sealed: string, options: SealOptions): Promise<string | null> {
  const bytes = readSealed(sealed);
  if (bytes === null) return null;
  for (const secret of options.secrets) {
    const cipher = await deriveCipher(secret, options);
    const opened = await cipher.decrypt(bytes, associatedData(options));
    if (opened !== null) return opened;
  }
  return null;
}

/**
 * Makes a function that seals texts anew: each key is derived once for all of them. What the first secret has sealed it
 * returns as it is, what another has, sealed by the first, and null for what none opens.
 */
export async function createResealer(
  options: Omit<SealOptions, "place">,
): Promise<(sealed: string, place: string) => Promise<string | null>> {
  const [newest, ...older] = await Promise.all(
    options.secrets.map((secret) => deriveCipher(secret, options)),
  );
  return async (sealed, place) => {
    const own = { ...options, place };
    const bytes = readSealed(sealed);
    if (bytes === null) return null;
    const associated = associatedData(own);
    if (await newest!.decrypt(bytes, associated) !== null) return sealed;
    for (const cipher of older) {
      const text = await cipher.decrypt(bytes, associated);
      if (text !== null) return await sealWith(newest!, text, own);
    }
    return null;
  };
}
