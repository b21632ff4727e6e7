/** The library that verifies signatures and attestations. */
export type Verifier = typeof import("@simplewebauthn/server");

/**
 * Loads it when a passkey is to be verified: it is large, and an application without passkeys is to have
 * none of it, neither in its bundle nor at its start.
 */
export function loadVerifier(): Promise<Verifier> {
  return import("@simplewebauthn/server");
}
