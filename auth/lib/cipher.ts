/**
 * AES-256-GCM (NIST SP 800-38D), by WebCrypto in workers and by `node:crypto` elsewhere.
 *
 * @module
 */

import { encodeText } from "./encoding.ts";
import { type NodeCrypto, nodeCrypto } from "./runtime.ts";
import { randomBytes } from "./secret.ts";

/** Encrypts and decrypts texts under one key: each with a random nonce before it and its tag behind it. */
export interface TextCipher {
  /** Encrypts a text. It opens only with the same associated data. */
  encrypt(text: string, associated: string): Uint8Array | Promise<Uint8Array>;
  /** Decrypts what this key has encrypted with the same associated data; null for anything else. */
  decrypt(bytes: Uint8Array, associated: string): string | null | Promise<string | null>;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

// What was encrypted comes back as it was, also a text that begins with the mark.
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });

/** Random: of 96 bits no two meet in 2^32 texts of a key (NIST SP 800-38D, 8.3). */
function makeNonce(): Uint8Array {
  return randomBytes(NONCE_BYTES);
}

function concatenate(...parts: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A key of `node:crypto`. */
function createNodeCipher(key: Uint8Array, node: NodeCrypto): TextCipher {
  const { createCipheriv, createDecipheriv } = node;
  const name = "aes-256-gcm";
  // Without it a tag of four bytes would open as well, and be guessed.
  const options = { authTagLength: TAG_BYTES };

  return {
    encrypt(text, associated) {
      const nonce = makeNonce();
      const cipher = createCipheriv(name, key, nonce, options);
      cipher.setAAD(encodeText(associated));
      const encrypted = cipher.update(encodeText(text));
      // Returns nothing: this mode has no blocks to fill.
      cipher.final();
      return concatenate(nonce, encrypted, cipher.getAuthTag());
    },
    decrypt(bytes, associated) {
      const end = bytes.length - TAG_BYTES;
      if (end < NONCE_BYTES) return null;
      const decipher = createDecipheriv(name, key, bytes.subarray(0, NONCE_BYTES), options);
      decipher.setAAD(encodeText(associated));
      decipher.setAuthTag(bytes.subarray(end));
      const decrypted = decipher.update(bytes.subarray(NONCE_BYTES, end));
      try {
        // Compares the tag: nothing is read before.
        decipher.final();
      } catch {
        return null;
      }
      return decoder.decode(decrypted);
    },
  };
}

/** A key of WebCrypto. */
function createWebCipher(key: Uint8Array): TextCipher {
  const { subtle } = crypto;
  let known: CryptoKey | undefined;

  // No promise is kept: another request could not wait for it.
  async function importKey(): Promise<CryptoKey> {
    return known = await subtle.importKey("raw", key.slice(), "AES-GCM", false, [
      "encrypt",
      "decrypt",
    ]);
  }

  function parameters(nonce: Uint8Array, associated: string): AesGcmParams {
    return {
      name: "AES-GCM",
      iv: nonce as BufferSource,
      additionalData: encodeText(associated),
      tagLength: 8 * TAG_BYTES,
    };
  }

  return {
    async encrypt(text, associated) {
      const nonce = makeNonce();
      const encrypted = await subtle.encrypt(
        parameters(nonce, associated),
        known ?? await importKey(),
        encodeText(text),
      );
      return concatenate(nonce, new Uint8Array(encrypted));
    },
    async decrypt(bytes, associated) {
      const nonce = bytes.slice(0, NONCE_BYTES);
      const key = known ?? await importKey();
      try {
        const text = bytes.slice(NONCE_BYTES);
        const decrypted = await subtle.decrypt(parameters(nonce, associated), key, text);
        return decoder.decode(decrypted);
      } catch {
        return null;
      }
    },
  };
}

/**
 * Makes a key that encrypts and decrypts texts.
 *
 * @param key 32 bytes.
 * @param node `node:crypto`, or null for WebCrypto. Default: the faster one of the platform's.
 * @throws {TypeError} For a key of another length.
 */
export function createTextCipher(
  key: Uint8Array,
  node: Partial<NodeCrypto> | null | undefined = nodeCrypto(),
): TextCipher {
  if (key.length !== KEY_BYTES) throw new TypeError("A key must have 32 bytes");
  return node?.createCipheriv && node.createDecipheriv
    ? createNodeCipher(key, node as NodeCrypto)
    : createWebCipher(key);
}
