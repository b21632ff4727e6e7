import { ConfigurationError } from "../errors/configuration_error.ts";
import { describe, wrongOption } from "./check.ts";

/**
 * Checks the option `now`. A clock that tells no number would compare as neither before nor after any
 * moment, so it fails the request that asks it.
 *
 * @throws {ConfigurationError} When it is no function.
 */
export function readClock(value: unknown): () => number {
  if (value === undefined) return Date.now;
  if (typeof value !== "function") {
    throw wrongOption("now", value, "a function that returns milliseconds");
  }
  return function now() {
    const time: unknown = value();
    if (typeof time === "number" && Number.isFinite(time)) return time;
    throw new ConfigurationError(
      `Option "now" returned ${describe(time)}: return milliseconds since 1970`,
      { field: "now" },
    );
  };
}
