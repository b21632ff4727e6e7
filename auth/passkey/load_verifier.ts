/** The library that verifies ceremonies, signatures and attestations. */
export type Verifier = typeof import("@simplewebauthn/server");

/** The same library's decoders: the only ones that read what an authenticator wrote. */
export type Decoders = typeof import("@simplewebauthn/server/helpers");

/**
 * Loads the library that verifies, when a passkey is to be verified: it is large, and an application without
 * passkeys is to have none of it, neither in its bundle nor at its start.
 */
export function loadVerifier(): Promise<Verifier> {
  return import("@simplewebauthn/server");
}

/** Loads the decoders, when the first answer of a browser is read. */
export function loadDecoders(): Promise<Decoders> {
  return import("@simplewebauthn/server/helpers");
}
