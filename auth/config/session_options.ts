import type { RevocationStore } from "../session/revocation_store.ts";
import type { SessionStrategyDefinition, SessionTimes } from "../session/strategy.ts";
import { isOptions, optionsAt, wrongOption } from "./check.ts";
import { readFlag } from "./read_values.ts";

/** How long sessions last and where they live. */
export interface SessionConfig {
  /**
   * Where sessions live: 'database', in a table, where they can be listed and ended at any time; or 'jwt',
   * in a signed token, for which nobody has to be asked. 'jwt' needs `secret`, and no database. In
   * `app/auth/config.ts` it is that word, for `createAuth()` the value `jwtSessions`, so that whoever does not
   * use it does not bundle it. Default: 'database' where there is one.
   */
  strategy?: "database" | "jwt" | SessionStrategyDefinition;
  /** Seconds after its last renewal at which a session ends. Default 30 days; at most 400 days. */
  maxAge?: number;
  /**
   * Seconds that pass at least between two renewals of one session. Default 24 hours. With 'jwt' and a
   * database that is also how long a change of the user's data may stay unseen.
   */
  updateAge?: number;
  /** Seconds after sign-in at which a session ends however often it is renewed. Default: no such end. */
  absoluteMaxAge?: number;
  /**
   * Whether `Authorization: Bearer <token>` counts in place of the cookie, for clients that are no
   * browsers. The token is the value of the session cookie. Default false.
   */
  bearer?: boolean;
  /**
   * With 'jwt', where sessions are ended before their time: see `createSqlRevocationStore()`. It is asked
   * in every request that carries a token. Default: nowhere, and a token is good until it expires, also
   * after the sign-out for whoever has kept a copy.
   */
  revocation?: RevocationStore;
}

/** The `session` block, checked. */
export interface SessionOptions {
  /** Where sessions live; null when nothing says it. */
  strategy: "database" | SessionStrategyDefinition | null;
  /** How long they last. */
  times: SessionTimes;
  /** Whether the Authorization header counts. */
  bearer: boolean;
  /** Where sessions of the strategy 'jwt' are ended before their time, or null. */
  revocation: unknown;
}

const DAY = 24 * 60 * 60;
// Browsers keep no cookie longer (RFC 6265bis, 5.5), so a longer session would end by surprise.
const MAX_AGE_LIMIT = 400 * DAY;
const KEYS = ["strategy", "maxAge", "updateAge", "absoluteMaxAge", "bearer", "revocation"];

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

function readStrategy(value: unknown): SessionOptions["strategy"] {
  if (value === undefined) return null;
  if (value === "database") return value;
  if (isOptions(value) && value.kind === "session-strategy") {
    return value as unknown as SessionStrategyDefinition;
  }
  throw wrongOption(
    "session.strategy",
    value,
    '"database"; or jwtSessions, with import { jwtSessions } from "@framework/auth"',
  );
}

/** Checks the `session` block and fills in its defaults. */
export function readSessionOptions(value: unknown): SessionOptions {
  const options = optionsAt(value, "session", KEYS);
  return {
    strategy: readStrategy(options.strategy),
    times: {
      maxAge: seconds(options.maxAge, "session.maxAge", 1, 30 * DAY * 1000),
      updateAge: seconds(options.updateAge, "session.updateAge", 0, DAY * 1000),
      absoluteMaxAge: seconds(options.absoluteMaxAge, "session.absoluteMaxAge", 1, Infinity),
    },
    bearer: readFlag(options.bearer, "session.bearer") ?? false,
    revocation: options.revocation,
  };
}
