import type { IncomingMessage } from "node:http";
import { networkInterfaces } from "node:os";

/**
 * Creates the check of a request's Host header. A page of another site can point its own host name
 * at this machine (DNS rebinding) and would then read every response, so only the server's own
 * names are accepted.
 *
 * @param host The address that the server listens on.
 * @param allowedHosts Further names, as `framework.config.ts` lists them.
 */
export function createHostCheck(
  host: string,
  allowedHosts: readonly string[],
): (header: string | undefined) => boolean {
  const allowed = new Set(["localhost", "127.0.0.1", "::1", host, ...allowedHosts].map(normalize));
  if (isEveryAddress(host)) {
    for (const address of ownAddresses()) allowed.add(normalize(address));
  }
  return (header) => {
    const name = header === undefined ? null : readHostName(header);
    return name !== null && (allowed.has(name) || name.endsWith(".localhost"));
  };
}

/** Returns the name or address in a Host header, without port and brackets; null when it is invalid. */
function readHostName(header: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(header);
  const name = match?.[1] ?? match?.[2];
  return name === undefined ? null : normalize(name);
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** Returns true for an address that listens on all interfaces. */
export function isEveryAddress(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/**
 * Returns the address in a Host header unless it names this machine: browsers do not trust plain
 * http there (W3C Secure Contexts, 3.1) and drop Secure cookies.
 *
 * @returns null for localhost, its subdomains and loopback addresses.
 */
export function networkHost(header: string | undefined): string | null {
  const name = header === undefined ? null : readHostName(header);
  if (name === null) return null;
  const isLoopback = name === "localhost" || name.endsWith(".localhost") || name === "::1" ||
    /^127(?:\.\d{1,3}){3}$/.test(name);
  return isLoopback ? null : name;
}

/** Returns the IPv4 addresses under which other machines reach this one. */
export function networkAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).filter((own) => own.family === "IPv4" && !own.internal).map((own) => own.address)
  );
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map((own) => own.address)
  );
}

/**
 * Refuses cross-site requests that run a handler of the worker, such as `GET
 * /cdn-cgi/handler/scheduled` for cron jobs: a page of any other site could send one, for example
 * as an image's address, and needs no response to do harm.
 *
 * @param request The request.
 */
export function refusesHandler(
  { url = "", headers }: Pick<IncomingMessage, "url" | "headers">,
): boolean {
  if (!runsHandler(url)) return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  // Browsers that omit this header on plain http send an Origin.
  const source = headers.origin ?? headers.referer;
  if (source === undefined) return false;
  return !URL.canParse(source) || new URL(source).host !== headers.host;
}

/** Returns true for paths that run handlers, in any spelling. */
function runsHandler(url: string): boolean {
  return /^\/+cdn-cgi\//i.test(resolve(decode(resolve(url))));
}

/**
 * Returns the schedule whose jobs a request runs; null for any other request. It is empty where the address has none.
 *
 * @param url Path and query of the request.
 */
export function scheduleOf(url: string): string | null {
  if (!/^\/cdn-cgi\/(?:handler|mf)\/scheduled$/.test(resolve(url))) return null;
  return new URL(`http://localhost${url}`).searchParams.get("cron") ?? "";
}

/** Normalizes the path as the emulator does: without dot segments, and with forward slashes. */
function resolve(url: string): string {
  try {
    return new URL(`http://localhost${url}`).pathname;
  } catch {
    return url;
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
