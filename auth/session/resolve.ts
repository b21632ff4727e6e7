/**
 * The state of a session, resolved from a token.
 *
 * @module
 */

import type { Settings } from "../core/contracts.ts";
import type { PresentedToken, ReadOptions } from "../core/session_strategy.ts";
import { gateOf } from "../core/request.ts";
import { ConfigurationError } from "../errors.ts";
import { describe, isOptions } from "../lib/options.ts";
import type { AuthCallbacks } from "../types/callbacks.ts";
import type { Session, SessionState, ValidSession } from "../types/session.ts";
import type { RequestTenant } from "../types/tenant.ts";
import type { User } from "../types/user.ts";

/** Options for resolving the session of a request. */
export interface ResolveOptions extends Omit<ReadOptions, "source"> {
  /** Reads the user again. Default false. */
  update?: boolean;
  /** The tenant of the request, for which the session must count; null without tenants. */
  tenant?: RequestTenant | null;
  /** True for an endpoint of the library, where a second factor is proved, too. Default false. */
  isEndpoint?: boolean;
}

/**
 * Finds out whose session a token opens, and lets the application shape it. Nothing is asked without a
 * token, and the answer is there at once where nobody has to be asked.
 *
 * @throws {StorageUnavailableError} When the database does not answer. That is never "signed in".
 */
export function resolveSession(
  presented: PresentedToken,
  settings: Settings,
  options: ResolveOptions,
): SessionState | Promise<SessionState> {
  const { strategy, callbacks: { session: shape } } = settings;
  if (presented.found === "none") return { status: "none" };
  if (presented.found === "unclear") return { status: "invalid" };
  const { waitUntil, tenant = null, isEndpoint = false } = options;
  const { token, source, before } = presented;
  const isOwn = before === undefined;
  const how = { mayRenew: isOwn ? options.mayRenew : undefined, waitUntil, source };
  const found = isOwn && options.update === true
    ? strategy.update(token, how)
    : strategy.read(token, how);
  return tenant === null && shape === undefined && isOwn
    ? found
    : finishState(found, { tenant, before, settings, isEndpoint }, shape);
}

async function finishState(
  found: SessionState | Promise<SessionState>,
  { tenant, before = Infinity, settings, isEndpoint }: {
    tenant: RequestTenant | null;
    before: number | undefined;
    settings: Settings;
    isEndpoint: boolean;
  },
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
  let seen = tenant === null ? state : await tenant.admit(state);
  if (seen === null) return await tenant!.turnAway();
  const gate = tenant && gateOf(settings);
  const tenantId = gate && (await tenant.load())?.id;
  if (tenantId) {
    const member = tenant!.memberNow(seen.session.user.id);
    // Whoever has the password alone would else begin at an address that asks for no more.
    const refusal = await gate!.enters(state, { tenantId, member }, settings);
    if (refusal && !isEndpoint) return await tenant!.turnAway(refusal);
    // Without the roles of the tenant: what acts there asks by itself.
    if (refusal) seen = state;
  }
  return shape === undefined ? seen : await shapeSession(seen, shape);
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
export async function shapeSession<T extends ValidSession>(
  state: T,
  shape: NonNullable<AuthCallbacks["session"]>,
): Promise<T> {
  const { session: { user, expires }, claims } = state;
  const { id } = user;
  const time = expires.getTime();
  const given: unknown = await shape({
    session: { ...state.session, user: { ...user }, expires: new Date(time) },
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
