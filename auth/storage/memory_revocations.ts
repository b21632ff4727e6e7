// deno-lint-ignore-file require-await -- the port speaks in promises

import type { RevocationStore } from "../session/revocation_store.ts";

interface Mark {
  before: number;
  until: number;
  spared: string | undefined;
}

/**
 * A revocation store that lives as long as the process, for tests and for trying things out. Nothing is
 * shared between two processes or two isolates, so a session that one of them ends goes on in the other.
 *
 * @param now The clock, in milliseconds since 1970, by which entries are forgotten. Default `Date.now`.
 *
 * @example
 * ```ts
 * import { createMemoryRevocationStore } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const store = createMemoryRevocationStore();
 * const session = { id: "s1", userId: "ada", startedAt: Date.now() };
 * equal(await store.isRevoked(session), false);
 * await store.revoke("s1", Date.now() + 60_000);
 * equal(await store.isRevoked(session), true);
 * ```
 */
export function createMemoryRevocationStore(now: () => number = Date.now): RevocationStore {
  const sessions = new Map<string, number>();
  const users = new Map<string, Mark>();

  function forgetEnded(): void {
    const present = now();
    for (const [id, until] of sessions) if (until <= present) sessions.delete(id);
    for (const [id, { until }] of users) if (until <= present) users.delete(id);
  }

  return {
    async revoke(sessionId, until) {
      forgetEnded();
      sessions.set(sessionId, Math.max(until, sessions.get(sessionId) ?? 0));
    },
    async revokeUser(userId, { before, until, except }) {
      forgetEnded();
      const mark = users.get(userId);
      users.set(userId, {
        before: Math.max(before, mark?.before ?? 0),
        until: Math.max(until, mark?.until ?? 0),
        // One that is over already stays so.
        spared: mark === undefined || mark.before <= (except?.startedAt ?? 0) ||
            mark.spared === except?.id
          ? except?.id
          : undefined,
      });
    },
    async isRevoked({ id, userId, startedAt }) {
      if (sessions.has(id)) return true;
      const mark = users.get(userId);
      return mark !== undefined && mark.before > startedAt && mark.spared !== id;
    },
    async validFrom(userId) {
      return users.get(userId)?.before ?? 0;
    },
  };
}
