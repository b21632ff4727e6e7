/**
 * The state of a session: resolved from a token, minted, changed.
 *
 * @module
 */

import type { RequestStore, Settings, StartOptions } from "../core/contracts.ts";
import { guardOf } from "../core/request.ts";
import type {
  MintedSession,
  MintOptions as StrategyOptions,
  PresentedToken,
  ReadOptions,
} from "../core/session_strategy.ts";
import { ConfigurationError } from "../errors.ts";
import { describe, isOptions } from "../lib/options.ts";
import type { AuthCallbacks } from "../types/callbacks.ts";
import type { Session, SessionState, ValidSession } from "../types/session.ts";
import type { RequestTenant } from "../types/tenant.ts";
import type { User } from "../types/user.ts";

export type { SessionState } from "../types/session.ts";
export type { MintedSession } from "../core/session_strategy.ts";

/** Options for resolving the session of a request. */
export interface ResolveOptions extends Omit<ReadOptions, "source"> {
  /** Reads the user again. Default false. */
  update?: boolean;
  /** The tenant of the request, for which the session must count; null without tenants. */
  tenant?: RequestTenant | null;
}

/**
 * Finds out whose session a token opens, and lets the application shape it. Nothing is asked without a
 * token, and the answer is there at once where nobody has to be asked.
 *
 * @throws {StorageUnavailableError} When the database does not answer. That is never "signed in".
 */
export function resolveSession(
  presented: PresentedToken,
  { strategy, callbacks: { session: shape } }: Settings,
  options: ResolveOptions,
): SessionState | Promise<SessionState> {
  if (presented.found === "none") return { status: "none" };
  if (presented.found === "unclear") return { status: "invalid" };
  const { waitUntil, tenant = null } = options;
  const { token, source, before } = presented;
  const isOwn = before === undefined;
  const how = { renew: options.renew && isOwn, waitUntil, source };
  const found = isOwn && options.update === true
    ? strategy.update(token, how)
    : strategy.read(token, how);
  return tenant === null && shape === undefined && isOwn
    ? found
    : finishState(found, { tenant, before }, shape);
}

async function finishState(
  found: SessionState | Promise<SessionState>,
  { tenant, before = Infinity }: { tenant: RequestTenant | null; before: number | undefined },
  shape: AuthCallbacks["session"],
): Promise<SessionState> {
  let state = await found;
  if (state.status !== "valid") return state;
  if (before < Infinity) {
    // Somebody who can plant a cookie plants one of today; one of before may be planted too, and proves nothing.
    if (!(state.startedAt < before)) return { status: "invalid" };
    state = { ...state, authenticatedAt: 0, hostOnly: false };
  }
  // Not "invalid": the cookie is good elsewhere, and stays.
  const seen = tenant === null ? state : await tenant.admit(state);
  return seen === null ? { status: "none" } : await shapeSession(seen, shape);
}

/** Returns the user of a session that holds, else null. */
export function userOf(state: SessionState): User | null {
  return state.status === "valid" ? state.session.user : null;
}

function wrongResult(what: string): ConfigurationError {
  return new ConfigurationError(`The session callback ${what}`, { field: "callbacks.session" });
}

/**
 * Lets the application shape the session that it sees. Whose session it is and when it ends are not
 * the callback's to say.
 *
 * @throws {ConfigurationError} For a result that is no session, or another user's.
 */
async function shapeSession<T extends ValidSession>(
  state: T,
  shape: AuthCallbacks["session"],
): Promise<T> {
  if (shape === undefined) return state;
  const { session: { user, expires }, claims } = state;
  const { id } = user;
  const time = expires.getTime();
  const given: unknown = await shape({
    session: { user: { ...user }, expires: new Date(time) },
    user,
    ...(claims !== null && { token: { ...claims } }),
  });
  if (!isOptions(given) || !isOptions(given.user)) {
    throw wrongResult(`gave ${describe(given)}: return the session, with its user`);
  }
  if (given.user.id !== id) throw wrongResult("changed the id of the user: leave it as it is");
  if (!(given.expires instanceof Date) || given.expires.getTime() !== time) {
    throw wrongResult('changed "expires": how long a session lasts is session.maxAge');
  }
  return { ...state, session: given as unknown as Session };
}

/** For whom a session is made, and where. */
export interface MintOptions extends Omit<StrategyOptions, "tenantId"> {
  /** The tenant of the request; null without tenants, and outside of a request. */
  tenant?: RequestTenant | null;
}

/**
 * The one place where a session comes into being, whatever the way to sign in. Always a new token: what
 * the browser brought along, planted or not, never becomes a session.
 *
 * @throws {UserUnavailableError} When the owner does not exist or is disabled.
 * @throws {SessionTooLargeError} When it does not fit into cookies.
 */
export async function mintSession(
  settings: Settings,
  { tenant = null, ...options }: MintOptions,
): Promise<MintedSession> {
  const tenantId = (await tenant?.load())?.id;
  const minted = await settings.strategy.begin({ ...options, tenantId });
  try {
    // Never null: it was made there.
    const seen = await tenant?.admit(minted) ?? minted;
    const { email } = minted.session.user;
    return { ...await shapeSession(seen, settings.callbacks.session), email };
  } catch (error) {
    // Its token reaches nobody.
    await settings.strategy.end(minted.token).catch((failure) =>
      settings.logger.error("session-end-failed", { error: failure })
    );
    throw error;
  }
}

/** Options for starting a session. */
export interface BeginOptions extends StartOptions {
  /** Id of the provider, when a sign-in is what begins it. */
  provider?: string;
  /** Identifier as typed. Default: none. */
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
