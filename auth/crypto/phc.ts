import { fromBase64, toBase64 } from "./encoding.ts";

/** The cost of one scrypt derivation (RFC 7914). */
export interface ScryptCost {
  /** log2 of N. */
  ln: number;
  /** Block size. */
  r: number;
  /** Parallelization. */
  p: number;
}

/** A password hash that describes itself. */
export interface ScryptHash extends ScryptCost {
  /** Random salt. */
  salt: Uint8Array;
  /** Derived key. */
  key: Uint8Array;
}

// Workers refuse scrypt above this, and a hash that asks for more would be a way to exhaust a server.
const MAX_WORK = 2 ** 20;
const MAX_MEMORY = 32 * 1024 * 1024;
const PHC =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,4}),p=(\d{1,4})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Writes `$scrypt$ln=14,r=8,p=5$<salt>$<key>`, the PHC string format. */
export function formatPhc(hash: ScryptHash): string {
  const { ln, r, p, salt, key } = hash;
  return `$scrypt$ln=${ln},r=${r},p=${p}$${toBase64(salt)}$${toBase64(key)}`;
}

/** Reads what {@linkcode formatPhc} writes. Null for anything else, and for a cost out of bounds. */
export function parsePhc(text: string): ScryptHash | null {
  // The longest string that the pattern allows is under 200 characters.
  if (text.length > 220) return null;
  const match = PHC.exec(text);
  if (match === null) return null;
  const ln = Number(match[1]);
  const r = Number(match[2]);
  const p = Number(match[3]);
  // RFC 7914, 2: N < 2^(128·r/8). Implementations throw beyond that.
  if (ln < 1 || r < 1 || p < 1 || ln >= 16 * r) return null;
  if (2 ** ln * r * p > MAX_WORK || 128 * 2 ** ln * r > MAX_MEMORY) return null;
  const salt = fromBase64(match[4]!);
  const key = fromBase64(match[5]!);
  if (salt === null || key === null) return null;
  return { ln, r, p, salt, key };
}
