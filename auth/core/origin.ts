/**
 * The application's own origin, and the refusal of requests from other sites (CSRF).
 *
 * @module
 */

import { ConfigurationError, CrossSiteRequestError, RequestError } from "../errors.ts";
import { mediaType } from "../lib/body.ts";
import { isLoopbackHost } from "../lib/ip_address.ts";
import {
  peerAddress,
  type ProxySettings,
  type RequestInfo,
  type TrustedProxies,
} from "./client_address.ts";

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
  /** True for the address of a host that the platform routes too, and that is nobody's here. Default: for none. */
  isNobodys?: ((url: URL) => boolean) | undefined;
  /** The proxies in front of it; null for none. */
  trustedProxies: TrustedProxies | null;
}

/**
 * The origin of the application, on which redirects, origin checks and Secure cookies rest.
 *
 * A server that takes the host from the request lets any client choose it, so it is believed only where
 * it cannot be chosen or cannot matter. What proxies say is in the address already, see `requestedUrl()`.
 *
 * @param requested Gives the address of the request, where that matters.
 * @throws {RequestError} `HOST_NOT_ALLOWED` for a host that is not in `allowedHosts`, or nobody's.
 * @throws {ConfigurationError} When nothing says what the own address is.
 */
export function ownOrigin(requested: () => URL, options: AddressOptions): string {
  const { baseOrigin, allowedHosts, platformRoutesByHost } = options;
  if (baseOrigin !== null) {
    return options.isTenantHost ? tenantOrigin(requested, options) : baseOrigin;
  }
  const url = requested();
  const isOwn = allowedHosts === null
    ? isLoopbackHost(url.hostname) || (platformRoutesByHost && !options.isNobodys?.(url))
    : allowedHosts.has(url.host) || options.isTenantHost?.(url);
  if (isOwn) return url.origin;
  if (allowedHosts !== null || platformRoutesByHost) {
    throw new RequestError(undefined, { code: "HOST_NOT_ALLOWED" });
  }
  throw new ConfigurationError(
    `Cannot trust the host "${url.host}", which any client can send. ` +
      'Set baseUrl: "https://…", or allowedHosts: ["…"].',
    { field: "baseUrl" },
  );
}

/** The own origin where tenants have hosts beside that of the base address, which has the scheme and the port of all. */
function tenantOrigin(requested: () => URL, { baseOrigin, isTenantHost }: AddressOptions): string {
  const url = new URL(baseOrigin!);
  const port = url.port;
  url.hostname = requested().hostname;
  // Without the port, which may be another one within.
  url.port = "";
  if (!isTenantHost!(url)) return baseOrigin!;
  url.port = port;
  return url.origin;
}

/**
 * Tests if cookies of this origin are Secure: all except those of plain http on a loopback host.
 *
 * @param origin Origin of the application.
 *
 * @example
 * ```ts
 * import { isSecureOrigin } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * equal(isSecureOrigin("https://app.example"), true);
 * equal(isSecureOrigin("http://localhost:8787"), false);
 * ```
 */
export function isSecureOrigin(origin: string): boolean {
  return origin.startsWith("https:") || !isLoopbackHost(new URL(origin).hostname);
}

/** Origins that {@linkcode assertSameOrigin} trusts. */
export interface SameOriginOptions {
  /** The origin of the application itself. */
  ownOrigin: string;
  /** Further origins whose pages may send requests. Default: none. */
  trustedOrigins?: Iterable<string>;
}

/** True for the handshake of a WebSocket (RFC 6455, 4.1). */
export function isHandshake({ headers }: Request): boolean {
  return headers.get("upgrade")?.toLowerCase() === "websocket";
}

/** True for a token in a header, which a page of another site could only have sent with this site's leave (Fetch, CORS). */
function hasBearer({ headers }: Request): boolean {
  return /^bearer ./i.test(headers.get("authorization") ?? "");
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/**
 * Refuses a request that would change something, or open a WebSocket, and that another site's page made the
 * browser send. It looks at no cookie: signing somebody in from another site is an attack too.
 *
 * With the own `Origin`, `Sec-Fetch-Site` may be absent, `same-origin` or `none`; a sibling subdomain is
 * not the same origin. A trusted `Origin` passes. `Origin: null` or none needs `Sec-Fetch-Site:
 * same-origin`. With neither header the client is no browser of today, and only what no form can send passes (OWASP
 * Cross-Site Request Forgery Prevention): `application/json`, a token in `Authorization: Bearer`, which no browser sends by
 * itself, or a WebSocket's handshake, in which every browser names the origin (RFC 6455, 10.2).
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
  if (isSafe && !isHandshake(request)) return;
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  if (origin === options.ownOrigin) {
    if (site === null || site === "same-origin" || site === "none") return;
    throw new CrossSiteRequestError();
  }
  if (origin === null || origin === "null") {
    if (site === "same-origin") return;
    // With a handshake every browser names its page's origin.
    const isNoForm = isSafe || mediaType(request) === "application/json" || hasBearer(request);
    if (origin !== null || site !== null) throw new CrossSiteRequestError();
    if (isNoForm) return;
    throw new CrossSiteRequestError(
      "This request has no Origin and was refused. A program sends JSON, or its token as Authorization: Bearer.",
    );
  }
  for (const trusted of options.trustedOrigins ?? []) {
    if (origin === trusted) return;
  }
  throw new CrossSiteRequestError();
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
