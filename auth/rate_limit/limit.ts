/**
 * Keys and headers of rate limits.
 *
 * @module
 */

import { parseEmailAddress } from "../lib/address.ts";
import { hashText } from "../lib/hash.ts";

/** Parts of the key that attempts are counted by. */
export interface LimitKeyParts {
  /** What is limited, in letters and `-`. */
  name: string;
  /** The client's address in its canonical form. */
  address?: string | null | undefined;
  /** What was typed to say who it is: an e-mail address, a name. */
  identifier?: string | null | undefined;
  /** The tenant to which the identifier belongs. */
  tenant?: string | null | undefined;
}

/**
 * What stands for an address: of IPv6 its first 64 bits, since whoever has one address of such a network
 * has all of them (CVE-2026-45364).
 */
function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head, tail] = address.split("::").map((part) => part.split(":").filter(Boolean)) as [
    string[],
    string[]?,
  ];
  const left = tail ? [...Array(8 - head.length - tail.length).fill("0"), ...tail] : [];
  return [...head, ...left].slice(0, 4).join(":");
}

/** One text for the spellings of one identifier: the mailbox of an address, else without case and width. */
export function canonicalIdentifier(identifier: string): string {
  return parseEmailAddress(identifier)?.identity ??
    identifier.normalize("NFKC").trim().toLowerCase();
}

/**
 * The key of a limit: bounded in length, and with nothing in it that somebody typed. At once, or by a promise where
 * the platform hashes so.
 */
export function limitKey(
  { name, address, identifier, tenant }: LimitKeyParts,
): string | Promise<string> {
  const place = `${name}|${address ? networkOf(address) : ""}`;
  const who = identifier ? hashText(canonicalIdentifier(identifier)) : "";
  const where = tenant ? hashText(tenant) : "";
  return typeof who === "string" && typeof where === "string"
    ? `${place}|${who}|${where}`
    : Promise.all([place, who, where]).then((parts) => parts.join("|"));
}

/** What the headers say. */
export interface LimitState {
  /** The name of the limit. */
  name: string;
  /** How many within the window. */
  limit: number;
  /** The window, in seconds. */
  window: number;
  /** How many are left. */
  remaining: number;
  /** Seconds until it gets better. */
  reset: number;
  /** Whether this one was let through. */
  allowed: boolean;
}

/**
 * How long to wait, in whole seconds: never less than none, and never more than the window, also when an attempt was
 * counted first that came later by another isolate's clock.
 *
 * @param wait Milliseconds.
 * @param window Seconds.
 */
export function secondsOf(wait: number, window: number): number {
  return Math.max(0, Math.min(window, Math.ceil(wait / 1000)));
}

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), and `Retry-After` (RFC 9110,
 * 10.2.3) for whoever is refused.
 */
export function limitHeaders(state: LimitState): Record<string, string> {
  const { name, limit, window, remaining, reset, allowed } = state;
  const headers: Record<string, string> = {
    "ratelimit-policy": `"${name}";q=${limit};w=${window}`,
    "ratelimit": `"${name}";r=${remaining};t=${reset}`,
  };
  if (!allowed) headers["retry-after"] = String(Math.max(1, reset));
  return headers;
}
