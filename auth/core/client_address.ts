/**
 * The client's address, behind trusted proxies too.
 *
 * @module
 */

import { addressBits, canonicalAddress, networkBits } from "../lib/ip_address.ts";
import { optionsOf, readChoice, readList, wrongOption } from "../lib/options.ts";
import { isWorkerPlatform } from "../lib/runtime.ts";

/** Information from the host about a request. */
export interface RequestInfo {
  /**
   * Keeps the host alive for work that the response does not wait for: that of a worker's context, on a server
   * `waitUntil` of this library. Default: the work just runs, and is lost when the host ends.
   */
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
export function peerAddress(
  { headers }: Request,
  { clientAddress: given }: RequestInfo,
): string | null {
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

/** Trusted proxies in front of an application, see `trustProxies()`. */
export interface TrustedProxies {
  /** Tells it from other values. */
  readonly kind: "trusted-proxies";
  /** The address of the client of a request that came from `peer`. */
  clientAddress(peer: string, headers: Headers): string;
  /** The address as that client wrote it. */
  requestedUrl(url: URL, from: { peer: string; headers: Headers }): URL;
}

/** Options for {@linkcode trustProxies}. */
export interface TrustProxiesOptions {
  /**
   * The header in which the proxies tell the client's address. They must write it at every request: what they pass on
   * untouched is the client's own word. Default "x-forwarded-for".
   */
  header?: "x-forwarded-for" | "forwarded";
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
 * The proxies in front of the application, for `trustedProxies` of `createAuth()`. The header in which they tell the
 * client's address counts only as far as it was written by them.
 *
 * A proxy writes one of `X-Forwarded-For` and `Forwarded` (RFC 7239), and passes on what a client wrote into the other.
 * So one of them is read and the other never: else a client with both would choose among two addresses, each with
 * attempts of its own.
 *
 * @param list Addresses, and networks such as "10.0.0.0/8". Applications by convention write the list alone.
 * @param options `header` that the proxies write, "x-forwarded-for" by default.
 * @throws {ConfigurationError} When one is no address and no network, or the header is another one.
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
export function trustProxies(
  list: readonly string[],
  options: TrustProxiesOptions = {},
): TrustedProxies {
  const { header: given = "x-forwarded-for" } = optionsOf(options, "trustProxies()", ["header"]);
  const header = readChoice(given, "header", ["x-forwarded-for", "forwarded"] as const);
  const readHops = header === "forwarded"
    ? forwardedHops
    : (value: string) => value.split(",").map(hopAddress);
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
      const value = headers.get(header);
      return value === null ? peer : walk(peer, readHops(value));
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
