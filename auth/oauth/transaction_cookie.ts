import { isSecureOrigin } from "../http/own_origin.ts";
import { readCookie } from "../session/read_cookie.ts";
import { serializeCookie } from "../session/set_cookie.ts";
import type { OAuthClient } from "./oauth_client.ts";
import type { EndpointContext } from "../http/contracts.ts";

const NAME = "framework.oauth-";
const NAME_PATTERN = /(?:^|;)[ \t]*((?:__Host-)?framework\.oauth-[A-Za-z0-9_-]{12})=/g;
// More sign-ins than anybody has open at once; of more the browser would send ever longer headers.
const MAX_OPEN = 8;

/** Whether the cookie is Secure. One that another site's POST must carry has to be. */
function isSecure(context: EndpointContext, { formPost }: OAuthClient): boolean {
  return formPost || isSecureOrigin(context.store.auth.origin());
}

/** Each transaction has a cookie of its own, so that several tabs do not disturb each other. */
function cookieName(state: string, secure: boolean): string {
  // With the prefix no sibling host can plant one, and with it a sign-in as somebody else.
  return `${secure ? "__Host-" : ""}${NAME}${state.slice(0, 12)}`;
}

function write(
  context: EndpointContext,
  client: OAuthClient,
  cookie: { name: string; value: string; maxAge: number },
): void {
  const line = serializeCookie(cookie, {
    secure: isSecure(context, client),
    httpOnly: true,
    // A provider that answers by POST makes a request of another site, which carries no Lax cookie.
    sameSite: client.formPost ? "none" : "lax",
    path: "/",
    domain: null,
  });
  context.store.cookiesOut.set(line);
}

/** Gives the browser the cookie of a transaction, and takes the oldest away when there are too many. */
export function writeTransactionCookie(
  context: EndpointContext,
  client: OAuthClient,
  { state, value, maxAge }: { state: string; value: string; maxAge: number },
): void {
  const header = context.store.request.headers.get("cookie") ?? "";
  const open = [...header.matchAll(NAME_PATTERN)].map(([, name]) => name!);
  for (const name of open.slice(0, 1 - MAX_OPEN)) {
    write(context, client, { name, value: "", maxAge: 0 });
  }
  const name = cookieName(state, isSecure(context, client));
  write(context, client, { name, value, maxAge });
}

/** What the cookie of a transaction holds; null when this browser has none. It is taken away. */
export function takeTransactionCookie(
  context: EndpointContext,
  client: OAuthClient,
  state: string,
): string | null {
  const name = cookieName(state, isSecure(context, client));
  const reading = readCookie(context.store.request.headers.get("cookie"), name);
  if (reading.found === "none") return null;
  write(context, client, { name, value: "", maxAge: 0 });
  return reading.found === "one" ? reading.value : null;
}
