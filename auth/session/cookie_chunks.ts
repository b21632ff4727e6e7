import { type CookieReading, readCookie } from "./read_cookie.ts";
import type { CookiesOfToken, TokenCookies } from "./strategy.ts";

/**
 * Characters of a token in one cookie. A browser drops a cookie of more than 4,096 bytes of name and
 * value in silence (RFC 6265bis, 5.6), and some count the attributes too.
 */
export const CHUNK_LENGTH = 3800;

// More than are ever set: also what is left from a version that set more is recognised and removed.
const KNOWN_CHUNKS = 10;

const MAX_CHUNKS = 3;

/** Longer texts are no tokens of this library, and are not looked at. */
export const MAX_TOKEN_LENGTH: number = CHUNK_LENGTH * MAX_CHUNKS;

/** The cookies for a token: one of this name, or for a long token `<name>.0`, `<name>.1` and so on. */
export function splitIntoCookies(name: string, token: string): [name: string, value: string][] {
  if (token.length <= CHUNK_LENGTH) return [[name, token]];
  return Array.from(
    { length: Math.ceil(token.length / CHUNK_LENGTH) },
    (_, index) => [
      `${name}.${index}`,
      token.slice(index * CHUNK_LENGTH, (index + 1) * CHUNK_LENGTH),
    ],
  );
}

/** The names of all cookies that a token can be in. */
export function cookieNamesOfToken(name: string): string[] {
  return [name, ...Array.from({ length: MAX_CHUNKS }, (_, index) => `${name}.${index}`)];
}

function valuesOf(reading: CookieReading): string[] {
  if (reading.found === "none") return [];
  return reading.found === "one" ? [reading.value] : reading.values;
}

/**
 * Finds the token in the cookies of exactly these names (Auth.js takes every cookie whose name begins alike).
 * Chunks make a token only from the first to the last without a gap, and when there is no whole token
 * beside them: anything else is left over from elsewhere or planted, and nothing of it is believed.
 */
export function readCookiesOfToken(header: string | null, name: string): CookiesOfToken {
  const whole = readCookie(header, name);
  const names = whole.found === "none" ? [] : [name];
  if (header === null || !header.includes(`${name}.`)) return { reading: whole, names };
  const chunks: string[] = [];
  let isClear = true;
  for (let index = 0; index < KNOWN_CHUNKS; index++) {
    const chunk = readCookie(header, `${name}.${index}`);
    if (chunk.found === "none") continue;
    names.push(`${name}.${index}`);
    if (chunk.found !== "one" || chunks.length !== index) isClear = false;
    else chunks.push(chunk.value);
  }
  if (names.length === 0) return { reading: whole, names };
  if (names.length === 1 && whole.found !== "none") return { reading: whole, names };
  const joined = chunks.join("");
  if (whole.found === "none" && isClear) return { reading: { found: "one", value: joined }, names };
  return { reading: { found: "several", values: [...valuesOf(whole), joined] }, names };
}

/** The cookies of tokens that may be longer than a cookie. */
export const CHUNKED_COOKIES: TokenCookies = {
  read: readCookiesOfToken,
  split: splitIntoCookies,
  // Two requests of one browser may renew its session at once, and one token may need more cookies than the
  // other. Near that length whoever comes last leaves nothing of the other.
  alsoPossible: (name, token) => token.length > CHUNK_LENGTH / 2 ? cookieNamesOfToken(name) : [],
};
