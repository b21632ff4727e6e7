import { toBase64Url } from "../crypto/encoding.ts";
import { hashText } from "../crypto/sha256.ts";
import { randomBytes } from "../crypto/token.ts";

/** A secret for one use: 32 random bytes, base64url. It says nothing about what it is for. */
export function createSecret(): string {
  return toBase64Url(randomBytes(32));
}

/** True for a text that can be such a secret; anything else need not reach the database. */
export function isSecret(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9_-]{43}$/.test(value);
}

/** What the database holds in place of the secret: SHA-256, base64url. Nobody can try out 2^256 secrets. */
export async function hashSecret(secret: string): Promise<string> {
  return await hashText(secret);
}
