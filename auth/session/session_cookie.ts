import type { SessionCookie } from "../config/cookie_options.ts";
import { isSecureOrigin } from "../http/own_origin.ts";
import { type CookieAttributes, serializeCookie } from "./set_cookie.ts";

/** The origin is asked for only where it matters, since it may be unknown. */
function attributes(cookie: SessionCookie, origin: () => string): CookieAttributes {
  const { httpOnly, sameSite, path, domain } = cookie;
  const secure = cookie.secure === "auto" ? isSecureOrigin(origin()) : cookie.secure;
  return { secure, httpOnly, sameSite, path, domain };
}

/**
 * The line that gives the browser its session.
 *
 * @param life The token, and the milliseconds until the session ends.
 */
export function sessionCookieLine(
  cookie: SessionCookie,
  life: { token: string; milliseconds: number },
  origin: () => string,
): string {
  const maxAge = Math.max(1, Math.floor(life.milliseconds / 1000));
  return serializeCookie(
    { name: cookie.name, value: life.token, maxAge },
    attributes(cookie, origin),
  );
}

/**
 * The lines that remove the session cookie: same name, path and domain as it was set with. With a domain
 * there is a second one for the host alone, since a cookie from before the domain was configured would
 * otherwise stand beside the new one for as long as it lives.
 */
export function clearedCookieLines(cookie: SessionCookie, origin: () => string): string[] {
  const gone = { name: cookie.name, value: "", maxAge: 0 };
  const present = attributes(cookie, origin);
  const lines = [serializeCookie(gone, present)];
  if (present.domain !== null) lines.push(serializeCookie(gone, { ...present, domain: null }));
  return lines;
}
