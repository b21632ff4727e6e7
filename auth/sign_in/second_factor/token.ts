/**
 * The new token of a session that has proved its second factor.
 *
 * @module
 */

import type { RequestStore } from "../../core/contracts.ts";
import { hashText } from "../../lib/hash.ts";
import { createSecret } from "../../lib/secret.ts";
import { AFTER_EXCHANGE, createSessionId } from "../../session/database_strategy.ts";
import type { ValidSession } from "../../types/session.ts";
import { factorsOf, markSession, type ProvedBy } from "./factor.ts";

/** The session under a new token; null when another request of the browser was faster, or it is over. */
async function withNewToken(
  { auth: { settings } }: RequestStore,
  state: ValidSession,
): Promise<ValidSession | null> {
  const { strategy, cookie, now } = settings;
  if (strategy.replace !== undefined) return await strategy.replace(state);
  // The part in the session's own cookie: a device's stays with it.
  const [[, long] = ["", state.token]] = cookie.tokens.split(cookie.name, state.token);
  const fresh = createSecret();
  const isDone = await factorsOf(settings).replaceToken(state.id, {
    from: await hashText(long),
    to: await hashText(fresh),
    bound: state.device !== undefined,
    before: { sessionId: createSessionId(), expiresAt: now() + AFTER_EXCHANGE },
  });
  return isDone ? { ...state, token: fresh + state.token.slice(long.length) } : null;
}

/**
 * Stores that the session of a request has proved its second factor, under a new token: whoever has copied the one of before
 * has not proved it (OWASP Session Management Cheat Sheet, "Renew the Session ID After Any Privilege Level Change"). A client
 * that sends its token in a header keeps it.
 */
export async function proveSession(
  store: RequestStore,
  session: ValidSession,
  method: ProvedBy,
): Promise<void> {
  const { auth, auth: { settings, presented } } = store;
  const isBearer = presented.found === "one" && presented.source === "bearer";
  const proved = isBearer ? session : await withNewToken(store, session);
  if (proved === null) return;
  if (!isBearer) auth.adopt(proved);
  await markSession(settings, { sessionId: proved.id, userId: proved.session.user.id, method });
}
