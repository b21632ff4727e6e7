import type { MintedSession } from "../sign_in/mint_session.ts";
import { guardOf } from "../rate_limit/account_guard.ts";
import type { Session } from "../session/session.ts";
import type { RequestStore, StartOptions } from "../http/contracts.ts";

/** How a session begins, besides for whom. */
export interface BeginOptions extends StartOptions {
  /** Id of the provider, when a sign-in is what begins it. */
  provider?: string;
  /** Who it says it is, as it was typed. Default: nothing was. */
  identifier?: string | null | undefined;
}

/** Begins a session for a user, in place of the present one, and reports it. */
export async function beginSession(
  store: RequestStore,
  userId: string,
  { provider, identifier, ...start }: BeginOptions = {},
): Promise<MintedSession> {
  const { auth, report } = store;
  const minted = await auth.start(userId, start);
  const identifiers = [identifier, minted.email].filter((one) => typeof one === "string");
  if (identifiers.length > 0) {
    const { proofBegunAt, unproved = false } = start.save ?? {};
    const conditions = { unproved, ...(proofBegunAt !== undefined && { proofBegunAt }) };
    await guardOf(auth.settings)?.remember(store, { userId, identifiers, conditions });
  }
  const who = { userId, ...(provider !== undefined && { provider }) };
  if (minted.created) report({ type: "sign-up", ...who });
  report({ type: "sign-in", ...who });
  return minted;
}

/** Ends the present session and reports whose it was. Returns it; null when nobody was signed in. */
export async function finishSession({ auth, report }: RequestStore): Promise<Session | null> {
  // Nobody is kept from signing out because nobody could say who it is.
  const state = await auth.load().catch(() => null);
  await auth.end();
  if (state?.status !== "valid") return null;
  report({ type: "sign-out", userId: state.session.user.id });
  return state.session;
}
