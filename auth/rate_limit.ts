/**
 * Limits how often something happens: sign-ins, emails, whatever an application offers. The sign-in endpoints
 * have limits of their own already; this is for the rest.
 *
 * A limiter says what is limited, a storage how exactly it is counted:
 *
 * - exact, however many come at once: SQL, durable objects, Valkey, memory (of one process);
 * - not exact, within a bound that each states: key-value namespaces, the platform's own rate limit.
 *
 * @example
 * ```ts
 * import { createLoginRateLimiter, createMemoryRateLimitStorage } from "@framework/auth/rate-limit";
 * import { equal } from "node:assert/strict";
 *
 * const limiter = createLoginRateLimiter(createMemoryRateLimitStorage(), {
 *   limit: 5,
 *   window: 900,
 *   clientAddress: () => "192.0.2.7", // as the platform says it; inside auth.run() it is known
 * });
 * const request = new Request("https://app.example/login", { method: "POST" });
 * const { success, remaining } = await limiter.check(request, { identifier: "ada@example.com" });
 * equal(success, true);
 * equal(remaining, 4);
 * ```
 *
 * @module
 */

export {
  type CountBy,
  createRateLimiter,
  type LimiterOptions,
  type RateLimitCheck,
  type RateLimitCounts,
  type RateLimiter,
  type RateLimiterOptions,
  type RateLimitResult,
} from "./rate_limit/limiter.ts";
export {
  createEmailVerificationRateLimiter,
  createLoginRateLimiter,
  createPasswordResetRateLimiter,
  type EmailVerificationLimiterOptions,
} from "./rate_limit/limiters.ts";
export {
  type RateLimitMiddleware,
  rateLimitMiddleware,
  type RateLimitMiddlewareOptions,
} from "./rate_limit/middleware.ts";
export {
  createMemoryRateLimitStorage,
  type MemoryRateLimitStorageOptions,
} from "./rate_limit/memory.ts";
export { createSqlRateLimitStorage } from "./rate_limit/sql.ts";
export {
  createDurableObjectRateLimitStorage,
  RateLimitObject,
  type RateLimitObjectNamespace,
  type RateLimitObjectState,
} from "./rate_limit/durable_object.ts";
export {
  createFixedWindowStorage,
  createSlidingWindowStorage,
  type KvStorageOptions,
  type RateLimitNamespace,
} from "./rate_limit/kv.ts";
export {
  createValkeyRateLimitStorage,
  type ValkeyRateLimitStorageOptions,
} from "./rate_limit/valkey.ts";
export type { SendValkeyCommand } from "./storage/valkey.ts";
export { createPlatformRateLimitStorage, type RateLimitBinding } from "./rate_limit/binding.ts";
export type {
  RateLimit,
  RateLimitRule,
  RateLimitStorage,
  RateLimitTake,
} from "./storage/rate_limits.ts";
export { RateLimitedError, type RateLimitedErrorFields } from "./errors.ts";
export type { Logger } from "./lib/logger.ts";
export type { SqlDatabase } from "./storage/sql_database.ts";
