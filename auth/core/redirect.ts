/**
 * The redirect guard and redirects.
 *
 * @module
 */

import type { SafeRedirect } from "../errors.ts";
import type { EndpointContext, Settings } from "./contracts.ts";
import { SECURITY_HEADERS } from "./error_response.ts";
import { prefersJson } from "./request.ts";

/** Allowed redirect targets. */
interface RedirectBounds {
  /** The application's own origin. */
  ownOrigin: string;
  /** Further origins, exactly. */
  trustedOrigins: ReadonlySet<string>;
}

/** Characters of the longest address that is followed. */
const LONGEST = 2048;

/** True for a text that could be an address: of no absurd length, and without what no honest one holds. */
function isAddressLike(target: unknown): target is string {
  if (typeof target !== "string" || target === "" || target.length > LONGEST) return false;
  // URL parsers drop tabs and line ends and trim controls.
  // deno-lint-ignore no-control-regex -- controls are what is looked for
  return !/[\x00-\x20\x7f-\x9f\\]/.test(target);
}

/**
 * The one check of every address that came from outside: `callbackUrl`, `redirectTo` and the like.
 *
 * The decision is made on the parsed URL and the parsed URL is what is emitted, absolute. To emit the
 * text or the path again would let the browser read it anew: `/..//evil.example` is a path of the own
 * origin, and its path alone, `//evil.example`, is another host.
 *
 * @param target Anything; only text can pass.
 * @returns The address to emit, or null when the client must not be sent there.
 */
export function guardRedirect(target: unknown, bounds: RedirectBounds): SafeRedirect | null {
  if (!isAddressLike(target)) return null;
  let url: URL;
  try {
    url = new URL(target, bounds.ownOrigin);
  } catch {
    return null;
  }
  // `blob:` URLs have an origin too, so the scheme is asked for by itself.
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  if (url.username !== "" || url.password !== "") return null;
  if (url.origin !== bounds.ownOrigin && !bounds.trustedOrigins.has(url.origin)) return null;
  return url.href as SafeRedirect;
}

/** The address of a path of the application itself, which was checked with the configuration. */
export function ownRedirect(
  path: string,
  ownOrigin: string,
  parameters: Record<string, string | null> = {},
): SafeRedirect {
  const url = new URL(path, ownOrigin);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null) url.searchParams.set(name, value);
  }
  if (url.origin !== ownOrigin) {
    throw new TypeError(`Cannot redirect: "${path}" is no path of ${ownOrigin}`);
  }
  return url.href as SafeRedirect;
}

/** The address at which a provider signs visitors in: that of the configuration, with parameters. */
export function providerRedirect(url: URL, configured: string): SafeRedirect {
  const { origin, pathname } = new URL(configured);
  if (url.origin !== origin || url.pathname !== pathname) {
    throw new TypeError(`Cannot redirect: the provider is at ${origin}${pathname}`);
  }
  return url.href as SafeRedirect;
}

/** A redirect response; it is not cached, since it depends on who asks. */
export function redirectResponse(location: SafeRedirect, status: 302 | 303): Response {
  return new Response(null, {
    status,
    headers: { "location": location, "cache-control": "no-store", "vary": "Accept, Cookie" },
  });
}

/**
 * Decides where a visitor goes now: asks the application's `redirect` callback if there is one, and checks
 * its answer like any other address. A callback that fails must not keep anybody from signing out, so it
 * counts as no answer.
 *
 * @param target Where the visitor asked to go; anything.
 * @returns Null when there is no such place, and the start page is it.
 */
export async function settleRedirect(
  target: unknown,
  context: EndpointContext,
): Promise<SafeRedirect | null> {
  const { settings: { callbacks, logger }, origin } = context.store.auth;
  const bounds = redirectBounds(context);
  if (callbacks.redirect === undefined) return guardRedirect(target, bounds);
  const report = () => ({ requestId: context.store.requestId(), callback: "redirect" });
  try {
    const baseUrl = origin();
    const url = isAddressLike(target) ? target : `${baseUrl}/`;
    const chosen = guardRedirect(await callbacks.redirect({ url, baseUrl }), bounds);
    if (chosen === null) logger.warn("redirect-refused", report());
    return chosen;
  } catch (error) {
    logger.error("callback-failed", { ...report(), error });
    return null;
  }
}

/**
 * Path to return to after a proof: of the page that was asked for; of a form, which is never sent again, of the page that has
 * it, as the browser names it. Of an address that is too long to be followed it is the path alone. Null where there is none
 * in the application itself.
 */
export function returnPath(request: Request, ownOrigin: string): string | null {
  const isPage = request.method === "GET" || request.method === "HEAD";
  const page = isPage
    ? request.url
    : guardRedirect(request.headers.get("referer"), { ownOrigin, trustedOrigins: new Set() });
  if (page === null) return null;
  const { pathname, search } = new URL(page);
  // Read anew such a path would be another host.
  if (pathname.startsWith("//") || pathname.length > LONGEST) return null;
  return pathname.length + search.length > LONGEST ? pathname : pathname + search;
}

/** Allowed redirect targets for this request. */
export function redirectBounds({ store }: EndpointContext): RedirectBounds {
  return { ownOrigin: store.auth.origin(), trustedOrigins: store.auth.settings.trustedOrigins };
}

/** The `callbackUrl` of a request when it may be followed, else null: for a page that passes it on. */
export function safeCallback(target: unknown, context: EndpointContext): SafeRedirect | null {
  return guardRedirect(target ?? null, redirectBounds(context));
}

/** A JSON response of the library. */
export function jsonResponse(body: unknown): Response {
  return Response.json(body, { headers: SECURITY_HEADERS });
}

/** The answer to a form that is done: the page, or for a client that prefers JSON what stands on it. */
export function doneResponse(context: EndpointContext, body: unknown, to: SafeRedirect): Response {
  return prefersJson(context.store.request) ? jsonResponse(body) : redirectResponse(to, 303);
}

/**
 * The path below `basePath`, or null for a path that is not there. The URL parser has resolved dot
 * segments; nothing else is decoded or folded, so every other spelling of a path is another path, and
 * the table knows it or does not.
 */
export function pathBelow(pathname: string, basePath: string): string | null {
  if (pathname === basePath) return "";
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : null;
}

/**
 * Path on which visitors sign in: the sign-in page, or where there is none the one provider that there is, which sends
 * them to its own page. Null where there is neither.
 */
export function signInPath(
  settings: Pick<Settings, "basePath" | "pages" | "providers">,
): string | null {
  const { basePath, pages, providers } = settings;
  if (!isMissingPage(pages.signIn, settings)) return pages.signIn;
  const [one, another] = providers.values();
  return one && !another && "oauth" in one ? `${basePath}/signin/${one.id}` : null;
}

/** True for the address of a built-in page in an application without a theme, where it leads nowhere. */
export function isMissingPage(
  page: string,
  { basePath, pages }: Pick<Settings, "basePath" | "pages">,
): boolean {
  return pages.theme === null && pathBelow(page, basePath) !== null;
}
