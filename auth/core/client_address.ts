/**
 * The client's address, behind trusted proxies too.
 *
 * @module
 */

import { addressBits, canonicalAddress, networkBits } from "../lib/ip_address.ts";
import type { Logger } from "../lib/logger.ts";
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
  /**
   * False: `run()` reads no session; `context.auth` still reads it when asked. A text is false with its reason, which is told to
   * code that needs the user at once. Default true.
   */
  session?: boolean | string;
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
  return trustedProxies === null ? peer : trustedProxies.clientAddress(peer, request.headers);
}

const told = new WeakSet<object>();

/**
 * Warns once per application of a header that tells of somebody behind the connection and that nobody has said to believe:
 * a proxy has written it, and all its visitors share its limits, or a client has.
 *
 * @param address What {@linkcode clientAddress} gave; null is warned of where attempts are counted.
 */
export function warnOfProxy(
  { headers }: Request,
  address: string | null,
  settings: ProxySettings & { logger: Pick<Logger, "warn"> },
): void {
  const { logger, address: { trustedProxies } } = settings;
  if (address === null || isWorkerPlatform()) return;
  // The one that was named, too: its proxy may be missing in the list.
  const names = trustedProxies ? [trustedProxies.header] : PROXY_HEADERS;
  const said = names.map((name) => headers.get(name)).join("");
  // Where it says the same, somebody has read it already, as adapters of platforms do.
  if (said === "" || said.includes(address) || told.has(settings)) return;
  told.add(settings);
  logger.warn("proxy-not-trusted", {
    advice: "set trustedProxies, or all clients of a proxy share its limits",
  });
}

const PROXY_HEADERS = ["x-forwarded-for", "forwarded", "x-real-ip"];

/** Trusted proxies in front of an application, see `trustProxies()` and `trustPlatform()`. */
export interface TrustedProxies {
  /** Tells it from other values. */
  readonly kind: "trusted-proxies";
  /** The header in which they tell the client's address, in small letters. */
  readonly header: string;
  /** The address of the client of a request that came from `peer`; null where nobody knows that one or the other. */
  clientAddress(peer: string | null, headers: Headers): string | null;
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
    header,
    clientAddress(peer, headers) {
      const value = headers.get(header);
      return value === null || peer === null ? peer : walk(peer, readHops(value));
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

/** Header of each platform that every request of a client gets anew there, whatever the client wrote. */
const PLATFORMS = { vercel: "x-vercel-forwarded-for" } as const;

/** A header that the platform or the proxy in front writes anew at every request, for {@linkcode trustPlatform}. */
export interface PlatformHeader {
  /** Its name, such as "x-real-ip" behind nginx with `proxy_set_header X-Real-IP $remote_addr`. */
  header: string;
}

/**
 * The platform that an application runs on, for `trustedProxies` of `createAuth()`, where its servers are reached through it
 * alone: it tells the client's address in a header of its own, in the place of what a client wrote there. Every entry reads
 * it, also those of frameworks that tell nobody the address of the connection. Nothing else is read: the own origin is
 * `baseUrl`.
 *
 * Of another header than that of a named platform no address counts where there are several, since then it was not written
 * anew. Without the header the address is that of the connection.
 *
 * @param platform "vercel" (`x-vercel-forwarded-for`), or the header of another one.
 * @throws {ConfigurationError} For another platform, for what is no header, and for `X-Forwarded-For` and `Forwarded`, to
 * which proxies append: these are for `trustProxies()`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, trustPlatform } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const trustedProxies = trustPlatform("vercel"); // or trustPlatform({ header: "x-real-ip" })
 * const auth = createAuth({
 *   baseUrl: "https://app.example",
 *   database: createMemoryStorage(),
 *   trustedProxies,
 * });
 *
 * const headers = new Headers({ "x-vercel-forwarded-for": "192.0.2.7", "x-real-ip": "203.0.113.9" });
 * equal(trustedProxies.clientAddress(null, headers), "192.0.2.7");
 * ```
 */
export function trustPlatform(platform: keyof typeof PLATFORMS | PlatformHeader): TrustedProxies {
  const isNamed = typeof platform === "string";
  const header = isNamed
    ? PLATFORMS[readChoice(platform, "trustPlatform()", ["vercel"])]
    : readHeader(optionsOf(platform, "trustPlatform()", ["header"]).header);
  return {
    kind: "trusted-proxies",
    header,
    clientAddress(peer, headers) {
      const [first, ...more] = headers.get(header)?.split(",") ?? [];
      // A proxy that was to write it anew has appended to what the client wrote.
      if (first === undefined || more.length > 0 && !isNamed) return peer;
      return hopAddress(first) ?? peer;
    },
    requestedUrl: (url) => url,
  };
}

function readHeader(value: unknown): string {
  const name = typeof value === "string" ? value.toLowerCase() : "";
  if (/^[a-z][a-z0-9-]+$/.test(name) && !/^(?:x-)?forwarded/.test(name)) return name;
  throw wrongOption(
    "header",
    value,
    'a header that your proxy writes anew at every request, such as "x-real-ip"; for X-Forwarded-For and Forwarded ' +
      "trustProxies([…])",
  );
}
