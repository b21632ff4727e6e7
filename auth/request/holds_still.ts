import type { ValidSession } from "../session/session_state.ts";
import type { RequestStore } from "../http/contracts.ts";

/** Whether a session that was read at the beginning of a request has not ended since. */
export async function holdsStill(
  { auth: { settings }, waitUntil }: Pick<RequestStore, "auth" | "waitUntil">,
  { token }: ValidSession,
): Promise<boolean> {
  // Whether its client could be given another token makes no difference, since none is made.
  const how = { renew: false, source: "cookie", waitUntil } as const;
  return (await settings.strategy.read(token, how)).status === "valid";
}
