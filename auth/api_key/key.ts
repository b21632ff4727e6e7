/**
 * An API key as text: `<prefix>_<live or test>_<id>_<secret>_<checksum>`.
 *
 * @module
 */

import { encodeText } from "../lib/encoding.ts";
import { randomBytes } from "../lib/secret.ts";

/** Data that keys are for. */
export type ApiKeyMode = "live" | "test";

/** The parts of a key. */
export interface KeyParts {
  /** Public id, by which its row is found. */
  id: string;
  /** 32 random bytes, base62. */
  secret: string;
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LENGTH = 17;
// The fewest digits that 32 bytes always fit into.
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

/** Writes a number in base62, with zeros before it. */
function base62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; text.length < length; rest /= 62n) {
    text = DIGITS[Number(rest % 62n)] + text;
  }
  return text;
}

function numberOf(bytes: Uint8Array): bigint {
  return bytes.reduce((number, byte) => number << 8n | BigInt(byte), 0n);
}

/** CRC-32 (ISO 3309, as of zip and PNG) of a text's UTF-8. It finds typing errors, and keeps nobody from anything. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of encodeText(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Beginning of the keys of an application. */
export function keyPrefix(prefix: string, mode: ApiKeyMode): string {
  return `${prefix}_${mode}_`;
}

/** Makes a public id: 12 random bytes, base62. */
export function createKeyId(): string {
  return base62(numberOf(randomBytes(12)), ID_LENGTH);
}

/** Makes a secret: 32 random bytes, base62. */
export function createKeySecret(): string {
  return base62(numberOf(randomBytes(32)), SECRET_LENGTH);
}

/** Writes a key, with its checksum. */
export function writeApiKey(beginning: string, { id, secret }: KeyParts): string {
  const text = `${beginning}${id}_${secret}`;
  return `${text}_${base62(BigInt(crc32(text)), CHECKSUM_LENGTH)}`;
}

const PARTS = /^([0-9A-Za-z]{17})_([0-9A-Za-z]{43})_[0-9A-Za-z]{6}$/;

/** Reads a key of this beginning; null for a text that is none, by its form or its checksum. */
export function parseApiKey(beginning: string, text: string): KeyParts | null {
  if (!text.startsWith(beginning)) return null;
  const [, id, secret] = PARTS.exec(text.slice(beginning.length)) ?? [];
  if (id === undefined) return null;
  const parts = { id, secret: secret! };
  return writeApiKey(beginning, parts) === text ? parts : null;
}
