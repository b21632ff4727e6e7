import type { CborMap, CborValue } from "./cbor.ts";

/** The algorithms that are offered, the preferred one first: ES256, EdDSA and RS256 (RFC 9053, RFC 8812). */
export const ALGORITHMS: readonly number[] = [-7, -8, -257];

// The curve P-256 (FIPS 186-4, D.1.2.3): y² = x³ - 3x + b over the integers modulo p.
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

// Beyond this a check costs more than a sign-in may.
const MAX_MODULUS_BYTES = 512;

function toInteger(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

function bytesOf(value: CborValue | undefined, length?: number): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new Error("Public key without its number");
  if (length !== undefined && value.length !== length) {
    throw new Error("Public key of a wrong size");
  }
  return value;
}

function assertOnCurve(x: bigint, y: bigint): void {
  const onCurve = x < P && y < P && (y * y - (x * x * x - 3n * x + B)) % P === 0n;
  if (!onCurve) throw new Error("Public key that is no point of its curve");
}

function assertRsa(modulus: Uint8Array, exponent: Uint8Array): void {
  const n = modulus.length <= MAX_MODULUS_BYTES ? toInteger(modulus) : 0n;
  if (n >> 2047n === 0n || n % 2n === 0n) {
    throw new Error("RSA modulus that is too small, too large or even");
  }
  const e = exponent.length <= 4 ? toInteger(exponent) : 0n;
  if (e < 65537n || e % 2n === 0n) {
    throw new Error("RSA exponent that is too small, too large or even");
  }
}

/**
 * Checks that a COSE key is of an algorithm that was offered, that its parts fit that algorithm and that it is
 * a key at all (WebAuthn Level 3, 7.1 step 19 and 5.8.5). The platforms find some of that out only when they
 * verify, which would be long after the registration.
 *
 * @throws {Error} When it is not.
 */
export function assertPublicKey(key: CborMap): void {
  const [type, algorithm, curve] = [key.get(1), key.get(3), key.get(-1)];
  if (algorithm === -7 && type === 2 && curve === 1) {
    return assertOnCurve(toInteger(bytesOf(key.get(-2), 32)), toInteger(bytesOf(key.get(-3), 32)));
  }
  if (algorithm === -8 && type === 1 && curve === 6) return void bytesOf(key.get(-2), 32);
  if (algorithm === -257 && type === 3) {
    return assertRsa(bytesOf(key.get(-1)), bytesOf(key.get(-2)));
  }
  throw new Error(
    "Public key of an algorithm that was not offered, or of another one than it says",
  );
}
