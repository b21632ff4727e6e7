/**
 * `createPublicFetch()`: requests to addresses that somebody else has set, which reach the public internet alone.
 *
 * @module
 */

import type * as dns from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import type * as https from "node:https";
import type * as tls from "node:tls";
import { ConfigurationError } from "../errors.ts";
import { isPublicAddress } from "../lib/public_address.ts";
import { isWorkerPlatform } from "../lib/runtime.ts";
import { DeliveryError } from "./errors.ts";
import { hostOf, isAddress, isPublicWebhookUrl } from "./webhook_address.ts";

/** Ways of a request to a host. Tests have others than the machine's. */
export interface PublicNetwork {
  /** Every address that a name leads to. */
  resolve(host: string): Promise<readonly string[]>;
  /** True for an address that may be connected to. */
  isAllowed(address: string): boolean;
  /** True for an address of a receiver that may be asked at all. */
  isAllowedUrl(url: string): boolean;
  /** The port. */
  port: number;
  /** Certificates of authorities. Default: those that the platform trusts. */
  ca?: string;
}

/** The parts of the platform that connect. */
interface Platform {
  https: typeof https;
  tls: typeof tls;
}

const MAX_HEADER_BYTES = 16_384;

/** A built-in module. Without an import, which bundlers for workers would stumble over. */
function builtIn<Module>(name: string): Module {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): Module | undefined };
  };
  const found = process?.getBuiltinModule?.(name);
  if (found !== undefined) return found;
  throw new ConfigurationError(
    "createPublicFetch() cannot look at the addresses that it connects to: it needs Node from 20.16 or 22.3 on, " +
      "Deno, or Cloudflare Workers",
  );
}

/**
 * Every address that the domain name system has for a name. It does not ask the system, as `lookup()` would: that reads
 * the machine's own file of hosts, adds its domains to a name, and waits in the threads that passwords are hashed in, of
 * which a few names with servers that never answer would take all.
 *
 * @param host The name.
 * @param servers Servers to ask. Default: those of the machine.
 */
export async function resolveName(
  host: string,
  servers?: readonly string[],
): Promise<readonly string[]> {
  const { Resolver } = builtIn<typeof dns>("node:dns/promises");
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const kinds = [resolver.resolve4(host), resolver.resolve6(host)];
  return (await Promise.all(kinds.map((answer) => answer.catch(() => [])))).flat();
}

/** The machine's own network, of which the public part is allowed. */
function machine(): PublicNetwork {
  return {
    resolve: (host) => resolveName(host),
    isAllowed: isPublicAddress,
    isAllowedUrl: isPublicWebhookUrl,
    port: 443,
  };
}

function notPublic(host: string): DeliveryError {
  // The same for a name that is unknown, so that nobody learns which names there are in the network of the sender.
  return new DeliveryError("DELIVERY_ADDRESS", `${host} does not lead to public addresses alone`);
}

/**
 * All addresses of a host.
 *
 * @throws {DeliveryError} When one of them is not allowed: which one is connected to would be chance.
 */
async function checkedAddresses(host: string, network: PublicNetwork): Promise<readonly string[]> {
  const addresses = isAddress(host) ? [host] : await network.resolve(host).catch(() => []);
  if (addresses.length > 0 && addresses.every(network.isAllowed)) return addresses;
  throw notPublic(host);
}

/** Connects to one of the addresses and to nothing else: no name is looked up any more. */
function connect(
  host: string,
  addresses: readonly string[],
  { port, ca }: PublicNetwork,
  { tls }: Platform,
): tls.TLSSocket {
  const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return tls.connect({
    host,
    port,
    // An address has no name to be asked for (RFC 6066, 3). The certificate must have it all the same.
    servername: isAddress(host) ? "" : host,
    ALPNProtocols: ["http/1.1"],
    // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    rejectUnauthorized: true,
    lookup: (_name, { all: wantsAll }, done) => {
      if (wantsAll) return done(null, all);
      done(null, all[0]!.address, all[0]!.family);
    },
    ...(ca !== undefined && { ca }),
  });
}

/** An error without the platform's own, which may hold bytes of the answer. */
function unreachable(host: string, error?: unknown): TypeError {
  const { code } = Object(error) as { code?: unknown };
  return Object.assign(new TypeError(`Cannot reach ${host}`), { code: code ?? "ECONNRESET" });
}

/** The body of an answer, read as fast as it is asked for. */
function streamOf(answer: IncomingMessage, broken: () => unknown): ReadableStream<Uint8Array> {
  let isOver = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      function fail(): void {
        if (isOver) return;
        isOver = true;
        controller.error(broken());
      }
      answer.on("data", (chunk: Uint8Array) => {
        if (isOver) return;
        controller.enqueue(new Uint8Array(chunk));
        if ((controller.desiredSize ?? 0) <= 0) answer.pause();
      });
      answer.once("end", () => {
        if (isOver) return;
        isOver = true;
        controller.close();
      });
      answer.once("error", fail).once("close", fail).pause();
    },
    pull: () => void answer.resume(),
    cancel() {
      isOver = true;
      answer.destroy();
    },
  });
}

