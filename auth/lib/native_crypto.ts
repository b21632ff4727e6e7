/**
 * The platform's own cryptography.
 *
 * @module
 */

import { type AuthErrorFields, ConfigurationError } from "../errors.ts";

/** What of `node:crypto` is used. */
export interface NativeCrypto {
  /** Begins an HMAC. */
  createHmac(name: "sha256", key: Uint8Array): {
    update(message: string | Uint8Array): {
      digest(encoding: "base64url"): string;
      digest(): Uint8Array;
    };
  };
  /** Hashes a text or bytes. */
  hash(name: "sha256", message: string | Uint8Array, encoding: "base64url" | "latin1"): string;
  hash(name: "sha256", message: Uint8Array, encoding: "buffer"): Uint8Array;
}

interface Platform {
  process?: {
    getBuiltinModule?(name: string): Partial<NativeCrypto> | undefined;
    versions?: { deno?: string };
  };
}

/**
 * `node:crypto`, where a program finds it without importing it and its synchronous functions are the
 * fastest there are: in Node, four times as fast as `@noble/hashes` for a signed token. Null elsewhere; in
 * Deno it is slower, and workers use WebCrypto.
 */
export function findNativeCrypto(): NativeCrypto | null {
  const { process } = globalThis as Platform;
  if (process?.versions?.deno !== undefined) return null;
  const found = process?.getBuiltinModule?.("node:crypto");
  return typeof found?.hash === "function" ? found as NativeCrypto : null;
}

/** Says that there is no `node:crypto` where nothing else will do. */
export function cryptoIsMissing(fields?: AuthErrorFields): ConfigurationError {
  return new ConfigurationError(
    'The worker has no node:crypto. Write "nodejs_compat" into compatibility_flags of its configuration.',
    { ...fields, field: "compatibility_flags" },
  );
}
