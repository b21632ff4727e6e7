import { encodeText, fromBase64, toBase64Url } from "./encoding.ts";
import { derivePurposeKey, type KeyPurpose } from "./purpose_key.ts";
import { randomBytes } from "./token.ts";

/** What a text is sealed for. */
export interface SealOptions {
  /** The secrets of the application: the first seals, all open. */
  secrets: readonly string[];
  /** The purpose, which decides the key. */
  purpose: KeyPurpose;
  /** Where the text belongs. It opens in no other place. Default "". */
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
