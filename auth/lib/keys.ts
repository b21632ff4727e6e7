/**
 * Keys derived for one purpose each, and texts sealed with them.
 *
 * @module
 */

import { encodeText, fromBase64, toBase64Url } from "./encoding.ts";
import { createTextKey, type TextKey } from "./hash.ts";
import { randomBytes } from "./secret.ts";

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
const IV_BYTES = 12;

function cipher({ purpose, place = "" }: SealOptions, iv: Uint8Array): AesGcmParams {
  return {
    name: "AES-GCM",
    iv: iv as BufferSource,
    additionalData: encodeText(`${VERSION}${purpose}\0${place}`),
  };
}

// Keys that have been derived, as long as the list of their secrets is there: to derive one takes longer than to seal and
// to open a text. No promises: another request could not wait for them.
const derived = new WeakMap<readonly string[], Map<string, CryptoKey>>();

async function deriveKey(secret: string, { secrets, purpose }: SealOptions): Promise<CryptoKey> {
  const keys = derived.get(secrets) ?? new Map<string, CryptoKey>();
  derived.set(secrets, keys);
  const name = `${purpose} ${secret}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  const bytes = await derivePurposeKey(secret, purpose);
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  keys.set(name, key);
  return key;
}

async function sealWith(key: CryptoKey, text: string, options: SealOptions): Promise<string> {
  const iv = randomBytes(IV_BYTES);
  const sealed = new Uint8Array(
    await crypto.subtle.encrypt(cipher(options, iv), key, encodeText(text)),
  );
  const bytes = new Uint8Array(IV_BYTES + sealed.length);
  bytes.set(iv);
  bytes.set(sealed, IV_BYTES);
  return VERSION + toBase64Url(bytes);
}

/** Bytes of a sealed text; null for what is none. */
function readSealed(sealed: string): Uint8Array | null {
  if (!sealed.startsWith(VERSION)) return null;
  const text = sealed.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/");
  const bytes = fromBase64(text);
  return bytes === null || bytes.length <= IV_BYTES ? null : bytes;
}

/** Opens what one key has sealed; null for what another has, or nobody. */
async function openWith(
  key: CryptoKey,
  bytes: Uint8Array,
  options: SealOptions,
): Promise<string | null> {
  const parameters = cipher(options, bytes.slice(0, IV_BYTES));
  try {
    const opened = await crypto.subtle.decrypt(parameters, key, bytes.slice(IV_BYTES));
    return new TextDecoder().decode(opened);
  } catch {
    return null;
  }
}

/** Seals a text with AES-256-GCM (NIST SP 800-38D) under a key of its purpose and a random nonce. */
export async function seal(text: string, options: SealOptions): Promise<string> {
  return await sealWith(
    await deriveKey(options.secrets[0]!, options),
    text,
    options,
  );
}

/** Opens what {@linkcode seal} made; null for anything else, also for another purpose or place. */
export async function unseal(sealed: string, options: SealOptions): Promise<string | null> {
  const bytes = readSealed(sealed);
  if (bytes === null) return null;
  for (const secret of options.secrets) {
    const opened = await openWith(await deriveKey(secret, options), bytes, options);
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
    options.secrets.map((secret) => deriveKey(secret, options)),
  );
  return async (sealed, place) => {
    const own = { ...options, place };
    const bytes = readSealed(sealed);
    if (bytes === null) return null;
    if (await openWith(newest!, bytes, own) !== null) return sealed;
    for (const key of older) {
      const text = await openWith(key, bytes, own);
      if (text !== null) return await sealWith(newest!, text, own);
    }
    return null;
  };
}
