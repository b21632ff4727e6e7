/** One location's view of a {@linkcode KeyValueDouble}: a namespace, as a worker there is given it. */
export interface KeyValueView {
  get(key: string): Promise<string | null>;
  put(key: string, value: string, options?: { expirationTtl?: number }): Promise<void>;
  delete(key: string): Promise<void>;
  list(
    options?: { prefix?: string; limit?: number; cursor?: string },
  ): Promise<{ keys: { name: string }[]; list_complete: boolean; cursor?: string }>;
}

/**
 * A key-value store that promises what Workers KV promises and not more: every location keeps what it
 * read, also that there was nothing, for 60 seconds, and takes one write a second for a key.
 */
export interface KeyValueDouble {
  /** The namespace at a location. */
  at(location: string): KeyValueView;
  /** Milliseconds since 1970. */
  readonly clock: { now: number };
  /** What is stored in the end. */
  readonly stored: ReadonlyMap<string, string>;
  /** Whether writes are refused that come within a second of the last one of their key. Default true. */
  limitsWrites: boolean;
  /** Makes every further operation fail with this message; undefined heals it. */
  fail: string | undefined;
}

const CACHE = 60_000;
const MAX_KEY = 512;

interface Entry {
  value: string;
  expiresAt: number;
}

function checkKey(key: string): void {
  const { length } = new TextEncoder().encode(key);
  if (key === "" || key === "." || key === "..") throw new TypeError(`KV key "${key}" is refused`);
  if (length > MAX_KEY) {
    throw new Error(
      `KV failed: 414 UTF-8 encoded length of ${length} exceeds key length limit of ${MAX_KEY}.`,
    );
  }
}

/** Makes an empty store. */
export function createKeyValueDouble(now: number = Date.UTC(2026, 0, 1)): KeyValueDouble {
  const clock = { now };
  const entries = new Map<string, Entry>();
  const written = new Map<string, number>();

  function read(key: string): string | null {
    const entry = entries.get(key);
    return entry === undefined || entry.expiresAt <= clock.now ? null : entry.value;
  }

  function admitWrite(key: string): void {
    checkKey(key);
    const last = written.get(key);
    if (double.limitsWrites && last !== undefined && clock.now - last < 1000) {
      throw new Error("KV PUT failed: 429 Too Many Requests");
    }
    written.set(key, clock.now);
  }

  async function travel<T>(work: () => T): Promise<T> {
    await Promise.resolve();
    if (double.fail !== undefined) throw new Error(double.fail);
    return work();
  }

  const views = new Map<string, KeyValueView>();

  function createView(): KeyValueView {
    const cache = new Map<string, { value: string | null; until: number }>();
    return {
      get: (key) =>
        travel(() => {
          checkKey(key);
          const cached = cache.get(key);
          if (cached !== undefined && cached.until > clock.now) return cached.value;
          const value = read(key);
          cache.set(key, { value, until: clock.now + CACHE });
          return value;
        }),
      put: (key, value, { expirationTtl } = {}) =>
        travel(() => {
          admitWrite(key);
          if (expirationTtl !== undefined && expirationTtl < 60) {
            throw new Error(
              `KV PUT failed: 400 Invalid expiration_ttl of ${expirationTtl}. Expiration TTL must be at least 60.`,
            );
          }
          const life = expirationTtl === undefined ? Infinity : expirationTtl * 1000;
          entries.set(key, { value, expiresAt: clock.now + life });
          // Where it was written it is usually read at once.
          cache.set(key, { value, until: clock.now + CACHE });
        }),
      delete: (key) =>
        travel(() => {
          admitWrite(key);
          entries.delete(key);
          cache.set(key, { value: null, until: clock.now + CACHE });
        }),
      list: ({ prefix = "", limit = 1000, cursor } = {}) =>
        travel(() => {
          const names = [...entries.keys()].filter((key) => key.startsWith(prefix)).sort();
          const start = cursor === undefined ? 0 : names.findIndex((name) => name > atob(cursor));
          const part = start === -1 ? [] : names.slice(start, start + limit);
          const more = start !== -1 && start + limit < names.length;
          return {
            keys: part.map((name) => ({ name })),
            list_complete: !more,
            ...(more && { cursor: btoa(part.at(-1)!) }),
          };
        }),
    };
  }

  const double: KeyValueDouble = {
    clock,
    limitsWrites: true,
    fail: undefined,
    at(location) {
      let view = views.get(location);
      if (view === undefined) views.set(location, view = createView());
      return view;
    },
    get stored() {
      return new Map([...entries].map(([key, { value }]) => [key, value]));
    },
  };
  return double;
}
