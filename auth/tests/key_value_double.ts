import { createKvNamespace } from "../../testing/platform/kv.ts";

/** One location's view of a {@linkcode KeyValueDouble}: a namespace, as a worker there is given it. */
export interface KeyValueView {
  get(key: string): Promise<string | null>;
  put(key: string, value: string, options?: { expirationTtl?: number }): Promise<void>;
  delete(key: string): Promise<void>;
  list(
    options?: { prefix?: string; limit?: number; cursor?: string },
  ): Promise<{ keys: { name: string }[]; list_complete: boolean; cursor?: string }>;
}

/** Delays of a {@linkcode KeyValueDouble}. */
export interface KeyValueDoubleOptions {
  /** Time for which a location caches what it read, in milliseconds. Default 60,000. */
  staleFor?: number;
  /** True when a location reads its own writes at once, as is usual but not promised. Default true. */
  showsOwnWrites?: boolean;
}

/**
 * The testing package's key-value namespace, which promises what Workers KV promises and not more: every location
 * keeps what it read, also that there was nothing, for 60 seconds; a key takes one write in a second.
 *
 * @see https://developers.cloudflare.com/kv/platform/limits/
 */
export interface KeyValueDouble {
  /** The namespace at a location. */
  at(location: string): KeyValueView;
  /** Milliseconds since 1970. */
  readonly clock: { now: number };
  /** The keys that are stored now, wherever one looks. */
  stored(): Promise<string[]>;
  /** True to refuse writes within a second of the last one of their key. Default true. */
  limitsWrites: boolean;
  /** Number of writes refused for that reason. */
  readonly refused: number;
  /** Makes every further read, or write, fail with this message; undefined heals it. */
  fail: { reads: string | undefined; writes: string | undefined };
}

/** Makes an empty store. */
export function createKeyValueDouble(
  { staleFor = 60_000, showsOwnWrites = true }: KeyValueDoubleOptions = {},
): KeyValueDouble {
  const clock = { now: Date.UTC(2026, 0, 1) };
  let refused = 0;
  const kept = createKvNamespace({ now: () => clock.now });
  const written = new Map<string, number>();

  function admitWrite(key: string): void {
    const last = written.get(key);
    if (double.limitsWrites && last !== undefined && clock.now - last < 1000) {
      refused++;
      throw new Error("KV PUT failed: 429 Too Many Requests");
    }
    written.set(key, clock.now);
  }

  async function travel<T>(kind: "reads" | "writes", work: () => Promise<T>): Promise<T> {
    await Promise.resolve();
    if (double.fail[kind] !== undefined) throw new Error(double.fail[kind]);
    return await work();
  }

  const views = new Map<string, KeyValueView>();

  function createView(): KeyValueView {
    const cache = new Map<string, { value: string | null; until: number }>();
    function remember(key: string, value: string | null): void {
      cache.set(key, { value, until: clock.now + staleFor });
    }
    return {
      get: (key) =>
        travel("reads", async () => {
          const cached = cache.get(key);
          if (cached !== undefined && cached.until > clock.now) return cached.value;
          const value = await kept.get(key);
          remember(key, value);
          return value;
        }),
      put: (key, value, options) =>
        travel("writes", async () => {
          admitWrite(key);
          await kept.put(key, value, options);
          if (showsOwnWrites) remember(key, value);
        }),
      delete: (key) =>
        travel("writes", async () => {
          admitWrite(key);
          await kept.delete(key);
          if (showsOwnWrites) remember(key, null);
        }),
      list: (options) => travel("reads", () => kept.list(options)),
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
    stored: async () => (await kept.list()).keys.map(({ name }) => name),
  };
  return double;
}
