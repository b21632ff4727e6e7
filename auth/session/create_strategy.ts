import { wrongOption } from "../config/check.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { createDatabaseStrategy } from "./database_strategy.ts";
import type { SessionStrategy, SessionStrategyDefinition, StrategyParts } from "./strategy.ts";

/**
 * Makes the strategy that the options name; without a `session` block 'database', when there is one.
 *
 * @param chosen What stands in `session.strategy`; null when nothing does.
 * @throws {ConfigurationError} When what the strategy needs is not configured.
 */
export function createStrategy(
  chosen: "database" | SessionStrategyDefinition | null,
  parts: StrategyParts,
): SessionStrategy {
  if (chosen !== null && chosen !== "database") return chosen.create(parts);
  const { storage, times, hostOnly, now, logger, revocation } = parts;
  if (revocation !== undefined) {
    throw wrongOption(
      "session.revocation",
      revocation,
      "it only with jwtSessions: sessions in a database are ended there",
    );
  }
  if (storage !== null) return createDatabaseStrategy({ storage, times, hostOnly, now, logger });
  const found = chosen === null
    ? "Nothing says where sessions live"
    : 'The session strategy "database" needs a database';
  throw new ConfigurationError(
    `${found}: configure \`database\`, or \`secret\` and session: { strategy: jwtSessions }`,
    { field: "database" },
  );
}
