/** One location's view of a {@linkcode KeyValueDouble}: a namespace, as a worker there is given it. */
export interface KeyValueView {
  get(key: string): Promise<string | null>;
  put(key: string, value: string, options?: { expirationTtl?: number }): Promise<void>;
  delete(key: string): Promise<void>;
  list(
    options?: { prefix?: string; limit?: number; cursor?: string },
  ): Promise<{ keys: { name: string }[]; list_complete: boolean; cursor?: string }>;
}

/** How long a {@linkcode KeyValueDouble} is behind. */
export interface KeyValueDoubleOptions {
  /** How long a location keeps what it read, in milliseconds. Default 60,000. */
  staleFor?: number;
  /** Whether a location reads at once what was written there, as is usual but not promised. Default true. */
  showsOwnWrites?: boolean;
}

/**
 * A key-value store that promises what Workers KV promises and not more: every location keeps what it
 * read, also that there was nothing, for 60 seconds; a key takes one write in a second; a TTL is at least
 * 60 seconds; a key has at most 512 bytes.
 *
 * @see https://developers.cloudflare.com/kv/platform/limits/
 */
export interface KeyValueDouble {
  /** The namespace at a location. */
  at(location: string): KeyValueView;
  /** Milliseconds since 1970. */
  readonly clock: { now: number };
  /** What is stored now, wherever one looks. */
  readonly stored: ReadonlyMap<string, string>;
  /** Whether writes are refused that come within a second of the last one of their key. Default true. */
  limitsWrites: boolean;
  /** How many writes were refused for that. */
  readonly refused: number;
  /** Makes every further read, or write, fail with this message; undefined heals it. */
  fail: { reads: string | undefined; writes: string | undefined };
}

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
export function createKeyValueDouble(
  { staleFor = 60_000, showsOwnWrites = true }: KeyValueDoubleOptions = {},
): KeyValueDouble {
  const clock = { now: Date.UTC(2026, 0, 1) };
  let refused = 0;
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
      refused++;
      throw new Error("KV PUT failed: 429 Too Many Requests");
    }
    written.set(key, clock.now);
  }

  async function travel<T>(kind: "reads" | "writes", work: () => T): Promise<T> {
    await Promise.resolve();
    if (double.fail[kind] !== undefined) throw new Error(double.fail[kind]);
    return work();
  }

  const views = new Map<string, KeyValueView>();

  function createView(): KeyValueView {
    const cache = new Map<string, { value: string | null; until: number }>();
    function remember(key: string, value: string | null): void {
      cache.set(key, { value, until: clock.now + staleFor });
    }
    return {
      get: (key) =>
        travel("reads", () => {
          checkKey(key);
          const cached = cache.get(key);
          if (cached !== undefined && cached.until > clock.now) return cached.value;
          const value = read(key);
          remember(key, value);
          return value;
        }),
      put: (key, value, { expirationTtl } = {}) =>
        travel("writes", () => {
          admitWrite(key);
          if (
            expirationTtl !== undefined && !(Number.isInteger(expirationTtl) && expirationTtl >= 60)
          ) {
            throw new Error(
              `KV PUT failed: 400 Invalid expiration_ttl of ${expirationTtl}. Expiration TTL must be at least 60.`,
            );
          }
          const life = expirationTtl === undefined ? Infinity : expirationTtl * 1000;
          entries.set(key, { value, expiresAt: clock.now + life });
          if (showsOwnWrites) remember(key, value);
        }),
      delete: (key) =>
        travel("writes", () => {
          admitWrite(key);
          entries.delete(key);
          if (showsOwnWrites) remember(key, null);
        }),
      list: ({ prefix = "", limit = 1000, cursor } = {}) =>
        travel("reads", () => {
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
    get refused() {
      return refused;
    },
    fail: { reads: undefined, writes: undefined },
    at(location) {
      let view = views.get(location);
      if (view === undefined) views.set(location, view = createView());
      return view;
    },
    get stored() {
      return new Map(
        [...entries].filter(([key]) => read(key) !== null).map(([key, { value }]) => [key, value]),
      );
    },
  };
  return double;
}
