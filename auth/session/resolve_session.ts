import type { AuthCallbacks } from "../callbacks/callbacks.ts";
import type { RequestTenant } from "../tenant/tenancy.ts";
import type { SessionState } from "./session_state.ts";
import { shapeSession } from "./shape_session.ts";
import type { PresentedToken, ReadOptions } from "./strategy.ts";
import type { Settings } from "../http/contracts.ts";
import type { User } from "../users/user.ts";

export type { SessionState } from "./session_state.ts";

/** How the session of a request is found. */
export interface ResolveOptions extends Omit<ReadOptions, "source"> {
  /** Whether what is known about the user is to be read anew. Default false. */
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
