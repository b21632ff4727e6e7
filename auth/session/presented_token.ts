import { sessionCookieName } from "./session_cookie.ts";
import type { CookiesOfToken, PresentedToken, StrategyCookie } from "./strategy.ts";

/** Where a request may have a token: what is needed of the settings. */
export interface TokenPlace {
  /** Its cookie, and in which cookies of that name it is. */
  cookie: StrategyCookie;
  /** The clock. */
  now: () => number;
  /** Whether it may be in the Authorization header. */
  bearer: boolean;
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

/** Another scheme than Bearer is somebody else's business. */
function fromAuthorization(header: string | null): PresentedToken {
  if (header === null || !BEARER_SCHEME.test(header)) return { found: "none" };
  const token = BEARER.exec(header)?.[1];
  return token === undefined
    ? { found: "unclear", source: "bearer", tokens: [] }
    : { found: "one", token, source: "bearer" };
}

/** An origin that nobody knows is none of a developer's own machine. */
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
    const authorized = fromAuthorization(request.headers.get("authorization"));
    if (authorized.found !== "none") return authorized;
  }
  const header = request.headers.get("cookie");
  return header === null
    ? { found: "none" }
    : fromEitherCookie(place, header, nameIn(place.cookie, origin));
}

/** What a request brings under the name of the cookie with the prefix, and under the one without. */
function everyCookie(request: Request, { cookie }: TokenPlace): CookiesOfToken[] {
  const header = request.headers.get("cookie");
  return [...new Set([cookie.prefix + cookie.name, cookie.name])]
    .map((name) => cookie.tokens.read(header, name));
}

/** The names of the session cookies that came with a request, believed or not. */
export function presentedNames(request: Request, place: TokenPlace): string[] {
  return everyCookie(request, place).flatMap(({ names }) => names);
}

// A browser has one, or a few that contradict each other. Nobody needs more ended at once.
const MAX_TOKENS = 16;

/** Every token that a request brings, believed or not: whoever signs out is to be signed out with each. */
export function everyPresentedToken(request: Request, place: TokenPlace): string[] {
  const tokens = new Set<string>();
  const found = everyCookie(request, place).map(fromCookies);
  if (place.bearer) found.unshift(fromAuthorization(request.headers.get("authorization")));
  for (const presented of found) {
    if (presented.found === "one") tokens.add(presented.token);
    if (presented.found === "unclear") { for (const token of presented.tokens) tokens.add(token); }
  }
  return [...tokens].slice(0, MAX_TOKENS);
}
