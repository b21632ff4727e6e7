import type { IncomingMessage } from "node:http";
import { networkInterfaces } from "node:os";

/**
 * Makes the check of a request's Host header. A page of another site can point a name of its own at this machine
 * (DNS rebinding) and would then read every answer: only names that are this server's own are answered.
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

/** The name or address in a Host header, without port and brackets; null when it is not one. */
function readHostName(header: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(header);
  const name = match?.[1] ?? match?.[2];
  return name === undefined ? null : normalize(name);
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** Returns true for an address that listens on every interface of this machine. */
export function isEveryAddress(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/**
 * Address in a Host header, when it is no name of this machine itself: to browsers, plain http there is not trustworthy
 * (W3C Secure Contexts, 3.1), and they drop Secure cookies.
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

/** The IPv4 addresses by which other machines reach this one. */
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
 * Refuses cross-site requests that run a handler of the worker, as `GET /cdn-cgi/handler/scheduled`
 * runs its cron jobs: a page of any other site could send one, as an image's address for example,
 * and needs no answer for the harm to be done.
 *
 * @param request The request.
 */
export function refusesHandler(
  { url = "", headers }: Pick<IncomingMessage, "url" | "headers">,
): boolean {
  if (!runsHandler(url)) return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  // Browsers that leave that header out, on plain http, name where they come from.
  const source = headers.origin ?? headers.referer;
  if (source === undefined) return false;
  return !URL.canParse(source) || new URL(source).host !== headers.host;
}

/** Returns true for paths that run handlers, in any spelling. */
export function runsHandler(url: string): boolean {
  return /^\/+cdn-cgi\//i.test(resolve(decode(resolve(url))));
}

/** The path without dot segments and with slashes alone, as the emulator reads it. */
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
