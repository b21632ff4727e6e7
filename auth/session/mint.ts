/**
 * Sessions minted at a sign-in, and ended at a sign-out.
 *
 * @module
 */

import type { RequestStore, Settings, StartOptions } from "../core/contracts.ts";
import { reportChange } from "../core/report.ts";
import { gateOf, guardOf } from "../core/request.ts";
import type {
  GatedMint,
  MintedSession,
  MintOptions as StrategyOptions,
} from "../core/session_strategy.ts";
import type { Session } from "../types/session.ts";
import type { RequestTenant } from "../types/tenant.ts";
import { shapeSession } from "./resolve.ts";

/** Owner and tenant of a new session. */
export interface MintOptions extends Omit<StrategyOptions, "tenantId">, StartOptions {
  /** The tenant of the request; null without tenants, and outside of a request. */
  tenant?: RequestTenant | null;
}

/**
 * The one place where a session comes into being, whatever the way to sign in. Always a new token: what
 * the browser brought along, planted or not, never becomes a session.
 *
 * @throws {SecondFactorRequiredError} When a second factor is to be proved first.
 * @throws {UserUnavailableError} When the owner does not exist or is disabled.
 * @throws {SessionTooLargeError} When it does not fit into cookies.
 */
export async function mintSession(
  settings: Settings,
  { tenant = null, ...options }: MintOptions,
): Promise<MintedSession> {
  const passed = await gateOf(settings)?.pass({ ...options, settings });
  const tenantId = (await tenant?.load())?.id;
  const minted = await settings.strategy.begin({ ...options, tenantId } as GatedMint);
  try {
    await options.joins?.();
    await passed?.(minted);
    // Never null: it was made there.
    const seen = await tenant?.admit(minted) ?? minted;
    const { email } = minted.session.user;
    const { session: shape } = settings.callbacks;
    return { ...shape === undefined ? seen : await shapeSession(seen, shape), email };
  } catch (error) {
    // Its token reaches nobody.
    await settings.strategy.end(minted.token).catch((failure) =>
      settings.logger.error("session-end-failed", { error: failure })
    );
    throw error;
  }
}

/** Options for `startSession()`. */
export interface StartSessionOptions {
  /**
   * Proofs of the application itself, as values of RFC 8176: with "mfa" among them no second factor is asked for.
   * Default: one factor.
   */
  amr?: readonly string[];
}

/** Options for starting a session. */
export type BeginOptions = Omit<StartOptions, "store">;

/** Begins a session for a user, in place of the present one, and reports it. */
export async function beginSession(
  store: RequestStore,
  userId: string,
  options: BeginOptions = {},
): Promise<MintedSession> {
  const { auth } = store;
  const { provider, identifier, save } = options;
  store.hold?.();
  const who = { userId, ...(provider !== undefined && { provider }) };
  const minted = await reportChange(store, {
    events: [
      // Nobody is made of whom no record is given.
      ...options.owner === undefined ? [] : [{ type: "sign-up", ...who } as const],
      { type: "sign-in", ...who },
    ],
    since: options.owner?.at,
    happened: ({ created }, { type }) => type === "sign-in" || created === true,
  }, () => auth.start(userId, { ...options, store }));
  const { email } = minted;
  if (typeof identifier === "string" || typeof email === "string") {
    const { proofBegunAt, unproved = false } = save ?? {};
    const conditions = { unproved, ...(proofBegunAt !== undefined && { proofBegunAt }) };
    await guardOf(auth.settings)?.remember(store, {
      userId,
      identifier: identifier ?? null,
      email: email ?? null,
      conditions,
    });
  }
  if (provider !== undefined) auth.settings.pages.theme?.signedIn?.(store, provider);
  return minted;
}

/** Ends the present session and reports whose it was. Returns it; null when nobody was signed in. */
export async function finishSession(store: RequestStore): Promise<Session | null> {
  const { auth } = store;
  // Nobody is kept from signing out because nobody could say who it is.
  const state = await auth.load().catch(() => null);
  if (state?.status !== "valid") {
    await auth.end();
    return null;
  }
  await reportChange(store, {
    events: [{ type: "sign-out", userId: state.session.user.id }],
    subject: state.id,
    happened: () => true,
  }, () => auth.end());
  return state.session;
}
