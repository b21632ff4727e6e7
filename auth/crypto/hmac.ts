import { assertKeyLength, encodeInRoom } from "./key_input.ts";
import { hmacSha256 } from "./portable_sha256.ts";

/** Computes the HMAC of a text or of bytes under one key. */
export type Authenticator = (message: string | Uint8Array) => Uint8Array;

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
