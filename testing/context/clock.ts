import { TestingError } from "../errors.ts";

/** Clock of one test context. It stands still between calls of `advance`. */
export interface TestClock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Moves the time forward. Alarms of durable objects that become due run, each at its own time;
   * `await` waits for them, as the next `ctx.fetch` does.
   *
   * @param duration Milliseconds, or numbers with units as in `"30d"`, `"1h 30m"`, `"500ms"`.
   * @returns A promise-like that rejects with the error of an alarm handler.
   * @throws {TestingError} `INVALID_DURATION` for any other value and for negative numbers.
   */
  advance(duration: number | string): PromiseLike<void>;
}

const UNITS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Makes a clock.
 *
 * @param start Initial time, in milliseconds since 1970.
 * @param wake Called after the clock was moved. Default: nothing is called.
 */
export function createClock(
  start: number,
  wake: () => PromiseLike<void> = () => Promise.resolve(),
): TestClock {
  let time = start;
  return {
    now: () => time,
    advance(duration) {
      time += typeof duration === "number" ? checked(duration, duration) : parseDuration(duration);
      return wake();
    },
  };
}

/** Reads `"30d"`, `"1h 30m"` and the like as milliseconds. */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|[smhdw])(?:\s+|$|(?=\d))/g)];
  const read = parts.map((part) => part[0]).join("");
  if (read === "" || read !== text.trimStart()) return checked(NaN, text);
  return parts.reduce((sum, part) => sum + Number(part[1]) * (UNITS[part[2] ?? ""] ?? NaN), 0);
}

function checked(milliseconds: number, given: unknown): number {
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  throw new TestingError(
    "INVALID_DURATION",
    `The clock cannot advance by ${
      JSON.stringify(given) ?? String(given)
    }. Pass a non-negative number of milliseconds, or a ` +
      'text such as "30d", "1h 30m" or "500ms".',
  );
}
