/**
 * The session cookie: reading tokens, writing them, and chunks for long ones. The other cookies of the library.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import type { SessionCookie } from "../core/cookie_options.ts";
import { isSecureOrigin } from "../core/origin.ts";
import { findRequest } from "../core/request.ts";
import type {
  CookiesOfToken,
  PresentedToken,
  StrategyCookie,
  TokenCookies,
} from "../core/session_strategy.ts";
import {
  type CookieAttributes,
  cookieNameRules,
  type CookieReading,
  type CookiesOut,
  readCookie,
  serializeCookie,
} from "../lib/cookie.ts";
import { isSecret } from "../lib/secret.ts";

/** One cookie, for tokens that always fit. */
export const ONE_COOKIE: TokenCookies = {
  read(header, name) {
    const reading = readCookie(header, name);
    return { reading, names: reading.found === "none" ? [] : [name] };
  },
  split: (name, token) => [[name, token]],
  alsoPossible: () => [],
};

/** The origin is asked for only where it matters, since it may be unknown. */
function isSecure({ secure }: SessionCookie, origin: () => string): boolean {
  return secure === "auto" ? isSecureOrigin(origin()) : secure;
}

function attributes(cookie: SessionCookie, origin: () => string): CookieAttributes {
  const { httpOnly, sameSite, path, domain } = cookie;
  return { secure: isSecure(cookie, origin), httpOnly, sameSite, path, domain };
}

/** The name of the session cookie on this origin. */
export function sessionCookieName(cookie: SessionCookie, origin: () => string): string {
  const { prefix, name } = cookie;
  return prefix !== "" && isSecure(cookie, origin) ? prefix + name : name;
}

/**
 * Tests if a cookie belongs to this library: the session cookie by its configured name, its chunks, and
 * every name that begins with `framework.`, prefixes such as `__Host-` left out. Browsers tell names
 * apart by their case, and prefixes not.
 *
 * @param name Name of the cookie.
 *
 * @example
 * ```ts
 * import { isLibraryCookie } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * equal(isLibraryCookie("__Host-framework.session-token"), true);
 * equal(isLibraryCookie("theme"), false);
 * ```
 */
export function isLibraryCookie(name: string): boolean {
  const plain = name.slice(cookieNameRules(name).prefix.length);
  if (/^framework\./i.test(plain)) return true;
  const session = findRequest()?.auth.settings.cookie.name;
  if (session === undefined) return false;
  const own = session.slice(cookieNameRules(session).prefix.length);
  return plain === own ||
    (plain.startsWith(`${own}.`) && /^\d+$/.test(plain.slice(own.length + 1)));
}

/**
 * The lines that give the browser its session: one, or several for a token that is too long for one.
 *
 * @param life The token, and the milliseconds until the session ends.
 */
export function sessionCookieLines(
  cookie: StrategyCookie,
  life: { token: string; milliseconds: number },
  origin: () => string,
): string[] {
  const maxAge = Math.max(1, Math.floor(life.milliseconds / 1000));
  const present = attributes(cookie, origin);
  return cookie.tokens.split(sessionCookieName(cookie, origin), life.token).map(([name, value]) =>
    serializeCookie({ name, value, maxAge }, present)
  );
}

/**
 * The lines that remove a session cookie: same name, path and domain as it was set with. With a domain
 * there is a second one for the host alone, since a cookie from before the domain was configured would
 * otherwise stand beside the new one for as long as it lives.
 *
 * @param name The name of the session cookie, or of one of its chunks.
 */
export function clearedCookieLines(
  cookie: SessionCookie,
  name: string,
  origin: () => string,
): string[] {
  const gone = { name, value: "", maxAge: 0 };
  const present = attributes(cookie, origin);
  const lines = [serializeCookie(gone, present)];
  if (present.domain !== null) lines.push(serializeCookie(gone, { ...present, domain: null }));
  return lines;
}

/**
 * Characters of a token in one cookie. A browser drops a cookie of more than 4,096 bytes of name and
 * value in silence (RFC 6265bis, 5.6), and some count the attributes too.
 */
export const CHUNK_LENGTH = 3800;

// More than are ever set: also what is left from a version that set more is recognised and removed.
const KNOWN_CHUNKS = 10;

