import type { AuthCallbacks } from "../callbacks/callbacks.ts";
import type { Logger } from "../config/logger.ts";
import type { SessionOptions } from "../config/session_options.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Storage } from "../storage/storage.ts";
import { createDatabaseStrategy } from "./database_strategy.ts";
import { createJwtStrategy } from "./jwt_strategy.ts";
import type { SessionStrategy } from "./strategy.ts";

/** What a strategy is chosen by and made of. */
export interface CreateStrategyOptions {
  /** The `session` block. */
  session: SessionOptions;
  /** The name of the session cookie. */
  cookieName: string;
  /** The secrets, the first of which signs. */
  secrets: readonly string[];
  /** Users and sessions; null without a database. */
  storage: Storage | null;
  /** The application's say. */
  callbacks: AuthCallbacks;
  /** The clock. */
  now: () => number;
  /** Where failures are reported that end nothing. */
  logger: Logger;
}

/**
 * Makes the strategy that the options name; without a `session` block 'database', when there is one.
 *
 * @throws {ConfigurationError} When what the strategy needs is not configured.
 */
export function createStrategy(options: CreateStrategyOptions): SessionStrategy {
  const { session, cookieName, secrets, storage, callbacks, now, logger } = options;
  const { strategy, times, revocation } = session;
  if (strategy === "jwt") {
    if (secrets.length === 0) {
      throw new ConfigurationError(
        'The session strategy "jwt" needs `secret`: at least 32 bytes, as of openssl rand -hex 32',
        { field: "secret" },
      );
    }
    const { jwt } = callbacks;
    return createJwtStrategy({
      secrets,
      audience: cookieName,
      times,
      storage,
      revocation,
      jwt,
      now,
      logger,
    });
  }
  if (storage === null) {
    const found = strategy === null
      ? "Nothing says where sessions live"
      : 'The session strategy "database" needs a database';
    throw new ConfigurationError(
      `${found}: configure \`database\`, or \`secret\` and session: { strategy: "jwt" }`,
      { field: "database" },
    );
  }
  return createDatabaseStrategy({ storage, times, now, logger });
}
