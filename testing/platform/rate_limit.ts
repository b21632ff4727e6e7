/** Binding of `ratelimits` with the platform's API. */
export interface RateLimit {
  /** Counts a call of a key; `success` is false once the limit of the period is reached. */
  limit(options: { key?: string }): Promise<{ success: boolean }>;
}

/** Counts of the current period by key. */
export interface RateLimitCounts {
  period: number;
  counts: Map<string, number>;
}

const OPTIONS = ["key", "limit", "period"];
const PERIODS = [10, 60];

/**
 * Creates a rate limit whose periods pass by the given clock.
 *
 * @param options `now`: milliseconds since 1970; `guard`: called before each use; `limit`: calls of a key in a period;
 * `period`: 10 or 60 seconds; `state`: where calls are counted, by default an empty map.
 * @see https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/
 */
export function createRateLimit(options: {
  now: () => number;
  guard?: () => void;
  limit: number;
  period: number;
  state?: RateLimitCounts;
}): RateLimit {
  const { now, guard, state = { period: 0, counts: new Map<string, number>() } } = options;
  return {
    // deno-lint-ignore require-await -- a promise by contract.
    async limit(given) {
      guard?.();
      check(typeof given === "object" && given !== null, "invalid rate limit options");
      const unknown = Object.keys(given).filter((name) => !OPTIONS.includes(name));
      check(unknown.length === 0, `bad rate limit options: [${unknown.join(",")}]`);
      // One that is undefined is not there.
      const { key = "", limit = options.limit, period = options.period } = given as {
        key?: string;
        limit?: number;
        period?: number;
      };
      check(typeof key === "string", `invalid key: ${key}`);
      check(typeof limit === "number", `limit must be a number: ${limit}`);
      check(typeof period === "number", `period must be a number: ${period}`);
      check(PERIODS.includes(period), `unsupported period: ${period}`);
      const current = Math.floor(now() / (period * 1000));
      if (current !== state.period) {
        state.period = current;
        state.counts.clear();
      }
      const count = state.counts.get(key) ?? 0;
      if (count >= limit) return { success: false };
      state.counts.set(key, count + 1);
      return { success: true };
    },
  };
}

function check(isRight: boolean, message: string): void {
  if (!isRight) throw new Error(message);
}
