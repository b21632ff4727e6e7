import { sha256 } from "@noble/hashes/sha2.js";
import { toBase64Url } from "./encoding.ts";
import { findNativeCrypto, type NativeCrypto } from "./native_crypto.ts";

const BLOCK_BYTES = 64;
const KEY_BYTES = 32;
const DIGEST_BYTES = 32;

/** Computes the HMAC of a text or of bytes under one key. */
export type Authenticator = (message: string | Uint8Array) => Uint8Array;

const encoder = new TextEncoder();
// To encode into: a fresh array for each text costs as much as to hash it. What is longer gets one.
const room = new Uint8Array(12_288);

function bytesOf(text: string): Uint8Array {
  const { read, written } = encoder.encodeInto(text, room);
  return read === text.length ? room.subarray(0, written) : encoder.encode(text);
}

/** The hash after the one block that the key makes with a constant (RFC 2104, section 2). */
function hashAfterKey(key: Uint8Array, constant: number): ReturnType<typeof sha256.create> {
  const block = new Uint8Array(BLOCK_BYTES).fill(constant);
  for (let index = 0; index < key.length; index++) block[index]! ^= key[index]!;
  return sha256.create().update(block);
}

/**
 * HMAC with SHA-256 (RFC 2104) under one key. The two blocks that the key makes are hashed once, here, and
 * it answers at once: a call of WebCrypto costs up to ten times as much outside of workers.
 *
 * @param key 32 bytes, no fewer than the hash has (RFC 7518, 3.2).
 * @throws {TypeError} For a key of another length.
 */
export function createAuthenticator(key: Uint8Array): Authenticator {
  if (key.length !== KEY_BYTES) {
    throw new TypeError(`Cannot use a key of ${key.length} bytes: it must have ${KEY_BYTES}`);
  }
  const inner = hashAfterKey(key, 0x36);
  const outer = hashAfterKey(key, 0x5c);
  // One copy to work with, for all messages: it has answered before anybody else can ask, and to make a
  // fresh one each time costs as much as to hash a short text.
  const work = inner.clone();
  const innerDigest = new Uint8Array(DIGEST_BYTES);
  return function authenticate(message) {
    const bytes = typeof message === "string" ? bytesOf(message) : message;
    inner._cloneInto(work).update(bytes).digestInto(innerDigest);
    const digest = new Uint8Array(DIGEST_BYTES);
    outer._cloneInto(work).update(innerDigest).digestInto(digest);
    return digest;
  };
}

/**
 * The same for texts, in base64url, by the fastest that the platform has.
 *
 * @param native `node:crypto`, or null. Default: what the platform has.
 * @throws {TypeError} For a key of another length.
 */
export function createTextAuthenticator(
  key: Uint8Array,
  native: NativeCrypto | null = findNativeCrypto(),
): (text: string) => string {
  const authenticate = createAuthenticator(key);
  if (native === null) return (text) => toBase64Url(authenticate(text));
  return (text) => native.createHmac("sha256", key).update(text).digest("base64url");
}
