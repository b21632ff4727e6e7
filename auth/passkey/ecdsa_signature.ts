import type { CborMap, CborValue } from "./cbor.ts";

const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** Takes one element from the front: what is in it, and what is behind it. */
function takeElement(bytes: Uint8Array, tag: number): [content: Uint8Array, behind: Uint8Array] {
  if (bytes[0] !== tag) throw new Error("Signature of another shape");
  // The long form, in one byte more, is for what the short form cannot say.
  const isLong = bytes[1] === 0x81;
  const start = isLong ? 3 : 2;
  const length = bytes[start - 1];
  if (length === undefined || isLong !== length >= 0x80 || bytes.length < start + length) {
    throw new Error("Signature with a length that is wrong, or not the shortest");
  }
  return [bytes.subarray(start, start + length), bytes.subarray(start + length)];
}

function assertPositive([first, second = 0]: Uint8Array): void {
  const isPositive = first !== undefined && first < 0x80 && (first !== 0 || second >= 0x80);
  if (!isPositive) {
    throw new Error("Signature with a number that is not positive, or not the shortest");
  }
}

/**
 * Checks that an ECDSA signature is written in DER (X.690, 10 and 11; RFC 3279, 2.2.3): two positive integers, in the
 * shortest form there is, and nothing behind them. The verifier's own parser reads BER, in which one signature has many
 * spellings.
 *
 * @throws {Error} When it is not.
 */
export function assertDerSignature(signature: Uint8Array): void {
  const [numbers, behind] = takeElement(signature, SEQUENCE);
  const [r, rest] = takeElement(numbers, INTEGER);
  const [s, more] = takeElement(rest, INTEGER);
  if (behind.length + more.length > 0) throw new Error("Signature with bytes behind it");
  assertPositive(r);
  assertPositive(s);
}

/** Checks the signature that a key makes, where the key is one of ECDSA: others have no structure. */
export function assertSignature(key: Pick<CborMap, "get">, signature: Uint8Array): void {
  if (key.get(1) === 2) assertDerSignature(signature);
}

/** Checks the signature of an attestation, which says its algorithm; those of FIDO U2F are always ES256. */
export function assertAttestation(format: CborValue | undefined, statement: CborMap): void {
  const signature = statement.get("sig");
  const isEcdsa = statement.get("alg") === -7 || format === "fido-u2f";
  if (isEcdsa && signature instanceof Uint8Array) assertDerSignature(signature);
}
