/**
 * The library's own cookies beside that of the session.
 *
 * @module
 */

import { readCookie, serializeCookie } from "../lib/cookie.ts";
import { isSecret } from "../lib/secret.ts";
import type { RequestStore } from "./contracts.ts";
import { isSecureOrigin } from "./origin.ts";

/** With the prefix no sibling host of the site can plant one (RFC 6265bis, 4.1.3.2). */
function fullName({ auth }: RequestStore, name: string): string {
  return `${isSecureOrigin(auth.origin()) ? "__Host-" : ""}${name}`;
}

/** Reads such a cookie; null for none, and for several of the name. */
export function readHostCookie(store: RequestStore, name: string): string | null {
  const header = store.request.headers.get("cookie");
  // Most visitors have none, and nobody needs to know the own address then.
  if (!header?.includes(`${name}=`)) return null;
  const reading = readCookie(header, fullName(store, name));
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
 * @param sameSite Requests of other sites that carry it. Default "lax": links alone.
 * @throws {TypeError} When the value has a character that a cookie cannot hold.
 */
export function writeHostCookie(
  store: RequestStore,
  { name, value, maxAge }: { name: string; value: string; maxAge: number },
  sameSite: "lax" | "strict" = "lax",
): void {
  const secure = isSecureOrigin(store.auth.origin());
  const cookie = { name: fullName(store, name), value, maxAge };
  const attributes = { secure, httpOnly: true, sameSite, path: "/", domain: null };
  store.cookiesOut.set(serializeCookie(cookie, attributes));
}
