/**
 * PKCE, state and nonce of an OAuth sign-in (RFC 7636).
 *
 * @module
 */

import { hashSecret } from "../../lib/secret.ts";

/** Secrets of a transaction, all derived from the one that only the browser has. */
export interface TransactionSecrets {
  /** Comes back with the provider's answer. */
  state: string;
  /** Proves to the provider who began (RFC 7636). Only its hash is sent at the start. */
  verifier: string;
  /** Comes back in the ID token. */
  nonce: string;
}

/**
 * Derives what an authorization request needs from the secret in the browser's cookie, so that the database stores
 * none of it.
 */
export async function deriveSecrets(secret: string): Promise<TransactionSecrets> {
  return {
    state: await hashSecret(`state.${secret}`),
    verifier: await hashSecret(`verifier.${secret}`),
    nonce: await hashSecret(`nonce.${secret}`),
  };
}

/**
 * The challenge by which the provider binds the code to the verifier: always its SHA-256, also for clients with a
 * secret (RFC 7636, 4.2; RFC 9700, 2.1.1).
 */
export async function codeChallenge(
  verifier: string,
): Promise<{ code_challenge: string; code_challenge_method: "S256" }> {
  return { code_challenge: await hashSecret(verifier), code_challenge_method: "S256" };
}
