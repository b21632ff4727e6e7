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
