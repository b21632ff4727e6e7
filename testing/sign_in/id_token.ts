import { base64url } from "./bytes.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const KEY_ID = "test";

// One for all test providers of a process: what the application fetched of one stays good for the next.
let keys: CryptoKeyPair | undefined;

async function signingKeys(): Promise<CryptoKeyPair> {
  const made = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  return keys ??= made as CryptoKeyPair;
}

/** The set of keys by which ID tokens are verified (RFC 7517). */
export async function publicKeys(): Promise<{ keys: JsonWebKey[] }> {
  const { publicKey } = keys ?? await signingKeys();
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
  const key = { kty, crv, x, y, kid: KEY_ID, alg: "ES256", use: "sig" };
  return { keys: [key as JsonWebKey] };
}

/** Signs an ID token (RFC 7515). */
export async function signIdToken(claims: Record<string, unknown>): Promise<string> {
  const { privateKey } = keys ?? await signingKeys();
  const text = [{ alg: "ES256", typ: "JWT", kid: KEY_ID }, claims]
    .map((part) => base64url(new TextEncoder().encode(JSON.stringify(part)))).join(".");
  const signature = await crypto.subtle.sign(ALGORITHM, privateKey, new TextEncoder().encode(text));
  return `${text}.${base64url(new Uint8Array(signature))}`;
}
