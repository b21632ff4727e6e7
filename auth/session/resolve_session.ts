import type { Settings } from "../config/settings.ts";
import type { PresentedToken } from "./presented_token.ts";
import type { SessionState } from "./session_state.ts";
import { shapeSession } from "./shape_session.ts";
import type { ReadOptions } from "./strategy.ts";

export type { SessionState } from "./session_state.ts";

/** How the session of a request is found. */
export interface ResolveOptions extends Omit<ReadOptions, "source"> {
  /** Whether what is known about the user is to be read anew. Default false. */
  update?: boolean;
}

/**
 * Finds out whose session a token opens, and lets the application shape it. Nothing is asked without a
 * token.
 *
 * @throws {StorageUnavailableError} When the database does not answer. That is never "signed in".
 */
export async function resolveSession(
  presented: PresentedToken,
  settings: Settings,
  options: ResolveOptions,
): Promise<SessionState> {
  if (presented.found === "none") return { status: "none" };
  if (presented.found === "unclear") return { status: "invalid" };
  const { strategy, callbacks } = settings;
  const { token, source } = presented;
  const how = { ...options, source };
  const state = options.update === true
    ? await strategy.update(token, how)
    : await strategy.read(token, how);
  if (state.status !== "valid" || callbacks.session === undefined) return state;
  return await shapeSession(state, callbacks.session);
}
