import { readCookie } from "../session/read_cookie.ts";
import { isSlug, isTenantId } from "./names.ts";
import type { TenantResolverOptions } from "./resolver_options.ts";

/** What a request calls its tenant. */
export interface TenantName {
  /** It, when it can be a slug. */
  slug: string | null;
  /** It, when it can be an id, and where an id may stand. */
  id: string | null;
}

/** The request as far as it can name a tenant. */
export interface NamingRequest {
  /** Its address. */
  url: URL;
  /** Its headers. */
  headers: Headers;
}

/**
 * Compared label by label: neither the end of another domain, nor a host below a tenant's, nor the same
 * host with a dot at its end is one. The parser of the address has taken the port and lowered the case.
 */
function fromHost({ hostname }: URL, baseDomain: string): string | null {
  const dot = hostname.indexOf(".");
  return dot !== -1 && hostname.slice(dot + 1) === baseDomain ? hostname.slice(0, dot) : null;
}

/** The segment as it stands there. The parser has resolved dot segments; nothing is decoded. */
function fromPath({ pathname }: URL, prefix: string): string | null {
  if (!pathname.startsWith(prefix)) return null;
  const end = pathname.indexOf("/", prefix.length);
  return pathname.slice(prefix.length, end === -1 ? undefined : end);
}

function fromCookie(headers: Headers, name: string): string | null {
  const cookie = readCookie(headers.get("cookie"), name);
  return cookie.found === "one" ? cookie.value : null;
}

/** True for an address at the usual port of a host that could be a tenant's. */
export function isTenantHost(url: URL, baseDomain: string): boolean {
  return url.port === "" && isSlug(fromHost(url, baseDomain));
}

/** Reads what a request calls its tenant; whatever can be no name is null. */
export function readTenantName(
  { url, headers }: NamingRequest,
  options: Required<TenantResolverOptions>,
): TenantName {
  const { strategy, baseDomain, pathPrefix, headerName, cookieName } = options;
  const byId = strategy === "header" || strategy === "cookie";
  const name = {
    subdomain: () => fromHost(url, baseDomain),
    path: () => fromPath(url, pathPrefix),
    header: () => headers.get(headerName),
    cookie: () => fromCookie(headers, cookieName),
  }[strategy]();
  return {
    slug: isSlug(name) ? name : null,
    id: byId && isTenantId(name) ? name : null,
  };
}
