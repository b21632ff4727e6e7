import { shapeSession } from "../session/shape_session.ts";
import type { MintedSession, MintOptions as StrategyOptions } from "../session/strategy.ts";
import type { RequestTenant } from "../tenant/tenancy.ts";
import type { Settings } from "../http/contracts.ts";

export type { MintedSession } from "../session/strategy.ts";

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
