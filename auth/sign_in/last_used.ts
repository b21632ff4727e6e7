/**
 * The way to sign in that a browser has used last, which the sign-in page marks.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import { isSecureOrigin } from "../core/origin.ts";
import { MAX_COOKIE_AGE, readCookie, serializeCookie } from "../lib/cookie.ts";

/** With the prefix no sibling host of the site can plant one. */
function cookieName(secure: boolean): string {
  return `${secure ? "__Host-" : ""}framework.last`;
}

/**
 * Keeps the id of the provider by which somebody has signed in, and nothing about who it was. An application with a
 * sign-in page of its own has no use for it.
 */
export function keepLastUsed({ auth, cookiesOut }: RequestStore, provider: string): void {
  const { pages, basePath } = auth.settings;
  if (pages.signIn !== `${basePath}/signin`) return;
  const secure = isSecureOrigin(auth.origin());
  const cookie = { name: cookieName(secure), value: provider, maxAge: MAX_COOKIE_AGE };
  cookiesOut.set(
    serializeCookie(cookie, {
      secure,
      httpOnly: true,
      sameSite: "lax",
      path: "/",
      domain: null,
    }),
  );
}

/** Reads the provider that this browser has used last; null for none, and for one that there is not. */
export function readLastUsed({ auth, request }: RequestStore): string | null {
  const name = cookieName(isSecureOrigin(auth.origin()));
  const reading = readCookie(request.headers.get("cookie"), name);
  return reading.found === "one" && auth.settings.providers.has(reading.value)
    ? reading.value
    : null;
}
