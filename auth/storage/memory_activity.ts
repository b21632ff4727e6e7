// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

import type { ActivityRecord, ActivityStorage } from "./activity_storage.ts";
import type { MemoryState } from "./memory_state.ts";
import { removeFrom } from "./memory_state.ts";

function newestFirst(a: ActivityRecord, b: ActivityRecord): number {
  return b.at - a.at || (a.id < b.id ? 1 : -1);
}

/** The operations on what happened. No body waits, which is what makes it atomic. */
export function createMemoryActivity({ owners, activity }: MemoryState): ActivityStorage {
  function entriesOf(userId: string): ActivityRecord[] {
    return [...activity.values()].filter((entry) => entry.userId === userId).sort(newestFirst);
  }

  return {
    async insertActivity(entry, { keep, since }) {
      if (!owners.has(entry.userId)) return;
      if (!activity.has(entry.id)) activity.set(entry.id, { ...entry });
      for (const { id } of entriesOf(entry.userId).slice(keep)) activity.delete(id);
      removeFrom(activity, ({ at }) => at < since);
    },
    async listActivity(userId, { since, limit }) {
      return entriesOf(userId)
        .filter(({ at }) => at >= since)
        .slice(0, limit)
        .map((entry) => ({ ...entry }));
    },
  };
}
