import type { SessionCookie } from "../config/cookie_options.ts";
import { isSecureOrigin } from "../http/own_origin.ts";
import { type CookieAttributes, serializeCookie } from "./set_cookie.ts";
import type { StrategyCookie } from "./strategy.ts";

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
