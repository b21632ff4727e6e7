import { cryptoIsMissing, findNativeCrypto, type NativeCrypto } from "./native_crypto.ts";
import type { HmacSha256 } from "./portable_sha256.ts";

// Looked for when it is first needed: to load it takes milliseconds of the start of a worker.
let found: NativeCrypto | null = null;

function native(): NativeCrypto {
  found ??= findNativeCrypto();
  if (found !== null) return found;
  throw cryptoIsMissing();
}

/** SHA-256 of a text, base64url. */
export function hashText(text: string): string {
  return native().hash("sha256", text, "base64url");
}

/** SHA-256 by the platform: in workers, which then carry no hash of their own. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return native().hash("sha256", bytes, "buffer");
}

/** HMAC with SHA-256 under one key, by the platform. */
export function hmacSha256(key: Uint8Array): HmacSha256 {
  return (bytes) => native().createHmac("sha256", key).update(bytes).digest();
}
