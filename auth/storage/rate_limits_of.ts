import { isRateLimitStorage } from "../rate_limit/rate_limit_config.ts";
import type { RateLimitStorage } from "../rate_limit/rate_limit_storage.ts";
import { SQL_PARTS, type SqlParts } from "./sql_parts.ts";
import { createRateLimitOperations } from "./sql_rate_limits.ts";
import type { Storage } from "./storage.ts";

/** Where the storage of an application counts attempts, exactly; null when it does not. */
export function rateLimitsOf(storage: Storage): RateLimitStorage | null {
  if (isRateLimitStorage(storage)) return storage;
  const parts = (storage as { [SQL_PARTS]?: SqlParts })[SQL_PARTS];
  return parts === undefined ? null : createRateLimitOperations(parts.executor, parts.dialect);
}
