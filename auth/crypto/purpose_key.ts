import { encodeText } from "./encoding.ts";
import { createAuthenticator } from "./hmac.ts";
import { sha256 } from "./sha256.ts";

/** The salt of every key (RFC 5869, 3.1). Made when it is needed: in workers that loads `node:crypto`. */
export function keySalt(): Uint8Array {
  return sha256(encodeText("@framework/auth"));
}

/** What a key is for. Two purposes never share a key, so what is made for one means nothing to the other. */
export type KeyPurpose = "session-jwt" | "email-code" | "oauth-transaction" | "provider-token";

/**
 * The key for one purpose, from a secret of the application: HKDF with SHA-256 (RFC 5869), of which one
 * block is enough. Whoever brings a text that was signed for another purpose brings one that was signed
 * with another key (CVE-2023-48309).
 */
export function derivePurposeKey(secret: string, purpose: KeyPurpose): Uint8Array {
  const extracted = createAuthenticator(keySalt())(encodeText(secret));
  return createAuthenticator(extracted)(encodeText(`${purpose}\x01`));
}
