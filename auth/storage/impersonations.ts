/**
 * Impersonations, which are one-time secrets that stay until they end: port, SQL and accessor.
 *
 * @module
 */

import type { SqlParts, StorageGroup } from "./group.ts";
import { columnsOf, type Row } from "./rows.ts";
import { SECRET, type StoredSecret } from "./secrets.ts";

/**
 * Purpose of the secrets. `userId` is the user, with whom they are deleted and whose other links end them; `identifier`
 * the administrator, `sessionId` the session of the administrator in which they count.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, IMPERSONATION_PURPOSE } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * equal(await createMemoryStorage().readSecret(IMPERSONATION_PURPOSE, "hash", Date.now()), null);
 * ```
 */
export const IMPERSONATION_PURPOSE = "impersonation";

/** Ends the impersonations of the user ?1, see `endEverything()`. */
export function endImpersonations(holds = ""): string {
  return `DELETE FROM verifications WHERE user_id = ?1 AND purpose = '${IMPERSONATION_PURPOSE}'${holds}`;
}

/** Operations on impersonations, beside those of secrets. */
export interface ImpersonationStorage {
  /**
   * Lists those of a user, or those by an administrator, that have not ended, the newest first, at most 100. Safe to
   * repeat.
   */
  listImpersonations(
    of: { userId: string } | { actorId: string },
    now: number,
  ): Promise<StoredSecret[]>;
}

/** Makes the operations. */
function createImpersonationOperations(
  { executor: { prepare, repeat }, reader }: SqlParts,
): ImpersonationStorage {
  const columns = columnsOf(SECRET);
  return {
    listImpersonations(of, now) {
      const [column, id] = "userId" in of
        ? ["user_id", of.userId] as const
        : ["identifier", of.actorId] as const;
      return repeat("list the impersonations", async () => {
        const { results } = await prepare(
          `SELECT ${columns} FROM verifications
WHERE purpose = '${IMPERSONATION_PURPOSE}' AND ${column} = ?1 AND expires_at > ?2
ORDER BY created_at DESC, hash LIMIT 100`,
        ).bind(id, now).all<Row>();
        return results.map((row) => reader.record(row, SECRET)).filter((one) => one !== null);
      });
    },
  };
}

/**
 * Group of operations on impersonations, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, impersonationGroup } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const { listImpersonations } = groupOf(createMemoryStorage(), impersonationGroup);
 * deepEqual(await listImpersonations({ userId: "ada" }, Date.now()), []);
 * ```
 */
export const impersonationGroup: StorageGroup<ImpersonationStorage> = {
  name: "impersonations",
  sql: createImpersonationOperations,
};
