import { toBase64Url } from "../crypto/encoding.ts";
import { hashText } from "../crypto/sha256.ts";
import { randomBytes } from "../crypto/token.ts";

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** What the cookie holds: 32 random bytes, base64url. It says nothing about its owner. */
export function createSessionToken(): string {
  return toBase64Url(randomBytes(32));
}

/** The public name of a session: 16 random bytes, base64url. */
export function createSessionId(): string {
  return toBase64Url(randomBytes(16));
}

/** True for text that can be a token; anything else need not reach the database. */
export function isSessionToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * What the database holds in place of the token: SHA-256, base64url. A fast hash is right here, since
 * nobody can try out 2^256 tokens. At once, or by a promise where the fastest that the platform has answers so.
 *
 * @param token What {@linkcode isSessionToken} says can be one.
 */
export function hashSessionToken(token: string): string | Promise<string> {
  return hashText(token);
}
