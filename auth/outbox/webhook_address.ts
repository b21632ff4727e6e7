/**
 * Rules for the addresses that webhooks are sent to.
 *
 * @module
 */

import { isHostName, isLoopbackHost, isPrivateName } from "../lib/ip_address.ts";
import { isPublicAddress } from "../lib/public_address.ts";

/** Tells if the process, or the build of a worker, is one for development. Nothing that a client sends has a part in it. */
function isDevelopment(): boolean {
  try {
    // In these words: bundlers write the value there, as wrangler does, whose workers have no such variable.
    // deno-lint-ignore no-process-global
    return process.env.NODE_ENV === "development";
  } catch {
    // There is no process, or its environment may not be read.
    return false;
  }
}

/**
 * Reads the address of a receiver: https on its own port, without credentials and fragment. In development, by
 * `NODE_ENV`, also http on any port of a loopback host. Null for anything else.
 */
export function readWebhookUrl(value: unknown): URL | null {
  if (typeof value !== "string" || value.length > 2048 || !URL.canParse(value)) return null;
  const url = new URL(value);
  const { protocol, hostname, port, username, password } = url;
  // An empty fragment too: no part of it would be sent.
  if (username !== "" || password !== "" || value.includes("#")) return null;
  if (protocol === "https:" && port === "") return url;
  return protocol === "http:" && isLoopbackHost(hostname) && isDevelopment() ? url : null;
}

/** The host of a URL as the system's resolver takes it: IPv6 without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** True for a host that is an IP address in a URL, in which the parser has left one spelling of it. */
export function isAddress(host: string): boolean {
  return host.includes(":") || /^[\d.]+$/.test(host);
}

/**
 * Ends of names that lead nowhere in public, besides those of every private network: reserved ones (RFC 6761, RFC 7686,
 * RFC 9476), those of the infrastructure (RFC 3172), what networks use without asking (RFC 6762, appendix G; ICANN, name
 * collisions), and the names of clusters.
 */
const NOT_PUBLIC =
  /\.(?:alt|arpa|consul|corp|home|intranet|invalid|lan|localdomain|mail|onion|private|svc)$/;

/** True for a host that may be public: its address is, or its name is none of a private network. */
function isPublicHost(host: string): boolean {
  if (isAddress(host)) return isPublicAddress(host);
  return isHostName(host) && !isPrivateName(host) && !NOT_PUBLIC.test(host) &&
    !isLoopbackHost(host);
}

/**
 * Tests the address of a receiver that somebody else has set, such as a tenant, by what is written in it: https on its
 * own port, without credentials and fragment, and no address and no name of a private network, however it is spelled.
 * Use it where the address is saved; {@linkcode createPublicFetch} holds it too, and looks at what the name leads to.
 *
 * @param value What somebody has entered.
 *
 * @example
 * ```ts
 * import { isPublicWebhookUrl } from "@framework/auth/webhooks";
 * import { equal } from "node:assert/strict";
 *
 * equal(isPublicWebhookUrl("https://hooks.customer.example/in"), true);
 * equal(isPublicWebhookUrl("https://0x7f.1/"), false); // 127.0.0.1
 * equal(isPublicWebhookUrl("https://metadata.google.internal/"), false);
 * equal(isPublicWebhookUrl("https://hooks.customer.example:8443/"), false);
 * ```
 */
export function isPublicWebhookUrl(value: unknown): value is string {
  const url = readWebhookUrl(value);
  return url?.protocol === "https:" && isPublicHost(hostOf(url));
}