const MAX_CHUNKS = 3;

// What all chunks hold. Written as a product it would stay in bundles that need none of it.
/** Longer texts are no tokens of this library, and are not looked at. */
export const MAX_TOKEN_LENGTH = 11_400;

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
 * Finds the token in the cookies of exactly these names (Auth.js takes every cookie with the same beginning of the
 * name). Chunks make a token only from the first to the last without a gap, and when there is no whole token beside
 * them: anything else is left over from elsewhere or planted, and nothing of it is believed.
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

/** The session cookies of one browser. */
export interface SessionJar {
  /** Sets the token and removes the chunks of the previous one. */
  write(life: { token: string; milliseconds: number }): void;
  /** Removes the session cookie. */
  forget(): void;
  /** Takes away whatever it has, also what another request may be giving it. */
  clear(): void;
}

/** Options for {@linkcode SessionJar}. */
export interface SessionJarOptions {
  /** Name and attributes. */
  cookie: StrategyCookie;
  /** The names of the session cookies that came with the request. */
  names: string[];
  /** Destination of the Set-Cookie lines. */
  cookiesOut: CookiesOut;
  /** The origin of the application. */
  origin: () => string;
}

/** Makes the jar for one request. */
export function createSessionJar(options: SessionJarOptions): SessionJar {
  const { cookie, cookiesOut, origin } = options;
  let held = options.names;

  function remove(names: Iterable<string>): void {
    for (const name of names) {
      for (const line of clearedCookieLines(cookie, name, origin)) cookiesOut.set(line);
    }
  }

  return {
    write(life) {
      const { tokens } = cookie;
      const name = sessionCookieName(cookie, origin);
      const written = tokens.split(name, life.token).map(([name]) => name);
      for (const line of sessionCookieLines(cookie, life, origin)) cookiesOut.set(line);
      if (held.length > 0) {
        const others = new Set([...held, ...tokens.alsoPossible(name, life.token)]);
        remove([...others].filter((name) => !written.includes(name)));
      }
      held = written;
    },
    forget() {
      remove(held);
      held = [];
    },
    clear() {
      held = [...new Set([sessionCookieName(cookie, origin), cookie.name, ...held])];
      this.forget();
    },
  };
}

/** Settings that say where a request may have a token. */
export interface TokenPlace {
  /** Its cookie, and in which cookies of that name it is. */
  cookie: StrategyCookie;
  /** The clock. */
  now: () => number;
  /** Accepts the Authorization header, or those that match. */
  bearer: boolean | RegExp;
}

// RFC 6750, 2.1: the scheme in any case, then one token.
const BEARER = /^bearer(?: +([A-Za-z0-9\-._~+/]+=*))?[ \t]*$/i;
const BEARER_SCHEME = /^bearer(?:[ \t]|$)/i;

function fromCookies({ reading }: CookiesOfToken): PresentedToken {
  if (reading.found === "none") return { found: "none" };
  if (reading.found === "several") {
    return { found: "unclear", source: "cookie", tokens: reading.values };
  }
  return { found: "one", token: reading.value, source: "cookie" };
}

/** The cookie as it is set; while sessions move to the prefix, without it what came without. */
function fromEitherCookie(
  { cookie, now }: TokenPlace,
  header: string,
  name: string,
): PresentedToken {
  const { tokens, since, until } = cookie;
  const presented = fromCookies(tokens.read(header, name));
  if (presented.found !== "none" || name === cookie.name || !(now() < until)) return presented;
  const plain = fromCookies(tokens.read(header, cookie.name));
  return plain.found === "none" ? plain : { ...plain, before: since };
}

/** Reads a Bearer token; other schemes are ignored. */
function fromAuthorization(header: string | null, accepted: true | RegExp): PresentedToken {
  const scheme = accepted === true ? BEARER_SCHEME : accepted;
  if (header === null || !scheme.test(header)) return { found: "none" };
  const token = BEARER.exec(header)?.[1];
  return token === undefined
    ? { found: "unclear", source: "bearer", tokens: [] }
    : { found: "one", token, source: "bearer" };
}

/** An unknown origin is not a developer's own machine. */
function nameIn(cookie: StrategyCookie, origin: () => string): string {
  try {
    return sessionCookieName(cookie, origin);
  } catch {
    return cookie.prefix + cookie.name;
  }
}

