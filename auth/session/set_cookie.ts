/** Everything that a Set-Cookie line of this library says besides name and value. */
export interface CookieAttributes {
  /** Only over https. */
  secure: boolean;
  /** Out of reach for scripts. */
  httpOnly: boolean;
  /** Which cross-site requests carry it. */
  sameSite: "lax" | "strict" | "none";
  /** The path at and below which it is sent. */
  path: string;
  /** The domain whose subdomains get it too; null for this host alone. */
  domain: string | null;
}

// RFC 6265bis, 4.1.1: no control, blank, quote, comma, semicolon or backslash.
const VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;
const SAME_SITE = { lax: "Lax", strict: "Strict", none: "None" } as const;

/**
 * Writes a Set-Cookie line. SameSite always stands in it: a cookie without it still travels with
 * cross-site posts for two minutes. Name and attributes were checked with the configuration.
 *
 * @param cookie Name, value, and the lifetime in seconds; 0 removes the cookie.
 * @throws {TypeError} When the value has a character that a cookie cannot hold.
 */
export function serializeCookie(
  cookie: { name: string; value: string; maxAge: number },
  attributes: CookieAttributes,
): string {
  if (!VALUE.test(cookie.value)) {
    throw new TypeError(
      `Cannot set the cookie "${cookie.name}": its value has a forbidden character`,
    );
  }
  let line = `${cookie.name}=${cookie.value}; Path=${attributes.path}; Max-Age=${cookie.maxAge}`;
  if (cookie.maxAge === 0) line += "; Expires=Thu, 01 Jan 1970 00:00:00 GMT";
  if (attributes.domain !== null) line += `; Domain=${attributes.domain}`;
  if (attributes.httpOnly) line += "; HttpOnly";
  if (attributes.secure) line += "; Secure";
  return `${line}; SameSite=${SAME_SITE[attributes.sameSite]}`;
}
