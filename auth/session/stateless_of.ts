import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Settings, Stateless } from "../http/contracts.ts";

/**
 * What stands in for the database.
 *
 * @throws {ConfigurationError} When there is nothing, as with a storage that lacks an operation.
 */
export function statelessOf({ strategy }: Pick<Settings, "strategy">): Stateless {
  if (strategy.stateless !== undefined) return strategy.stateless;
  throw new ConfigurationError(
    "The storage has no takeRateLimit(): add it and refundRateLimit(), or set rateLimit.storage",
    { field: "rateLimit.storage" },
  );
}
