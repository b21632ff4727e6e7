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

async function deriveKey(
  secret: string,
  { purpose }: SealOptions,
  usage: "encrypt" | "decrypt",
): Promise<CryptoKey> {
  const key = await derivePurposeKey(secret, purpose);
  return await crypto.subtle.importKey("raw", key, "AES-GCM", false, [usage]);
}

/** Seals a text with AES-256-GCM (NIST SP 800-38D) under a key of its purpose and a random nonce. */
export async function seal(text: string, options: SealOptions): Promise<string> {
  const iv = randomBytes(IV_BYTES);
  const key = await deriveKey(options.secrets[0]!, options, "encrypt");
  const sealed = new Uint8Array(
    await crypto.subtle.encrypt(cipher(options, iv), key, encodeText(text)),
  );
  const bytes = new Uint8Array(IV_BYTES + sealed.length);
  bytes.set(iv);
  bytes.set(sealed, IV_BYTES);
  return VERSION + toBase64Url(bytes);
}

/** Opens what {@linkcode seal} made; null for anything else, also for another purpose or place. */
export async function unseal(sealed: string, options: SealOptions): Promise<string | null> {
  if (!sealed.startsWith(VERSION)) return null;
  const text = sealed.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/");
  const bytes = fromBase64(text);
  if (bytes === null || bytes.length <= IV_BYTES) return null;
  const parameters = cipher(options, bytes.slice(0, IV_BYTES));
  for (const secret of options.secrets) {
    const key = await deriveKey(secret, options, "decrypt");
    try {
      const opened = await crypto.subtle.decrypt(parameters, key, bytes.slice(IV_BYTES));
      return new TextDecoder().decode(opened);
    } catch {
      // Sealed with another of the secrets, or not by this application.
    }
  }
  return null;
}
