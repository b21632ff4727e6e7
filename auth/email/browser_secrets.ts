import { isSecureOrigin } from "../http/own_origin.ts";
import { isSecret } from "../one_time/secret.ts";
import { readCookie } from "../session/read_cookie.ts";
import { serializeCookie } from "../session/set_cookie.ts";
import { KEPT_REQUESTS } from "./pending_sign_in.ts";
import type { RequestStore } from "../http/contracts.ts";

/** With the prefix no sibling host of the site can plant one. */
function cookieName(secure: boolean): string {
  return `${secure ? "__Host-" : ""}framework.email`;
}

/**
 * What this browser was given when it asked for e-mails, the newest first. One secret per e-mail, and
 * always a new one, so that what was here before stands for no e-mail that is still to come.
 */
export function readBrowserSecrets({ request, auth }: RequestStore): string[] {
  const name = cookieName(isSecureOrigin(auth.origin()));
  const reading = readCookie(request.headers.get("cookie"), name);
  if (reading.found !== "one") return [];
  return reading.value.split(".").slice(0, KEPT_REQUESTS).filter(isSecret);
}

/** Gives the browser the secret of one more e-mail. */
export function keepBrowserSecret(store: RequestStore, secret: string, maxAge: number): void {
  const secure = isSecureOrigin(store.auth.origin());
  const value = [secret, ...readBrowserSecrets(store)].slice(0, KEPT_REQUESTS).join(".");
  store.cookiesOut.set(serializeCookie({ name: cookieName(secure), value, maxAge }, {
    secure,
    httpOnly: true,
    sameSite: "lax",
    path: "/",
    domain: null,
  }));
}
