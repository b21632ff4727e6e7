/**
 * Time-based one-time passwords (RFC 6238) with what every authenticator app knows: SHA-1, six digits, 30 seconds.
 *
 * @module
 */

import { constantTimeEqualText } from "../../lib/hash.ts";
import { randomBytes } from "../../lib/secret.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** Length of a time step, in milliseconds. */
export const PERIOD = 30_000;
const DIGITS = 6;
// As long as the output of the hash function (RFC 4226, 4, R6).
const SECRET_BYTES = 20;

/** Encodes bytes in base32 without padding (RFC 4648, 6). */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8 | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[value >> bits & 31];
    }
  }
  return bits === 0 ? text : text + ALPHABET[value << (5 - bits) & 31];
}

/** Decodes what {@linkcode toBase32} made. */
function fromBase32(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text) {
    value = (value << 5 | ALPHABET.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(value >> bits & 0xff);
  }
  return new Uint8Array(bytes);
}

/** Makes a shared secret: 160 random bits, base32. */
export function createTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES));
}

/** Returns the time step of a moment in milliseconds. */
export function stepAt(at: number): number {
  return Math.floor(at / PERIOD);
}

/** Computes the codes of time steps (RFC 4226, 5.3; RFC 6238, 4.2). */
async function totpCodes(secret: string, steps: readonly number[]): Promise<string[]> {
  const algorithm = { name: "HMAC", hash: "SHA-1" };
  const key = await crypto.subtle.importKey("raw", fromBase32(secret), algorithm, false, ["sign"]);
  return await Promise.all(steps.map(async (step) => {
    const counter = new DataView(new ArrayBuffer(8));
    counter.setBigUint64(0, BigInt(step));
    const mac = new DataView(await crypto.subtle.sign("HMAC", key, counter));
    const offset = mac.getUint8(mac.byteLength - 1) & 15;
    const number = mac.getUint32(offset) & 0x7fffffff;
    return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
  }));
}

/** Computes the code of a time step. */
export async function totpCode(secret: string, step: number): Promise<string> {
  const [code] = await totpCodes(secret, [step]);
  return code!;
}

/** True for what can be such a code, without its spaces. */
export function isTotpCode(text: string): boolean {
  return /^\d{6}$/.test(text);
}

/**
 * Finds the time step of a code: the present one, or one beside it for clocks that differ (RFC 6238, 5.2). All three are
 * computed and compared whatever the first says.
 *
 * @returns The newest step that has this code; null when none has.
 */
export async function findStep(secret: string, code: string, at: number): Promise<number | null> {
  const present = stepAt(at);
  const steps = [present - 1, present, present + 1];
  const codes = await totpCodes(secret, steps);
  let found: number | null = null;
  for (const [index, step] of steps.entries()) {
    if (constantTimeEqualText(codes[index]!, code)) found = step;
  }
  return found;
}

/**
 * Writes the address that an authenticator app reads from the QR code.
 *
 * @param issuer Name of the application.
 * @param account Name of the account there.
 */
export function totpUri(secret: string, { issuer, account }: { issuer: string; account: string }) {
  // Not URLSearchParams, whose `+` for a space some apps show. The colon parts the two names.
  const [name, owner] = [issuer, account].map((text) =>
    encodeURIComponent(text.replaceAll(":", ""))
  );
  return `otpauth://totp/${name}:${owner}?secret=${secret}&issuer=${name}`;
}
