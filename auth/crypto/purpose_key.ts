import { sha256 } from "@noble/hashes/sha2.js";
import { createAuthenticator } from "./hmac.ts";

const encoder = new TextEncoder();
const SALT = sha256(encoder.encode("@framework/auth"));

/** What a key is for. Two purposes never share a key, so what is made for one means nothing to the other. */
export type KeyPurpose = "session-jwt" | "email-code" | "oauth-transaction" | "provider-token";

/**
 * The key for one purpose, from a secret of the application: HKDF with SHA-256 (RFC 5869), of which one
 * block is enough. Whoever brings a text that was signed for another purpose brings one that was signed
 * with another key (CVE-2023-48309).
 */
export function derivePurposeKey(secret: string, purpose: KeyPurpose): Uint8Array {
  const extracted = createAuthenticator(SALT)(encoder.encode(secret));
  return createAuthenticator(extracted)(encoder.encode(`${purpose}\x01`));
}
