/**
 * Keys and headers of rate limits.
 *
 * @module
 */

import { canonicalIdentifier } from "../lib/email_address.ts";
import { networkOf } from "../lib/ip_address.ts";
import { hashText } from "../lib/hash.ts";

/** Parts of the key that attempts are counted by. */
export interface LimitKeyParts {
  /** Name of the limit, letters and `-`. */
  name: string;
  /** The client's address in its canonical form. */
  address?: string | null | undefined;
  /** Identifier as typed: an email address, a name. */
  identifier?: string | null | undefined;
  /** The tenant to which the identifier belongs. */
  tenant?: string | null | undefined;
}

/**
 * Creates the key of a limit: bounded in length, and without user input in clear text. At once, or
 * by a promise where the platform hashes so.
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

/** Values for the rate limit headers. */
export interface LimitState {
  /** The name of the limit. */
  name: string;
  /** Attempts allowed within the window. */
  limit: number;
  /** The window, in seconds. */
  window: number;
  /** Attempts that remain. */
  remaining: number;
  /** Seconds until it gets better. */
  reset: number;
  /** True when this attempt was allowed. */
  allowed: boolean;
}

/**
 * Converts a wait to whole seconds, between 0 and the window, even when another isolate's clock was
 * ahead.
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
