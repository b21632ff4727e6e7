import { createJwtStrategy } from "./jwt_strategy.ts";
import type { SessionStrategyDefinition } from "./strategy.ts";

/**
 * Sessions in signed tokens, for `session.strategy` of `createAuth()`: nobody has to be asked whose
 * session it is. Applications by convention write "jwt" in its place.
 *
 * @example
 * ```ts
 * import { createAuth, jwtSessions } from "@framework/auth";
 *
 * const auth = createAuth<{ AUTH_SECRET: string }>(({ AUTH_SECRET }) => ({
 *   secret: AUTH_SECRET,
 *   session: { strategy: jwtSessions },
 * }));
 * ```
 */
export const jwtSessions: SessionStrategyDefinition = {
  kind: "session-strategy",
  create: createJwtStrategy,
};
