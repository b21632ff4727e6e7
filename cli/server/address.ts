import { trustProxies } from "@framework/auth";
import type { TrustedProxies } from "@framework/auth";
import { CliError, ExitCode } from "../terminal/exit.ts";

/** Addresses under which a server answers. */
export interface AddressOptions {
  /** Address of the application, such as `https://app.example`. Default: those of `allowedHosts`. */
  baseUrl?: string | undefined;
  /**
   * Hosts that are answered besides the base URL's: `app.example`, `localhost:8080`, or `*.app.example` for every
   * subdomain. Default: none.
   */
  allowedHosts?: readonly string[];
  /** Addresses and networks of the proxies whose `X-Forwarded-*` are believed. Default: none. */
  trustedProxies?: readonly string[];
}

/** Origin under which a client asked, and the client's own address. */
export interface RequestAddress {
  origin: string;
  client: string;
}

/**
 * Finds the address of a request.
 *
 * @param peer Address of the connection's other end.
 * @param host The Host header; undefined when there is none, or more than one.
 * @param headers Headers that a proxy may have written.
 * @returns Null for a host that is not the application's.
 */
export type FindAddress = (
  peer: string,
  host: string | undefined,
  headers: Headers,
) => RequestAddress | null;

/**
 * A name or IPv4 address, or an IPv6 address in brackets, and a port (RFC 9110, 7.2). Behind a wildcard an application may
 * take any name for a tenant's: none that DNS cannot have, by its parts or its length (RFC 1035, 2.3.4).
 */
const HOST =
  /^(?:(?!-|[^:]{254})[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*(?<!-)|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;
const LOOPBACK = /^(?:localhost|(?:.+\.)localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Creates the rule of which hosts are the application's. A host that any client may choose would be in links of mails
 * (host header injection) and in caches, and lets other sites point their names at the server (DNS rebinding).
 *
 * @param options Own addresses and proxies.
 * @throws {CliError} Exit code 2 without an own address, and for one that is none.
 */
export function createAddressRule(options: AddressOptions): FindAddress {
  const { allowedHosts = [], trustedProxies = [] } = options;
  const base = options.baseUrl === undefined ? null : readBaseUrl(options.baseUrl);
  if (base === null && allowedHosts.length === 0) {
    throw wrong(
      "Nothing says the address of this server, and a Host header proves nothing.",
      "Set BASE_URL=https://app.example, or ALLOWED_HOSTS=a.example,b.example for several.",
    );
  }
  const hosts = new Set(base === null ? [] : [base.host]);
  const suffixes: string[] = [];
  for (const entry of allowedHosts) {
    const name = entry.toLowerCase();
    const isWild = name.startsWith("*.");
    const host = isWild ? name.slice(2) : name;
    if (!HOST.test(host)) {
      throw wrong(`ALLOWED_HOSTS: ${JSON.stringify(entry)} is no host.`, HOSTS_HINT);
    }
    if (isWild) suffixes.push(`.${host}`);
    else hosts.add(host);
  }
  const proxies = trustedProxies.length === 0 ? null : readProxies(trustedProxies);

  return (peer, given, headers) => {
    const asked = given === undefined ? null : readHost(given, base);
    if (asked === null) return null;
    const url = proxies === null ? asked : proxies.requestedUrl(asked, { peer, headers });
    if (base !== null) url.protocol = base.protocol;
    const isOwn = hosts.has(url.host) || suffixes.some((suffix) => url.host.endsWith(suffix));
    if (!isOwn) return null;
    return { origin: url.origin, client: proxies?.clientAddress(peer, headers) ?? peer };
  };
}

const HOSTS_HINT =
  "Write hosts such as app.example, localhost:8080 or *.app.example, separated by commas.";

/** Returns the address that a Host header means; null for one of another form. */
function readHost(given: string, base: URL | null): URL | null {
  const host = given.toLowerCase();
  if (!HOST.test(host)) return null;
  const name = host.replace(/:\d+$/, "");
  const scheme = base?.protocol ?? (LOOPBACK.test(name) ? "http:" : "https:");
  const text = `${scheme}//${host}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  // A parser reads 0x7f.1 as 127.0.0.1, and would let names through that the list does not have.
  return url.hostname === name ? url : null;
}

function readBaseUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url;
  throw wrong(
    `BASE_URL: ${JSON.stringify(given)} is no address of a site.`,
    "Write scheme and host alone, such as https://app.example.",
  );
}

function readProxies(list: readonly string[]): TrustedProxies {
  try {
    return trustProxies(list);
  } catch (error) {
    throw wrong(
      `TRUSTED_PROXIES: ${(error as Error).message}`,
      "Write addresses such as 10.0.0.7, and networks such as 10.0.0.0/8, separated by commas.",
    );
  }
}

function wrong(message: string, hint: string): CliError {
  return new CliError(message, { exitCode: ExitCode.config, hint });
}
