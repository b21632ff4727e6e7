import type { Settings } from "../config/settings.ts";
import { shapeSession } from "../session/shape_session.ts";
import type { MintedSession, MintOptions } from "../session/strategy.ts";

export type { MintedSession, MintOptions } from "../session/strategy.ts";

/**
 * The one place where a session comes into being, whatever the way to sign in. Always a new token: what
 * the browser brought along, planted or not, never becomes a session.
 *
 * @throws {UserUnavailableError} When the owner does not exist or is disabled.
 * @throws {SessionTooLargeError} When it does not fit into cookies.
 */
export async function mintSession(
  settings: Settings,
  options: MintOptions,
): Promise<MintedSession> {
  const minted = await settings.strategy.begin(options);
  return await shapeSession(minted, settings.callbacks.session);
}
