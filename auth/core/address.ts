/**
 * Addresses of a request: own origin, client, proxies, and the check of its origin.
 *
 * @module
 */

import { ConfigurationError, CrossSiteRequestError, RequestError } from "../errors.ts";
import { addressBits, canonicalAddress, networkBits } from "../lib/address.ts";
import { mediaType } from "../lib/body.ts";
import { readList, wrongOption } from "../lib/options.ts";
import { isWorkerPlatform } from "../lib/runtime.ts";

/** Options for the application's own address. */
export interface AddressOptions {
  /** The origin, when there is exactly one. */
  baseOrigin: string | null;
  /** The hosts it answers for. */
  allowedHosts: ReadonlySet<string> | null;
  /** True for the address of a tenant's own host, where tenants have such. */
  isTenantHost?: ((url: URL) => boolean) | undefined;
  /** True when the platform vouches for the URL of a request, as workers do. */
  platformRoutesByHost: boolean;
  /** The proxies in front of it; null for none. */
  trustedProxies: TrustedProxies | null;
}

/** True for hosts that never leave the machine: localhost, *.localhost, 127.0.0.0/8 and [::1]. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/**
 * The origin of the application, on which redirects, origin checks and Secure cookies rest.
 *
 * A server that takes the host from the request lets any client choose it, so it is believed only where
 * it cannot be chosen or cannot matter. What proxies say is in the address already, see `requestedUrl()`.
 *
 * @param requested Gives the address of the request, where that matters.
 * @throws {RequestError} `HOST_NOT_ALLOWED` for a host that is not in `allowedHosts`.
 * @throws {ConfigurationError} When nothing says what the own address is.
 */
export function ownOrigin(requested: () => URL, options: AddressOptions): string {
  const { baseOrigin, allowedHosts, platformRoutesByHost } = options;
  if (baseOrigin !== null) return baseOrigin;
  const url = requested();
  if (allowedHosts !== null) {
    if (allowedHosts.has(url.host) || options.isTenantHost?.(url)) return url.origin;
    throw new RequestError(undefined, { code: "HOST_NOT_ALLOWED" });
  }
  if (platformRoutesByHost || isLoopbackHost(url.hostname)) return url.origin;
  throw new ConfigurationError(
    `Cannot trust the host "${url.host}", which any client can send. ` +
      'Set baseUrl: "https://…", or allowedHosts: ["…"].',
    { field: "baseUrl" },
  );
}

/**
 * Tests if cookies of this origin are Secure: all except those of plain http on a loopback host.
 */
export function isSecureOrigin(origin: string): boolean {
  return origin.startsWith("https:") || !isLoopbackHost(new URL(origin).hostname);
}

