import { constantTimeEqualText } from "./compare.ts";
import { toBase64Url } from "./encoding.ts";
import { findNativeCrypto, type NativeCrypto } from "./native_crypto.ts";
import { createAuthenticator } from "./portable_sha256.ts";

/**
 * Signs texts by HMAC with SHA-256 (RFC 2104) under one key, in base64url. At once, or by a promise where
 * the fastest that the platform has answers so.
 */
export interface TextKey {
  /** The signature of a text. */
  sign(text: string): string | Promise<string>;
  /** Whether a signature is the text's, in its one spelling. The time tells nothing about where it differs. */
  verify(text: string, signature: string): boolean | Promise<boolean>;
}

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * HMAC by two calls of `hash()`, as RFC 2104 defines it: that costs half of `createHmac()`, which makes an
 * object that the collector has to finalise besides.
 */
function createNativeSign(key: Uint8Array, native: NativeCrypto): (text: string) => string {
  const inner = new Uint8Array(BLOCK_BYTES + 12_288).fill(0x36, 0, BLOCK_BYTES);
  const outer = new Uint8Array(BLOCK_BYTES + DIGEST_BYTES).fill(0x5c, 0, BLOCK_BYTES);
  for (let index = 0; index < key.length; index++) {
    inner[index]! ^= key[index]!;
    outer[index]! ^= key[index]!;
  }
  const message = inner.subarray(BLOCK_BYTES);

  return function sign(text) {
    const { read, written } = encoder.encodeInto(text, message);
    // No token is so long.
    if (read < text.length) {
      return native.createHmac("sha256", key).update(text).digest("base64url");
    }
    const digest = native.hash("sha256", inner.subarray(0, BLOCK_BYTES + written), "latin1");
    for (let index = 0; index < DIGEST_BYTES; index++) {
      outer[BLOCK_BYTES + index] = digest.charCodeAt(index);
    }
    return native.hash("sha256", outer, "base64url");
  };
}

/**
 * Makes a key that signs and verifies at once: by `node:crypto` in Node, in JavaScript elsewhere.
 *
 * @param key 32 bytes.
 * @param native `node:crypto`, or null. Default: what the platform has.
 * @throws {TypeError} For a key of another length.
 */
export function createTextKey(
  key: Uint8Array,
  native: NativeCrypto | null = findNativeCrypto(),
): TextKey {
  const authenticate = createAuthenticator(key);
  const sign = native === null
    ? (text: string) => toBase64Url(authenticate(text))
    : createNativeSign(key, native);
  return {
    sign,
    verify: (text, signature) => constantTimeEqualText(sign(text), signature),
  };
}
