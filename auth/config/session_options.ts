import { ConfigurationError } from "../errors/configuration_error.ts";
import { checkKeys, didYouMean, optionsAt, wrongOption } from "./check.ts";

/** How long sessions last and where they live. */
export interface SessionConfig {
  /**
   * Where sessions live. This version has 'database'; 'jwt' is refused with a `ConfigurationError`
   * until a version that has it.
   */
  strategy: "database" | "jwt";
  /** Seconds after its last renewal at which a session ends. Default 30 days; at most 400 days. */
  maxAge?: number;
  /** Seconds that pass at least between two renewals of one session. Default 24 hours. */
  updateAge?: number;
  /** Seconds after sign-in at which a session ends however often it is renewed. Default: no such end. */
  absoluteMaxAge?: number;
}

/** The same, checked, in milliseconds. */
export interface SessionTimes {
  /** From the last renewal to the end. */
  maxAge: number;
  /** Between renewals. */
  updateAge: number;
  /** From sign-in to the end; Infinity when there is none. */
  absoluteMaxAge: number;
}

const DAY = 24 * 60 * 60;
// Browsers keep no cookie longer (RFC 6265bis, 5.5), so a longer session would end by surprise.
const MAX_AGE_LIMIT = 400 * DAY;
const KEYS = ["strategy", "maxAge", "updateAge", "absoluteMaxAge"];

function seconds(value: unknown, field: string, min: number, fallback: number): number {
  if (value === undefined) return fallback;
  if (
    typeof value !== "number" || !Number.isInteger(value) || value < min || value > MAX_AGE_LIMIT
  ) {
    throw wrongOption(
      field,
      value,
      `a whole number of seconds from ${min} to ${MAX_AGE_LIMIT} (400 days)`,
    );
  }
  return value * 1000;
}

function checkStrategy(strategy: unknown): void {
  if (strategy === "database") return;
  if (strategy === "jwt") {
    throw new ConfigurationError(
      'The session strategy "jwt" is not available in this version of @framework/auth. ' +
        'Write session: { strategy: "database" } and configure `database`.',
      { field: "session.strategy" },
    );
  }
  const hint = typeof strategy === "string" ? didYouMean(strategy, ["database"]) : "";
  throw wrongOption("session.strategy", strategy, `"database". ${hint}`.trimEnd());
}

/** Checks the `session` block and fills in its defaults. */
export function readSessionOptions(value: unknown): SessionTimes {
  const options = optionsAt(value, "session");
  checkKeys(options, KEYS, "session");
  if (value !== undefined) checkStrategy(options.strategy);
  return {
    maxAge: seconds(options.maxAge, "session.maxAge", 1, 30 * DAY * 1000),
    updateAge: seconds(options.updateAge, "session.updateAge", 0, DAY * 1000),
    absoluteMaxAge: seconds(options.absoluteMaxAge, "session.absoluteMaxAge", 1, Infinity),
  };
}
