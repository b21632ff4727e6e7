/**
 * Random bytes, and secrets of which only the hash is stored.
 *
 * @module
 */

import { toBase64Url, toHex } from "./encoding.ts";
import { hashText } from "./hash.ts";

const MIN_BYTES = 16;
const MAX_BYTES = 1024;

/** Random bytes from the platform's generator. */
export function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/**
 * A random token from the platform's generator, in lower-case hexadecimal.
 *
 * @param length Number of random bytes, 16 to 1,024. The text is twice as long. Default 32.
 * @returns A promise, which rejects with a RangeError when `length` is no integer in that range. Fewer than 16
 * bytes can be guessed (OWASP ASVS 11.5.1 asks for 128 bits).
 *
 * @example
 * ```ts
 * import { generateToken } from "@framework/auth";
 * import { match } from "node:assert/strict";
 *
 * match(await generateToken(), /^[0-9a-f]{64}$/);
 * match(await generateToken(16), /^[0-9a-f]{32}$/);
 * ```
 */
export function generateToken(length: number = 32): Promise<string> {
  return new Promise((resolve) => {
    if (!Number.isInteger(length) || length < MIN_BYTES || length > MAX_BYTES) {
      throw new RangeError(
        `Cannot generate a token of ${length} bytes: "length" must be an integer from ${MIN_BYTES} to ${MAX_BYTES}`,
      );
    }
    resolve(toHex(randomBytes(length)));
  });
}

/** A secret for one use: 32 random bytes, base64url. It says nothing about what it is for. */
export function createSecret(): string {
  return toBase64Url(randomBytes(32));
}

/** True for a text that can be such a secret; anything else need not reach the database. */
export function isSecret(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9_-]{43}$/.test(value);
}

/**
 * Hash stored in place of a secret: SHA-256, base64url. A fast hash is right, since nobody can
 * enumerate 2^256 secrets.
 */
export async function hashSecret(secret: string): Promise<string> {
  return await hashText(secret);
}
