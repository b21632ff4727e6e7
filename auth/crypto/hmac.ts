import { hmacSha256 } from "./sha256.ts";

const KEY_BYTES = 32;

/** Computes the HMAC of a text or of bytes under one key. */
export type Authenticator = (message: string | Uint8Array) => Uint8Array;

const encoder = /* @__PURE__ */ new TextEncoder();
// To encode into: a fresh array for each text costs as much as to hash it. What is longer gets one.
const room = /* @__PURE__ */ new Uint8Array(12_288);

/** The UTF-8 of a text, until the next one is asked for. */
export function encodeInRoom(text: string): Uint8Array<ArrayBuffer> {
  const { read, written } = encoder.encodeInto(text, room);
  return read === text.length ? room.subarray(0, written) : encoder.encode(text);
}

/**
 * Makes sure that a key is as long as the hash (RFC 7518, 3.2).
 *
 * @throws {TypeError} For a key of another length.
 */
export function assertKeyLength({ length }: Uint8Array): void {
  if (length === KEY_BYTES) return;
  throw new TypeError(`Cannot use a key of ${length} bytes: it must have ${KEY_BYTES}`);
}

/**
 * HMAC with SHA-256 (RFC 2104) under one key. It answers at once: a call of WebCrypto costs up to ten times
 * as much outside of workers.
 *
 * @param key 32 bytes.
 * @throws {TypeError} For a key of another length.
 */
export function createAuthenticator(key: Uint8Array): Authenticator {
  assertKeyLength(key);
  const authenticate = hmacSha256(key);
  return (message) => authenticate(typeof message === "string" ? encodeInRoom(message) : message);
}
