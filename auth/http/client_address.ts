import { canonicalAddress } from "./ip_address.ts";
import type { RequestInfo } from "./request_info.ts";
import type { TrustedProxies } from "./trusted_proxies.ts";
import { isWorkerPlatform } from "../config/worker_platform.ts";

/** What is needed of the settings. */
export interface ProxySettings {
  /** What is known of the own address. */
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
 * The address of the client in its canonical form; null when the host says none. It is what the host
 * says, or `CF-Connecting-IP` on workers, and of other headers what `trustedProxies` wrote.
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
