/** Statuses that may be stored with an explicit lifetime; a response without content is not. */
const UNDERSTOOD = new Set([
  ...[200, 203, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 501],
]);

/** Those that need none. */
const BY_DEFAULT = new Set([200, 203, 300, 301, 308, 404, 405, 410, 414, 501]);

/** Share of the age of a file for which it counts as fresh. */
const HEURISTIC = 0.1;

const IMMUTABLE_MS = 24 * 3_600_000;

type Directives = ReadonlyMap<string, string>;

/** Time for which a response is kept. */
export interface CacheLifetime {
  milliseconds: number;
  /** `Cache-Control` to store it with, and without its cookies. Missing when both stay as they are. */
  cacheControl?: string;
}

/**
 * Computes for how long a shared cache keeps a response, by the rules of RFC 9111 as the platform applies them: not by
 * the `Cache-Control` of the request, and with no response that sets a cookie.
 *
 * @param now Milliseconds since 1970.
 * @returns null when the response may not be stored.
 */
export function cacheLifetime(
  request: Request,
  { status, headers }: Response,
  now: number,
): CacheLifetime | null {
  let text = headers.get("cache-control")?.toLowerCase() ?? "";
  const dropsCookies = text.includes("private=set-cookie");
  if (dropsCookies) text = text.replace(/private=set-cookie;?/, "");
  if (headers.has("set-cookie") && !dropsCookies) return null;
  const directives = readDirectives(text);
  if (!isStorable({ request, status, headers }, directives)) return null;
  const age = Number(headers.get("age") ?? 0) || 0;
  const left = freshFor(headers, directives, now) - age * 1000;
  const stale = ["stale-if-error", "stale-while-revalidate"].map((name) =>
    left + secondsOf(directives, name) * 1000
  );
  const milliseconds = Math.max(0, left, ...stale);
  return { milliseconds, ...(dropsCookies && { cacheControl: text }) };
}

function readDirectives(text: string): Directives {
  return new Map(
    text.split(",").map((part) => {
      const [name = "", value = ""] = part.trim().split(/\s*=\s*/, 2);
      return [name, value.replace(/^"(.*)"$/, "$1")];
    }),
  );
}

function secondsOf(directives: Directives, name: string): number {
  const seconds = Number(directives.get(name) ?? 0);
  return Number.isFinite(seconds) ? seconds : 0;
}

function isStorable(
  { request, status, headers }: { request: Request; status: number; headers: Headers },
  directives: Directives,
): boolean {
  const has = (...names: string[]) => names.some((name) => directives.has(name));
  if (!UNDERSTOOD.has(status) || has("no-store", "private")) return false;
  if (request.headers.has("authorization") && !has("must-revalidate", "public", "s-maxage")) {
    return false;
  }
  return headers.has("expires") || has("max-age", "s-maxage", "public") || BY_DEFAULT.has(status);
}

/** Milliseconds from the response's `Date` on. */
function freshFor(headers: Headers, directives: Directives, now: number): number {
  if (directives.has("no-cache") || directives.has("proxy-revalidate")) return 0;
  for (const name of ["s-maxage", "max-age"]) {
    if (directives.has(name)) return secondsOf(directives, name) * 1000;
  }
  const least = directives.has("immutable") ? IMMUTABLE_MS : 0;
  const sent = Date.parse(headers.get("date") ?? "");
  const date = Number.isNaN(sent) ? now : sent;
  const expires = headers.get("expires");
  if (expires !== null) {
    const time = Date.parse(expires);
    return time >= date ? Math.max(least, time - date) : 0;
  }
  const modified = Date.parse(headers.get("last-modified") ?? "");
  return modified < date ? Math.max(least, (date - modified) * HEURISTIC) : least;
}
