/**
 * Limiters of sign-in, password reset and verification mails.
 *
 * @module
 */

import { checkKeys } from "../lib/options.ts";
import type { RateLimitStorage } from "../storage/rate_limits.ts";
import {
  createRateLimiter,
  LIMITER_KEYS,
  type LimiterOptions,
  type RateLimiter,
} from "./limiter.ts";

/**
 * Limits attempts to sign in: 5 within 900 seconds by each pair of address and identifier, unless the options
 * say otherwise. Without an identifier it counts by address, and in all tenants together. When the storage fails,
 * nobody gets in (503).
 *
 * The sign-in endpoints of this library have such limits already, see the option `rateLimit`.
 *
 * @param storage Where attempts are counted.
 * @param options What is different: `limit`, `window` in seconds, and the others of a limiter.
 * @throws {ConfigurationError} When an option is wrong.
 *
 * @example
 * ```ts
 * import { createLoginRateLimiter, createMemoryRateLimitStorage } from "@framework/auth/rate-limit";
 * import { equal } from "node:assert/strict";
 *
 * const limiter = createLoginRateLimiter(createMemoryRateLimitStorage(), { limit: 5, window: 900 });
 *
 * async function signIn(request: Request, email: string): Promise<Response> {
 *   const { success, response, refund } = await limiter.check(request, { identifier: email });
 *   if (!success) return response!;
 *   // … check the password, and when it is right:
 *   await refund?.();
 *   return new Response("Welcome");
 * }
 * const request = new Request("https://app.example/login", { method: "POST" });
 * equal((await signIn(request, "ada@example.com")).status, 200);
 * ```
 */
export function createLoginRateLimiter(
  storage: RateLimitStorage,
  options: Partial<LimiterOptions> = {},
): RateLimiter {
  checkKeys(options, LIMITER_KEYS, "");
  return createRateLimiter(storage, {
    name: "login",
    limit: 5,
    window: 900,
    perTenant: false,
    ...options,
  });
}

/**
 * Creates a limiter for password reset requests: 3 within 3,600 seconds for each identifier, from
 * any client, so that no mailbox is flooded. Without an identifier it counts by address. When the
 * storage fails it refuses (503).
 *
 * @param storage Where requests are counted.
 * @param options What is different: `limit`, `window` in seconds, and the others of a limiter.
 * @throws {ConfigurationError} When an option is wrong.
 *
 * @example
 * ```ts
 * import {
 *   createMemoryRateLimitStorage,
 *   createPasswordResetRateLimiter,
 * } from "@framework/auth/rate-limit";
 * import { equal } from "node:assert/strict";
 *
 * const limiter = createPasswordResetRateLimiter(createMemoryRateLimitStorage(), {
 *   limit: 3,
 *   window: 3600,
 * });
 * const request = new Request("https://app.example/reset", { method: "POST" });
 * equal((await limiter.check(request, { identifier: "ada@example.com" })).remaining, 2);
 * ```
 */
export function createPasswordResetRateLimiter(
  storage: RateLimitStorage,
  options: Partial<LimiterOptions> = {},
): RateLimiter {
  checkKeys(options, LIMITER_KEYS, "");
  return createRateLimiter(storage, {
    name: "password-reset",
    limit: 3,
    window: 3600,
    by: "identifier",
    perTenant: false,
    ...options,
  });
}

/**
 * Creates a limiter for verification emails: 5 within 3,600 seconds for each identifier, from any
 * client. Without an identifier it counts by address.
 *
 * @param storage Where requests are counted.
 * @param options What is different: `limit`, `window` in seconds, and the others of a limiter.
 * @throws {ConfigurationError} When an option is wrong.
 *
 * @example
 * ```ts
 * import {
 *   createEmailVerificationRateLimiter,
 *   createMemoryRateLimitStorage,
 * } from "@framework/auth/rate-limit";
 * import { equal } from "node:assert/strict";
 *
 * const limiter = createEmailVerificationRateLimiter(createMemoryRateLimitStorage(), {
 *   limit: 5,
 *   window: 3600,
 *   onStorageFailure: "allow",
 * });
 * const request = new Request("https://app.example/verify", { method: "POST" });
 * equal((await limiter.check(request, { identifier: "ada@example.com" })).success, true);
 * ```
 */
export function createEmailVerificationRateLimiter(
  storage: RateLimitStorage,
  options: Partial<EmailVerificationLimiterOptions> = {},
): RateLimiter {
  checkKeys(options, [...LIMITER_KEYS, "onStorageFailure"], "");
  return createRateLimiter(storage, {
    name: "email-verification",
    limit: 5,
    window: 3600,
    by: "identifier",
    perTenant: false,
    ...options,
  });
}

/** Options for {@linkcode createEmailVerificationRateLimiter}. */
export interface EmailVerificationLimiterOptions extends LimiterOptions {
  /**
   * Behaviour when the storage does not answer: "refuse" with a 503, or "allow". Default "refuse".
   */
  onStorageFailure?: "refuse" | "allow";
}
