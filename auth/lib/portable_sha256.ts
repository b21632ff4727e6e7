import { sha256 as begin } from "@noble/hashes/sha2.js";
import { toBase64Url } from "./encoding.ts";
import { assertKeyLength, encodeInRoom } from "./key_input.ts";
import { findNativeCrypto, type NativeCrypto } from "./native_crypto.ts";

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/** Computes the HMAC of bytes under one key. */
export type HmacSha256 = (bytes: Uint8Array) => Uint8Array;

const fresh = /* @__PURE__ */ begin.create();
// One copy to work with, for all messages: it has answered before anybody else can ask, and to make a
// fresh one each time costs as much as to hash a short text.
const work = /* @__PURE__ */ begin.create();

type State = typeof fresh;

function finish(state: State, bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(DIGEST_BYTES);
  state._cloneInto(work).update(bytes).digestInto(digest);
  return digest;
}

// Looked for when it is first needed: to load it takes milliseconds.
let native: NativeCrypto | null | undefined;
const encoder = new TextEncoder();
// To encode into: a fresh array for each short text costs as much as to hash it.
const room = new Uint8Array(64);

/**
 * SHA-256 (FIPS 180-4) of a text, base64url: where the platform has a faster one, by that. At once, since a call of
 * WebCrypto costs up to ten times as much outside of workers; there it is a promise.
 */
export function hashText(text: string): string | Promise<string> {
  if (native === undefined) native = findNativeCrypto();
  if (native !== null) return native.hash("sha256", text, "base64url");
  const { read, written } = encoder.encodeInto(text, room);
  const bytes = read === text.length ? room.subarray(0, written) : encoder.encode(text);
  return toBase64Url(finish(fresh, bytes));
}

/** The hash after the one block that the key makes with a constant (RFC 2104, section 2). */
function hashAfterKey(key: Uint8Array, constant: number): State {
  const block = new Uint8Array(BLOCK_BYTES).fill(constant);
  for (let index = 0; index < key.length; index++) block[index]! ^= key[index]!;
  return fresh.clone().update(block);
}

/**
 * HMAC with SHA-256 (RFC 2104) under one key. The two blocks that the key makes are hashed once, here.
 *
 * @param key At most 64 bytes.
 */
export function hmacSha256(key: Uint8Array): HmacSha256 {
  const inner = hashAfterKey(key, 0x36);
  const outer = hashAfterKey(key, 0x5c);
  return (bytes) => finish(outer, finish(inner, bytes));
}

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