/** Whom {@linkcode assertSameOrigin} trusts. */
export interface SameOriginOptions {
  /** The origin of the application itself. */
  ownOrigin: string;
  /** Further origins whose pages may send requests. Default: none. */
  trustedOrigins?: Iterable<string>;
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/**
 * Refuses a request that would change something, or open a WebSocket, and that another site's page made the
 * browser send. It looks at no cookie: signing somebody in from another site is an attack too.
 *
 * With the own `Origin`, `Sec-Fetch-Site` may be absent, `same-origin` or `none`; a sibling subdomain is
 * not the same origin. A trusted `Origin` passes. `Origin: null` or none needs `Sec-Fetch-Site:
 * same-origin`. With neither header the client is no browser of today, and only `application/json` passes,
 * which no form can send (OWASP Cross-Site Request Forgery Prevention), or a WebSocket's handshake, in which every
 * browser names the origin (RFC 6455, 10.2).
 *
 * @param request Its method and headers are read.
 * @param options The application's own origin, and further ones that it trusts.
 * @throws {CrossSiteRequestError} When the request is refused.
 *
 * @example
 * ```ts
 * import { assertSameOrigin } from "@framework/auth";
 * import { throws } from "node:assert/strict";
 *
 * const request = new Request("https://app.example/orders", {
 *   method: "POST",
 *   headers: { origin: "https://evil.example" },
 * });
 * throws(() => assertSameOrigin(request, { ownOrigin: "https://app.example" }));
 * ```
 */
export function assertSameOrigin(request: Request, options: SameOriginOptions): void {
  const isSafe = SAFE_METHODS.has(request.method);
  // A page of any site may open a WebSocket, and read what it says.
  if (isSafe && request.headers.get("upgrade")?.toLowerCase() !== "websocket") return;
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  if (origin === options.ownOrigin) {
    if (site === null || site === "same-origin" || site === "none") return;
    throw new CrossSiteRequestError();
  }
  if (origin === null || origin === "null") {
    if (site === "same-origin") return;
    // With a handshake every browser names its page's origin.
    const isNoForm = isSafe || mediaType(request) === "application/json";
    if (origin === null && site === null && isNoForm) return;
    throw new CrossSiteRequestError();
  }
  for (const trusted of options.trustedOrigins ?? []) {
    if (origin === trusted) return;
  }
  throw new CrossSiteRequestError();
}

/** Information from the host about a request. */
export interface RequestInfo {
  /** Keeps the host alive for work that the response does not wait for. Default: the work just runs. */
  waitUntil?(work: Promise<unknown>): void;
  /**
   * Address of the connection's peer, from no header: for events, limits and `trustedProxies`.
   * Default: unknown; on workers, `CF-Connecting-IP`.
   */
  clientAddress?: string | undefined;
  /** False: `run()` reads no session; `context.auth` still reads it when asked. Default true. */
  session?: boolean;
  /** Names the request in error responses and the log. Default: a random UUID. */
  requestId?: string;
  /**
   * Renders the application's own page at this address with this status, such as its sign-in page after
   * a wrong password. Null when it has none.
   */
  renderPage?(url: URL, status: number): Promise<Response | null>;
}

/** Settings used here. */
export interface ProxySettings {
  /** Compiled options for the own address. */
  address: {
    /** The proxies in front of the application; null for none. */
    trustedProxies: TrustedProxies | null;
  };
}

/** The address from which the host got the request. */
function peerAddress({ headers }: Request, { clientAddress: given }: RequestInfo): string | null {
  // Workers get it in a header that no client can set there. Elsewhere any client can.
  const peer = given ?? (isWorkerPlatform() ? headers.get("cf-connecting-ip") : null);
  return peer === null ? null : canonicalAddress(peer.trim());
}

/**
 * Canonical address of the client; null when it is unknown. It is what the host says, or
 * `CF-Connecting-IP` on workers, and of other headers what `trustedProxies` wrote.
 *
 * Whoever counts clients counts the networks of IPv6 (the first 64 bits): one client has all of it.
 */
export function clientAddress(
  request: Request,
  info: RequestInfo,
  { address: { trustedProxies } }: ProxySettings,
): string | null {
  const peer = peerAddress(request, info);
  if (peer === null || trustedProxies === null) return peer;
  return trustedProxies.clientAddress(peer, request.headers);
}

/**
 * The address as the client wrote it: that of the request, in which `X-Forwarded-Proto` and
 * `X-Forwarded-Host` of a trusted proxy take the place of what the proxy asked for.
 */
export function requestedUrl(
  request: Request,
  info: RequestInfo,
  { address: { trustedProxies } }: ProxySettings,
): URL {
  const url = new URL(request.url);
  if (trustedProxies === null) return url;
  const peer = peerAddress(request, info);
  if (peer === null) return url;
  return trustedProxies.requestedUrl(url, { peer, headers: request.headers });
}

/** Trusted proxies in front of an application, see `trustProxies()`. */
export interface TrustedProxies {
  /** Tells it from other values. */
  readonly kind: "trusted-proxies";
  /** The address of the client of a request that came from `peer`. */
  clientAddress(peer: string, headers: Headers): string;
  /** The address as that client wrote it. */
  requestedUrl(url: URL, from: { peer: string; headers: Headers }): URL;
}

// Longer chains are not how a request comes.
const MAX_HOPS = 32;

/** The address in a hop: alone, or with the port as some proxies write it. */
function hopAddress(hop: string): string | null {
  const text = hop.trim();
  const ported = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? /^([^:]+):\d+$/.exec(text);
  return canonicalAddress(ported?.[1] ?? text);
}

/** The addresses in `for=` of a Forwarded header (RFC 7239, 4); null in the place of one that is hidden. */
function forwardedHops(header: string): (string | null)[] {
  return header.split(",").map((hop) => {
    const found = /(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^\s;"]*))\s*(?:;|$)/i.exec(hop);
    return found === null ? null : hopAddress(found[1] ?? found[2]!);
  });
}

/** The one value of a header that a proxy writes; null when there is none, or when there are several. */
function single(headers: Headers, name: string): string | null {
  const values = new Set(headers.get(name)?.split(",").map((value) => value.trim().toLowerCase()));
  return values.size === 1 ? [...values][0]! : null;
}

function readNetwork(item: unknown, index: number): string {
  const bits = typeof item === "string" ? networkBits(item) : null;
  if (bits !== null) return bits;
  throw wrongOption(
    `trustedProxies[${index}]`,
    item,
    'an address such as "192.0.2.7" or a network such as "10.0.0.0/8", which is not everybody',
  );
}

/**
 * The proxies in front of the application, for `trustedProxies` of `createAuth()`. `X-Forwarded-For` and
 * `Forwarded` count only as far as they were written by them. A proxy writes one of the two, and lets through
 * what a client wrote into the other: where they contradict each other neither is believed.
 *
 * @param list Addresses, and networks such as "10.0.0.0/8". Applications by convention write the list alone.
 * @throws {ConfigurationError} When one is no address and no network.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, trustProxies } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const trustedProxies = trustProxies(["10.0.0.0/8"]);
 * const auth = createAuth({
 *   baseUrl: "https://app.example",
 *   database: createMemoryStorage(),
 *   trustedProxies,
 * });
 *
 * const headers = new Headers({ "x-forwarded-for": "192.0.2.7" });
 * equal(trustedProxies.clientAddress("10.0.0.1", headers), "192.0.2.7");
 * // From anywhere else it may be a lie.
 * equal(trustedProxies.clientAddress("203.0.113.9", headers), "203.0.113.9");
 * ```
 */
export function trustProxies(list: readonly string[]): TrustedProxies {
  const networks = readList(list, "trustedProxies", "10.0.0.0/8").map(readNetwork);

  function isTrusted(address: string): boolean {
    const bits = addressBits(address);
    return networks.some((network) => bits.startsWith(network));
  }

  // The last hop that is no proxy of ours. Each proxy adds the address that it saw to the end, so from there
  // they are believed as far as they were written by one that is trusted; what stands before them anybody
  // can have written.
  function walk(peer: string, hops: (string | null)[]): string {
    let client = peer;
    for (const hop of hops.slice(-MAX_HOPS).reverse()) {
      if (hop === null || !isTrusted(client)) break;
      client = hop;
    }
    return client;
  }

  return {
    kind: "trusted-proxies",
    clientAddress(peer, headers) {
      const list = headers.get("x-forwarded-for");
      const forwarded = headers.get("forwarded");
      const clients = [
        ...(list === null ? [] : [walk(peer, list.split(",").map(hopAddress))]),
        ...(forwarded === null ? [] : [walk(peer, forwardedHops(forwarded))]),
      ];
      return clients[0] === clients.at(-1) ? clients[0] ?? peer : peer;
    },
    requestedUrl(url, { peer, headers }) {
      if (!isTrusted(peer)) return url;
      const proto = single(headers, "x-forwarded-proto") ?? url.protocol.slice(0, -1);
      const host = single(headers, "x-forwarded-host") ?? url.host;
      if (!/^https?$/.test(proto) || !/^[^/?#@\\\s]+$/.test(host)) return url;
      const address = `${proto}://${host}${url.pathname}`;
      return URL.canParse(address) ? new URL(address) : url;
    },
  };
}
