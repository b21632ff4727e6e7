import { isWorkerPlatform } from "./own_origin.ts";
import { addressBits, canonicalAddress } from "./ip_address.ts";
import type { RequestInfo } from "./request_info.ts";

/** What is needed of the settings. */
export interface ProxySettings {
  /** What is known of the own address. */
  address: {
    /** The networks of the proxies in front of the application, as bits. */
    trustedProxies: readonly string[];
  };
}

// Longer chains are not how a request comes.
const MAX_HOPS = 32;

function isTrusted(address: string, { address: { trustedProxies } }: ProxySettings): boolean {
  if (trustedProxies.length === 0) return false;
  const bits = addressBits(address);
  return trustedProxies.some((network) => bits.startsWith(network));
}

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

/**
 * The last hop that is no proxy of ours. Each proxy adds the address that it saw to the end, so from there
 * they are believed as far as they were written by one that is trusted; what stands before them anybody can
 * have written.
 */
function walk(peer: string, hops: (string | null)[], settings: ProxySettings): string {
  let client = peer;
  for (const hop of hops.slice(-MAX_HOPS).reverse()) {
    if (hop === null || !isTrusted(client, settings)) break;
    client = hop;
  }
  return client;
}

/** The address from which the host got the request. */
function peerAddress({ headers }: Request, { clientAddress: given }: RequestInfo): string | null {
  // Workers get it in a header that no client can set there. Elsewhere any client can.
  const peer = given ?? (isWorkerPlatform() ? headers.get("cf-connecting-ip") : null);
  return peer === null ? null : canonicalAddress(peer.trim());
}

/**
 * The address of the client in its canonical form; null when the host says none. It is what the host
 * says, or `CF-Connecting-IP` on workers. `X-Forwarded-For` and `Forwarded` count only as far as they
 * were written by `trustedProxies`. A proxy writes one of them, and lets through what a client wrote into the other:
 * where they contradict each other neither is believed.
 *
 * Whoever counts clients counts the networks of IPv6 (the first 64 bits): one client has all of it.
 */
export function clientAddress(
  request: Request,
  info: RequestInfo,
  settings: ProxySettings,
): string | null {
  const peer = peerAddress(request, info);
  if (peer === null || !isTrusted(peer, settings)) return peer;
  const list = request.headers.get("x-forwarded-for");
  const forwarded = request.headers.get("forwarded");
  const clients = [
    ...(list === null ? [] : [walk(peer, list.split(",").map(hopAddress), settings)]),
    ...(forwarded === null ? [] : [walk(peer, forwardedHops(forwarded), settings)]),
  ];
  return clients[0] === clients.at(-1) ? clients[0] ?? peer : peer;
}

/** The one value of a header that a proxy writes; null when there is none, or when there are several. */
function single(headers: Headers, name: string): string | null {
  const values = new Set(headers.get(name)?.split(",").map((value) => value.trim().toLowerCase()));
  return values.size === 1 ? [...values][0]! : null;
}

/**
 * The address as the client wrote it: that of the request, in which `X-Forwarded-Proto` and
 * `X-Forwarded-Host` of a trusted proxy take the place of what the proxy asked for.
 */
export function requestedUrl(request: Request, info: RequestInfo, settings: ProxySettings): URL {
  const url = new URL(request.url);
  if (settings.address.trustedProxies.length === 0) return url;
  const peer = peerAddress(request, info);
  if (peer === null || !isTrusted(peer, settings)) return url;
  const proto = single(request.headers, "x-forwarded-proto") ?? url.protocol.slice(0, -1);
  const host = single(request.headers, "x-forwarded-host") ?? url.host;
  if (!/^https?$/.test(proto) || !/^[^/?#@\\\s]+$/.test(host)) return url;
  const address = `${proto}://${host}${url.pathname}`;
  return URL.canParse(address) ? new URL(address) : url;
}