/**
 * Finds the session token of a request. With `bearer`, an Authorization header of that scheme counts in
 * place of the cookie, whether it opens anything or not.
 *
 * @param origin The origin of the application, which decides on the prefix of the cookie's name.
 */
export function readPresentedToken(
  request: Request,
  place: TokenPlace,
  origin: () => string,
): PresentedToken {
  if (place.bearer) {
    const authorized = fromAuthorization(request.headers.get("authorization"), place.bearer);
    if (authorized.found !== "none") return authorized;
  }
  const header = request.headers.get("cookie");
  return header === null
    ? { found: "none" }
    : fromEitherCookie(place, header, nameIn(place.cookie, origin));
}

/** Values in a request under the name of the cookie with the prefix, and under the name without. */
function everyCookie(request: Request, { cookie }: TokenPlace): CookiesOfToken[] {
  const header = request.headers.get("cookie");
  return [...new Set([cookie.prefix + cookie.name, cookie.name])]
    .map((name) => cookie.tokens.read(header, name));
}

/** The names of the session cookies that came with a request, believed or not. */
export function presentedNames(request: Request, place: TokenPlace): string[] {
  return everyCookie(request, place).flatMap(({ names }) => names);
}

/** Collects all tokens of a request, trusted or not: a sign-out ends each of them. */
export function everyPresentedToken(request: Request, place: TokenPlace): string[] {
  const tokens = new Set<string>();
  const found = everyCookie(request, place).map(fromCookies);
  if (place.bearer) {
    found.unshift(fromAuthorization(request.headers.get("authorization"), place.bearer));
  }
  for (const presented of found) {
    if (presented.found === "one") tokens.add(presented.token);
    if (presented.found === "unclear") { for (const token of presented.tokens) tokens.add(token); }
  }
  // A browser has one, or a few that contradict each other. Nobody needs more ended at once.
  return [...tokens].slice(0, 16);
}

/** Requests of other sites that carry a cookie: all, links alone, or none. */
export type HostCookieReach = "none" | "lax" | "strict";

/** A request of another site that is no link sends only cookies that are Secure. */
function isSentSecure({ auth }: RequestStore, sameSite: HostCookieReach): boolean {
  return sameSite === "none" || isSecureOrigin(auth.origin());
}

/** With the prefix no sibling host of the site can plant one (RFC 6265bis, 4.1.3.2). */
function fullName(name: string, secure: boolean): string {
  return `${secure ? "__Host-" : ""}${name}`;
}

/**
 * Reads a cookie of the library beside that of the session; null for none, and for several of the name.
 *
 * @param sameSite As it was set. Default "lax".
 */
export function readHostCookie(
  store: RequestStore,
  name: string,
  sameSite: HostCookieReach = "lax",
): string | null {
  const header = store.request.headers.get("cookie");
  // Most visitors have none, and nobody needs to know the own address then.
  if (!header?.includes(`${name}=`)) return null;
  const reading = readCookie(header, fullName(name, isSentSecure(store, sameSite)));
  return reading.found === "one" ? reading.value : null;
}

/** Reads a secret in such a cookie; null for none. */
export function readSecretCookie(store: RequestStore, name: string): string | null {
  const value = readHostCookie(store, name);
  return isSecret(value) ? value : null;
}

/**
 * Sets a cookie of the library beside that of the session.
 *
 * @param cookie Name without the prefix, value, and the lifetime in seconds; 0 removes the cookie.
 * @param sameSite Requests of other sites that carry it. Default "lax": links alone. With "none" it is Secure even
 * on plain http, where only loopback hosts take it.
 * @throws {TypeError} When the value has a character that a cookie cannot hold.
 */
export function writeHostCookie(
  store: RequestStore,
  { name, value, maxAge }: { name: string; value: string; maxAge: number },
  sameSite: HostCookieReach = "lax",
): void {
  const secure = isSentSecure(store, sameSite);
  const cookie = { name: fullName(name, secure), value, maxAge };
  const attributes = { secure, httpOnly: true, sameSite, path: "/", domain: null };
  store.cookiesOut.set(serializeCookie(cookie, attributes));
}
