import type { RateLimitNamespace } from "../rate_limit/kv_counting.ts";

/** A key-value namespace as several locations see it, with all that the platform warns of. */
export interface KvDouble {
  /** The clock, in milliseconds. */
  clock: { now: number };
  /** The namespace as one more location sees it. */
  view(): RateLimitNamespace & { reads: number };
  /** How many writes were refused because the key had one within the second. */
  refused: number;
  /** What is stored now, wherever one looks. */
  keys(): string[];
  /** Makes every read, or every write, fail. */
  fail: { reads: boolean; writes: boolean };
}

interface Entry {
  value: string;
  expiresAt: number;
}

/**
 * Makes an empty namespace. Each location keeps what it read, also that there was nothing, for `staleFor`
 * milliseconds; a key takes one write in a second; a TTL is at least 60 seconds; a key has at most 512 bytes.
 *
 * @see https://developers.cloudflare.com/kv/platform/limits/
 */
export function createKvDouble({ staleFor = 60_000 }: { staleFor?: number } = {}): KvDouble {
  const entries = new Map<string, Entry>();
  const written = new Map<string, number>();

  function stored(key: string): string | null {
    const entry = entries.get(key);
    if (entry === undefined || entry.expiresAt <= double.clock.now) return null;
    return entry.value;
  }

  function checkKey(key: string, method: string): void {
    const bytes = new TextEncoder().encode(key).length;
    if (bytes > 512) throw new Error(`KV ${method} failed: 414 UTF-8 encoded length of ${bytes}`);
    if (key === "" || key === "." || key === "..") throw new TypeError("Key name is not allowed");
  }

  const double: KvDouble = {
    clock: { now: Date.UTC(2026, 0, 1) },
    refused: 0,
    fail: { reads: false, writes: false },
    keys: () => [...entries.keys()].filter((key) => stored(key) !== null),
    view() {
      const cache = new Map<string, { value: string | null; until: number }>();
      return {
        reads: 0,
        async get(key) {
          this.reads++;
          checkKey(key, "GET");
          await Promise.resolve();
          if (double.fail.reads) throw new Error("KV GET failed: 500 Internal Server Error");
          const cached = cache.get(key);
          if (cached !== undefined && cached.until > double.clock.now) return cached.value;
          const value = stored(key);
          cache.set(key, { value, until: double.clock.now + staleFor });
          return value;
        },
        async put(key, value, { expirationTtl }) {
          checkKey(key, "PUT");
          await Promise.resolve();
          if (double.fail.writes) throw new Error("KV PUT failed: 500 Internal Server Error");
          if (!Number.isInteger(expirationTtl) || expirationTtl < 60) {
            throw new Error("KV PUT failed: 400 Expiration TTL must be at least 60.");
          }
          if ((written.get(key) ?? -Infinity) > double.clock.now - 1000) {
            double.refused++;
            throw new Error("KV PUT failed: 429 Too Many Requests");
          }
          written.set(key, double.clock.now);
          entries.set(key, { value, expiresAt: double.clock.now + expirationTtl * 1000 });
        },
      };
    },
  };
  return double;
}
