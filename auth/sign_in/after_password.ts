/**
 * The end of a sign-in by password, for what may follow it and nothing else.
 *
 * @module
 */

import type { EndpointContext } from "../core/contracts.ts";
import { isOf } from "../core/request.ts";

/**
 * Tells the ways to sign in that want to know it that a sign-in by password is complete. It never fails the sign-in.
 *
 * @param begunAt Time at which this sign-in has begun, in milliseconds since 1970: a session of before is not its, and is
 * still there while the sign-in waits for its second step.
 */
export async function tellPasswordSignIn(
  { store }: EndpointContext,
  { userId, begunAt }: { userId: string; begunAt: number },
): Promise<void> {
  const { settings, settings: { providers, logger } } = store.auth;
  const told = [...providers.values()].filter(({ afterPassword }) => afterPassword !== undefined);
  if (told.length === 0) return;
  try {
    const state = await store.auth.load();
    // The moment of a token is in whole seconds.
    const since = settings.strategy.name === "database" ? begunAt : begunAt - begunAt % 1000;
    if (!isOf(state, userId) || state.authenticatedAt < since) return;
    for (const method of told) await method.afterPassword!(store, userId);
  } catch (error) {
    logger.error("after-password-failed", { requestId: store.requestId(), error });
  }
}
