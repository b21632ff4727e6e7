/**
 * SHA-256 and HMAC with SHA-256, by WebCrypto in workers and by `node:crypto` elsewhere, and comparison in constant
 * time.
 *
 * @module
 */

import { encodeText, toBase64Url } from "./encoding.ts";
import { type NodeCrypto, nodeCrypto } from "./runtime.ts";

/**
 * Compares two byte strings without stopping at the first difference, so that the time tells nothing
 * about where they differ. The length is not secret: a different one is simply false, never an error
 * (the platforms' own `timingSafeEqual` throws there).
 */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= a[index]! ^ b[index]!;
  return difference === 0;
}

/** The same for two texts. */
export function constantTimeEqualText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}

/**
 * HMAC with SHA-256 (RFC 2104) of texts under one key, base64url. It answers at once, or by a promise where the
 * fastest way of the platform does.
 */
export interface TextKey {
  /** Signs a text. */
  sign(text: string): string | Promise<string>;
  /** Compares a signature, in its one spelling, with the text's own. The time tells nothing about where they differ. */
  verify(text: string, signature: string): boolean | Promise<boolean>;
}

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
// Secrets of webhooks have no fewer, which others may have chosen. Keys of our own are as long as the hash (RFC 7518, 3.2).
const MIN_KEY_BYTES = 24;
const ROOM_BYTES = 12_288;

// Of 43 characters the last one holds four bits: its other two are none of the signature's, and zero.
const SIGNATURE = /^[\w-]{42}[AEIMQUYcgkosw048]$/;

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * SHA-256 (FIPS 180-4) of a text's UTF-8, base64url. It answers at once, or by a promise where the fastest way of the
 * platform does.
 */
export function hashText(text: string): string | Promise<string> {
  return nodeCrypto()?.hash?.("sha256", text, "base64url") ??
    crypto.subtle.digest("SHA-256", encodeText(text))
      .then((digest) => toBase64Url(new Uint8Array(digest)));
}

/**
 * A key of two hashes, as RFC 2104 defines HMAC: on Node that costs half of `createHmac()`, which makes an object that
 * the collector must finalize as well.
 */
function createNodeKey(key: Uint8Array, { hash }: NodeCrypto): TextKey {
  const inner = new Uint8Array(BLOCK_BYTES + ROOM_BYTES).fill(0x36, 0, BLOCK_BYTES);
  const outer = new Uint8Array(BLOCK_BYTES + DIGEST_BYTES).fill(0x5c, 0, BLOCK_BYTES);
  for (let index = 0; index < key.length; index++) {
    inner[index]! ^= key[index]!;
    outer[index]! ^= key[index]!;
  }
  const room = inner.subarray(BLOCK_BYTES);

  function sign(text: string): string {
    // A fresh array for each text would cost as much as to hash it; no token is longer than the room.
    const { read, written } = encoder.encodeInto(text, room);
    const message = read === text.length
      ? inner.subarray(0, BLOCK_BYTES + written)
      : new Uint8Array([...inner.subarray(0, BLOCK_BYTES), ...encodeText(text)]);
    const digest = hash("sha256", message, "latin1");
    for (let index = 0; index < DIGEST_BYTES; index++) {
      outer[BLOCK_BYTES + index] = digest.charCodeAt(index);
    }
    return hash("sha256", outer, "base64url");
  }

  return { sign, verify: (text, signature) => constantTimeEqualText(sign(text), signature) };
}

/** The bytes of a signature that is in its one spelling. */
function decodeSignature(signature: string): Uint8Array<ArrayBuffer> {
  const binary = atob(signature.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(DIGEST_BYTES);
  for (let index = 0; index < DIGEST_BYTES; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/**
 * A key of WebCrypto: in workers a call of it costs half of one of `node:crypto`, and leaves the collector no object of
 * the platform.
 */
function createWebKey(key: Uint8Array): TextKey {
  const { subtle } = crypto;
  let known: CryptoKey | undefined;

  // No promise is kept: another request could not wait for it.
  async function importKey(): Promise<CryptoKey> {
    const hmac = { name: "HMAC", hash: "SHA-256" };
    return known = await subtle.importKey("raw", key.slice(), hmac, false, ["sign", "verify"]);
  }

  return {
    async sign(text) {
      const signature = await subtle.sign("HMAC", known ?? await importKey(), encodeText(text));
      return toBase64Url(new Uint8Array(signature));
    },
    verify(text, signature) {
      if (!SIGNATURE.test(signature)) return false;
      const verifyBy = (known: CryptoKey) =>
        subtle.verify("HMAC", known, decodeSignature(signature), encodeText(text));
      return known === undefined ? importKey().then(verifyBy) : verifyBy(known);
    },
  };
}

/**
 * Makes a key that signs and verifies texts.
 *
 * @param key 24 to 64 bytes.
 * @param node `node:crypto`, or null for WebCrypto. Default: the faster one of the platform's.
 * @throws {TypeError} For a key of another length.
 */
export function createTextKey(
  key: Uint8Array,
  node: Partial<NodeCrypto> | null | undefined = nodeCrypto(),
): TextKey {
  if (key.length < MIN_KEY_BYTES || key.length > BLOCK_BYTES) {
    throw new TypeError("A key must have 24 to 64 bytes");
  }
  return node?.hash ? createNodeKey(key, node as NodeCrypto) : createWebKey(key);
}
