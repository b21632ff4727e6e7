/**
 * `jwtSessions`, with what stands in for a database.
 *
 * @module
 */

import type { Stateless } from "../core/contracts.ts";
import type { SessionStrategyDefinition } from "../core/session_strategy.ts";
import { createJwtStrategy } from "../session/jwt_strategy.ts";
import { signInUnknown } from "../sign_in/oauth/callback.ts";
import { SEALED_TRANSACTIONS } from "../sign_in/oauth/transaction.ts";
import { createMemoryRateLimits } from "../storage/memory_rate_limits.ts";
import { createNoStorage } from "../storage/storage.ts";

/** See {@linkcode Stateless}. */
const STATELESS: Stateless = {
  createStorage: createNoStorage,
  transactions: SEALED_TRANSACTIONS,
  signInByProvider: signInUnknown,
  createRateLimits: createMemoryRateLimits,
};

/**
 * Session strategy with signed tokens, for `session.strategy` of `createAuth()`: a session is
 * verified without a lookup. Applications by convention write "jwt" in its place.
 *
 * @example
 * ```ts
 * import { createAuth, jwtSessions } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth<{ AUTH_SECRET: string }>(({ AUTH_SECRET }) => ({
 *   secret: AUTH_SECRET,
 *   session: { strategy: jwtSessions },
 * }));
 *
 * const env = { AUTH_SECRET: "0123456789abcdef0123456789abcdef" };
 * const response = await auth.handle(new Request("http://localhost/auth/session"), env);
 * equal(response?.status, 200);
 * ```
 */
export const jwtSessions: SessionStrategyDefinition = {
  kind: "session-strategy",
  create: (parts) => Object.assign(createJwtStrategy(parts), { stateless: STATELESS }),
};
