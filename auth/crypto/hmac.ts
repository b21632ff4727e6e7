import { toBase64Url } from "./encoding.ts";
import { findNativeCrypto, type NativeCrypto } from "./native_crypto.ts";
import { hmacSha256 } from "./sha256.ts";

const KEY_BYTES = 32;

/** Computes the HMAC of a text or of bytes under one key. */
export type Authenticator = (message: string | Uint8Array) => Uint8Array;

const encoder = /* @__PURE__ */ new TextEncoder();
// To encode into: a fresh array for each text costs as much as to hash it. What is longer gets one.
const room = /* @__PURE__ */ new Uint8Array(12_288);

function bytesOf(text: string): Uint8Array {
  const { read, written } = encoder.encodeInto(text, room);
  return read === text.length ? room.subarray(0, written) : encoder.encode(text);
}

/**
 * HMAC with SHA-256 (RFC 2104) under one key. It answers at once: a call of WebCrypto costs up to ten times
 * as much outside of workers.
 *
 * @param key 32 bytes, no fewer than the hash has (RFC 7518, 3.2).
 * @throws {TypeError} For a key of another length.
 */
export function createAuthenticator(key: Uint8Array): Authenticator {
  if (key.length !== KEY_BYTES) {
    throw new TypeError(`Cannot use a key of ${key.length} bytes: it must have ${KEY_BYTES}`);
  }
  const authenticate = hmacSha256(key);
  return (message) => authenticate(typeof message === "string" ? bytesOf(message) : message);
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
