/**
 * The library's own cookies beside that of the session.
 *
 * @module
 */

import { readCookie, serializeCookie } from "../lib/cookie.ts";
import { isSecret } from "../lib/secret.ts";
import type { RequestStore } from "./contracts.ts";
import { isSecureOrigin } from "./origin.ts";

/** Requests of other sites that carry such a cookie: all, links alone, or none. */
export type HostCookieReach = "none" | "lax" | "strict";

/** A request of another site that is no link sends only cookies that are Secure. */
function isSecure({ auth }: RequestStore, sameSite: HostCookieReach): boolean {
  return sameSite === "none" || isSecureOrigin(auth.origin());
}

/** With the prefix no sibling host of the site can plant one (RFC 6265bis, 4.1.3.2). */
function fullName(name: string, secure: boolean): string {
  return `${secure ? "__Host-" : ""}${name}`;
}

/**
 * Reads such a cookie; null for none, and for several of the name.
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
  const reading = readCookie(header, fullName(name, isSecure(store, sameSite)));
  return reading.found === "one" ? reading.value : null;
}

/** Reads a secret in such a cookie; null for none. */
export function readSecretCookie(store: RequestStore, name: string): string | null {
  const value = readHostCookie(store, name);
  return isSecret(value) ? value : null;
}

/**
 * Sets such a cookie.
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
  const secure = isSecure(store, sameSite);
  const cookie = { name: fullName(name, secure), value, maxAge };
  const attributes = { secure, httpOnly: true, sameSite, path: "/", domain: null };
  store.cookiesOut.set(serializeCookie(cookie, attributes));
}
