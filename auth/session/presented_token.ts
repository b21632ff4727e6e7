import { sessionCookieName, type StrategyCookie } from "./session_cookie.ts";
import type { CookiesOfToken } from "./token_cookies.ts";

/** The token that a request brings. */
export type PresentedToken =
  | { found: "none" }
  | { found: "one"; token: string; source: TokenSource }
  /** Several that contradict each other, or a header that is none. */
  | { found: "unclear"; source: TokenSource; tokens: readonly string[] };

/** Where a token came from. Only what came in a cookie is answered with a cookie. */
export type TokenSource = "cookie" | "bearer";

/** Where a request may have a token: what is needed of the settings. */
export interface TokenPlace {
  /** Its cookie, and in which cookies of that name it is. */
  cookie: StrategyCookie;
  /** Whether it may be in the Authorization header. */
  bearer: boolean;
}

/** What is known of the request's cookies. */
export interface TokenReading {
  /** The token. */
  presented: PresentedToken;
  /** The names of the session cookies that came. */
  cookieNames: string[];
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
  { cookie, bearer }: TokenPlace,
  origin: () => string,
): TokenReading {
  const header = request.headers.get("cookie");
  const cookies = cookie.tokens.read(header, header === null ? "" : nameIn(cookie, origin));
  const authorized: PresentedToken = bearer
    ? fromAuthorization(request.headers.get("authorization"))
    : { found: "none" };
  const presented = authorized.found === "none" ? fromCookies(cookies) : authorized;
  return { presented, cookieNames: cookies.names };
}

// A browser has one, or a few that contradict each other. Nobody needs more ended at once.
const MAX_TOKENS = 16;

/** Every token that a request brings, believed or not: whoever signs out is to be signed out with each. */
export function everyPresentedToken(
  request: Request,
  { cookie, bearer }: TokenPlace,
  origin: () => string,
): string[] {
  const tokens = new Set<string>();
  for (const counts of [bearer, false]) {
    const { presented } = readPresentedToken(request, { cookie, bearer: counts }, origin);
    if (presented.found === "one") tokens.add(presented.token);
    if (presented.found === "unclear") { for (const token of presented.tokens) tokens.add(token); }
  }
  return [...tokens].slice(0, MAX_TOKENS);
}
