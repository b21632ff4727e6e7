import { sessionListOf } from "../storage/session_list_of.ts";
import type { ListedSession } from "../storage/storage.ts";
import type { Settings } from "../http/contracts.ts";

// Nobody reads more than this, and a list must not grow with the number of sign-ins.
const MAX_LISTED = 100;

/** The sessions of a user that hold, the one renewed last first; null where nobody keeps a list. */
export async function storedSessions(
  { strategy: { endOf }, storage, now }: Pick<Settings, "strategy" | "storage" | "now">,
  userId: string,
): Promise<ListedSession[] | null> {
  if (endOf === null) return null;
  const at = now();
  const stored = await sessionListOf(storage).listSessions(userId, { now: at, limit: MAX_LISTED });
  return stored.map((session) => ({ ...session, expiresAt: endOf(session) }))
    .filter(({ expiresAt }) => expiresAt > at);
}
