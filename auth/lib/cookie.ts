/**
 * Cookies: reading the Cookie header, writing Set-Cookie.
 *
 * @module
 */

import { HeadersSentError } from "../errors.ts";

/** Seconds after which browsers forget a cookie, whatever it asks for: 400 days (RFC 6265bis, 5.5). */
export const MAX_COOKIE_AGE = 34_560_000;

/** Result of reading one name from a Cookie header. */
export type CookieReading =
  | { found: "none" }
  | { found: "one"; value: string }
  /** Several cookies of this name with different values. */
  | { found: "several"; values: string[] };

const NONE: CookieReading = { found: "none" };

/**
 * Finds one cookie by its exact name (RFC 6265bis, 5.6). Total and linear: it knows only `;`, the first
 * `=` of a pair, and blanks and tabs around it. Nothing is decoded, so nothing can fail; a pair without
 * a name is no cookie; only blank and tab are trimmed, for other space may be part of a name that a
 * browser lets a sibling host set (CVE-2024-47764).
 *
 * Two different values under one name mean that another host of the site has set one of them, and the
 * header does not tell which. Neither is believed.
 *
 * @param header Cookie header of the request, or null.
 * @param name Name of the cookie.
 *
 * @example
 * ```ts
 * import { readCookie } from "@framework/auth/convention";
 * import { deepEqual } from "node:assert/strict";
 *
 * deepEqual(readCookie("a=1; theme=dark", "theme"), { found: "one", value: "dark" });
 * deepEqual(readCookie("a=1; a=2", "a"), { found: "several", values: ["1", "2"] });
 * ```
 */
export function readCookie(header: string | null, name: string): CookieReading {
  if (header === null) return NONE;
  let value: string | null = null;
  let values: string[] | undefined;
  let start = 0;
  while (start < header.length) {
    let end = header.indexOf(";", start);
    if (end === -1) end = header.length;
    const pair = readPair(header, start, end, name);
    if (pair !== null) {
      if (value !== null && value !== pair) (values ??= [value]).push(pair);
      else value = pair;
    }
    start = end + 1;
  }
  if (values !== undefined) return { found: "several", values };
  return value === null ? NONE : { found: "one", value };
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** The value between `start` and `end` when the pair there has this name. */
function readPair(header: string, start: number, end: number, name: string): string | null {
  while (start < end && isBlank(header.charCodeAt(start))) start++;
  if (!header.startsWith(name, start)) return null;
  let position = start + name.length;
  while (position < end && isBlank(header.charCodeAt(position))) position++;
  if (position >= end || header[position] !== "=") return null;
  position++;
  while (position < end && isBlank(header.charCodeAt(position))) position++;
  while (end > position && isBlank(header.charCodeAt(end - 1))) end--;
  return header.slice(position, end);
}

/** Attributes of a Set-Cookie line. */
export interface CookieAttributes {
  /** Only over https. */
  secure: boolean;
  /** Out of reach for scripts. */
  httpOnly: boolean;
  /** SameSite attribute. */
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

/**
 * Requirements of a cookie name prefix (RFC 6265bis, 4.1.3). Browsers compare it
 * case-insensitively.
 */
export interface CookieNameRules {
  /** The prefix; empty for an ordinary name. */
  prefix: string;
  /** Must have Secure. */
  secure: boolean;
  /** Must have Path=/ and no Domain. */
  hostOnly: boolean;
  /** Must have HttpOnly. */
  httpOnly: boolean;
}

/** The rules of a cookie's name. */
export function cookieNameRules(name: string): CookieNameRules {
  const prefix = /^__(?:Host-Http|Host|Secure|Http)-/i.exec(name)?.[0] ?? "";
  return {
    prefix,
    secure: prefix !== "",
    hostOnly: /^__Host-/i.test(prefix),
    httpOnly: /Http-$/i.test(prefix),
  };
}

/** True for a token (RFC 9110, 5.6.2), the grammar of a cookie's name. */
export function isCookieName(name: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,256}$/.test(name);
}

/** The Set-Cookie lines of the response to come. */
export interface CookiesOut {
  /** True until the headers are sent. */
  readonly isOpen: boolean;
  /**
   * Adds a line. One with the same name, domain and path takes the place of an earlier one.
   *
   * @throws {HeadersSentError} When the headers have gone.
   */
  set(line: string): void;
  /**
   * Makes sure that a cookie can still be set, before work that makes sense only with it.
   *
   * @throws {HeadersSentError} When the headers have gone.
   */
  assertOpen(): void;
  /** Takes the lines; from then on the headers count as gone. */
  close(): string[];
}

/**
 * Identity of a cookie in a Set-Cookie line: name, Path and Domain. All lines have their attributes
 * in the same order.
 */
function identity(line: string): string {
  return `${line.split("=", 1)}${line.match(/; (?:Path|Domain)=[^;]*/g)}`;
}

class CookieLines implements CookiesOut {
  // Most responses set none.
  #lines: Map<string, string> | undefined;
  isOpen = true;

  assertOpen(): void {
    if (!this.isOpen) throw new HeadersSentError();
  }

  set(line: string): void {
    this.assertOpen();
    this.#lines ??= new Map();
    this.#lines.set(identity(line), line);
  }

  close(): string[] {
    this.isOpen = false;
    return this.#lines === undefined ? [] : [...this.#lines.values()];
  }
}

/** Makes the list for one request. */
export function createCookiesOut(): CookiesOut {
  return new CookieLines();
}

/** The list for the handshake of a WebSocket, with which no cookie goes: none can be given, and none is taken away. */
export const NO_COOKIES: CookiesOut = {
  isOpen: false,
  assertOpen(): never {
    throw new HeadersSentError("Cannot set a cookie in the handshake of a WebSocket");
  },
  set() {},
  close: () => [],
};