/** The answer of Node as that of `fetch()`. */
function responseOf(answer: IncomingMessage, broken: () => unknown): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
  }
  const isEmpty = [204, 205, 304].includes(status);
  if (isEmpty) answer.resume();
  return new Response(isEmpty ? null : streamOf(answer, broken), { status, headers });
}

/** Sends a request over a connection of its own, through no proxy. */
function send(
  { method, headers, body }: { method: string; headers: Headers; body: Uint8Array },
  url: URL,
  { addresses, network, platform, signal }: {
    addresses: readonly string[];
    network: PublicNetwork;
    platform: Platform;
    signal: AbortSignal | null;
  },
): Promise<Response> {
  const host = hostOf(url);
  return new Promise((resolve, reject) => {
    let socket: tls.TLSSocket | undefined;
    const outgoing = platform.https.request({
      method,
      host,
      path: url.pathname + url.search,
      headers: {
        ...Object.fromEntries(headers),
        host: url.host,
        "content-length": String(body.length),
      },
      createConnection: () => socket = connect(host, addresses, network, platform),
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    const broken = (error?: unknown): unknown =>
      signal?.aborted ? signal.reason : unreachable(host, error);
    function end(): void {
      reject(broken());
      outgoing.destroy();
      socket?.destroy();
    }
    outgoing.once("response", (answer) => {
      try {
        resolve(responseOf(answer, broken));
      } catch {
        // A status or a header that HTTP does not have.
        end();
      }
    });
    // A protocol that nobody has asked for.
    outgoing.once("upgrade", end);
    outgoing.on("error", (error) => reject(broken(error)));
    outgoing.once("close", () => {
      signal?.removeEventListener("abort", end);
      reject(broken());
    });
    signal?.addEventListener("abort", end);
    if (signal?.aborted) return end();
    outgoing.end(body);
  });
}

/** Headers of the connection, which are not the caller's. */
const OWN_HEADERS = [
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
];

/** Makes the function from a network. */
export function publicFetchIn(network: PublicNetwork): typeof fetch {
  const platform = {
    https: builtIn<typeof https>("node:https"),
    tls: builtIn<typeof tls>("node:tls"),
  };
  return async function publicFetch(input, init) {
    const url = readUrl(input, network.isAllowedUrl);
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    signal?.throwIfAborted();
    const request = new Request(input, init);
    const headers = new Headers(request.headers);
    for (const name of OWN_HEADERS) headers.delete(name);
    const body = new Uint8Array(await request.arrayBuffer());
    const addresses = await checkedAddresses(hostOf(url), network);
    return await send({ method: request.method, headers, body }, url, {
      addresses,
      network,
      platform,
      signal,
    });
  };
}

/** The address of a request, looked at before anything is made of it: an error would show its credentials. */
function readUrl(input: RequestInfo | URL, isAllowed: (url: string) => boolean): URL {
  const text = input instanceof Request ? input.url : String(input);
  if (isAllowed(text)) return new URL(text);
  throw new DeliveryError(
    "DELIVERY_ADDRESS",
    "The address is not one of the public internet: it needs https, and no credentials, port or fragment",
  );
}

/**
 * Makes a `fetch` for addresses that somebody else has set, such as the tenants of an application, who must not reach
 * what only its servers can (SSRF). On Node and Deno:
 *
 * - The address must be one that {@linkcode isPublicWebhookUrl} takes, and **every** address that its name leads to must
 *   be of the public internet.
 * - The domain name system is asked, and not the machine's file of hosts.
 * - The connection goes to one of the addresses that were looked at. The name is not looked up again, so that it cannot
 *   lead elsewhere by then (DNS rebinding). The certificate must be that of the name.
 * - It goes through no proxy of the environment, is used once, and follows no redirect, whatever `redirect` says.
 *
 * **On Cloudflare Workers** the rules for what is written in the address are all that this function holds: the
 * platform resolves the name, and its `fetch` reaches no private network. A `workerd` that you run yourself reaches
 * whatever its configuration allows.
 *
 * It has no limit of time and size of its own: {@linkcode webhook} has both, elsewhere give it a `signal`.
 *
 * @returns A function like `fetch`. It rejects with a {@linkcode DeliveryError} `DELIVERY_ADDRESS` for an address that is not
 * public, and for a name that leads to none.
 * @throws {ConfigurationError} On Node before 20.16 and 22.3, and on platforms without its built-in modules.
 *
 * @example
 * ```ts
 * import { createPublicFetch, createWebhookSecret, webhook } from "@framework/auth/webhooks";
 * import { rejects } from "node:assert/strict";
 *
 * const publicFetch = createPublicFetch();
 * const destination = webhook({
 *   url: "https://hooks.customer.example/in", // as the tenant has set it
 *   secret: createWebhookSecret(),
 *   fetch: publicFetch,
 * });
 * await rejects(publicFetch("https://169.254.169.254/latest/meta-data/"), {
 *   code: "DELIVERY_ADDRESS",
 * });
 * ```
 */
export function createPublicFetch(): typeof fetch {
  if (!isWorkerPlatform()) return publicFetchIn(machine());
  return async function publicFetch(input, init) {
    readUrl(input, isPublicWebhookUrl);
    return await fetch(new Request(input, { ...init, redirect: "manual" }));
  };
}
