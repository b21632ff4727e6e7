/**
 * Activity of users: port, SQL and accessor.
 *
 * @module
 */

import type { SqlParts, StorageGroup } from "./group.ts";
import { type Check, isText, isTextOrNull, isTime, type Row } from "./rows.ts";
import { sweepText } from "./sql_executor.ts";

/** Something that happened to an account, as its owner is shown it. */
export interface ActivityRecord {
  /** Public name of the entry. */
  id: string;
  /** User whose account it is. */
  userId: string;
  /** Type of the event. */
  type: string;
  /** Id of the provider; null where none is concerned. */
  provider: string | null;
  /** Browser and system in words; null when unknown. */
  device: string | null;
  /** The network of the client, never its full address; null when unknown. */
  network: string | null;
  /** Id of the tenant in which it happened; left out when it was in none. */
  tenantId?: string;
  /** Time of the event, in milliseconds since 1970. */
  at: number;
}

/** Retention of activity entries. */
export interface KeepActivityOptions {
  /** Maximum number of entries per user; older ones are deleted. */
  keep: number;
  /** Time before which entries of all users are deleted, in milliseconds since 1970. */
  since: number;
}

/** Options for listing entries. */
export interface ListActivityOptions {
  /** Time before which entries are left out, in milliseconds since 1970. */
  since: number;
  /** Maximum number of entries. */
  limit: number;
}

/** Operations on what happened to accounts. */
export interface ActivityStorage {
  /**
   * Stores an entry, none without its user, and removes what there is too much of: of the user all but the first `keep`
   * in the order of the list, and of all users those before `since`, of many the oldest. Unique: one id. Safe to
   * repeat: an entry that is stored stays as it is.
   */
  insertActivity(entry: ActivityRecord, options: KeepActivityOptions): Promise<void>;
  /** Lists the entries of a user, the newest first, of one time the greater id. Safe to repeat. */
  listActivity(userId: string, options: ListActivityOptions): Promise<ActivityRecord[]>;
}

// At each entry, so that what is over goes without a sweep of its own.
const SWEEP_ROWS = 20;

/** The statements. */
function writeStatements() {
  const columns = "id, user_id, type, provider, device, network, tenant_id, at";
  return {
    /** ?1 id, ?2 user, ?3 type, ?4 provider, ?5 device, ?6 network, ?7 tenant, ?8 when. */
    insert: `INSERT INTO account_activity (${columns}) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
WHERE EXISTS (SELECT 1 FROM users WHERE id = ?2) ON CONFLICT (id) DO NOTHING`,
    /** ?1 user, ?2 how many stay. */
    keep: `DELETE FROM account_activity WHERE user_id = ?1 AND id NOT IN
(SELECT id FROM account_activity WHERE user_id = ?1 ORDER BY at DESC, id DESC LIMIT ?2)`,
    /** ?1 user, ?2 since when, ?3 how many. */
    list: `SELECT ${columns} FROM account_activity WHERE user_id = ?1 AND at >= ?2
ORDER BY at DESC, id DESC LIMIT ?3`,
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

const CHECKS: readonly Check[] = [
  ["id", isText],
  ["user_id", isText],
  ["type", isText],
  ["provider", isTextOrNull],
  ["device", isTextOrNull],
  ["network", isTextOrNull],
  ["tenant_id", isTextOrNull],
  ["at", isTime],
];

/** Makes the operations on what happened. */
function createActivityOperations(
  { executor: { prepare, batch, repeat, failureOf }, reader, dialect }: SqlParts,
): ActivityStorage {
  const sweep = sweepText("account_activity", dialect, "at");

  function readEntry(row: Row): ActivityRecord | null {
    if (!reader.holds(row, CHECKS)) return null;
    return {
      id: row.id as string,
      userId: row.user_id as string,
      type: row.type as string,
      provider: row.provider as string | null,
      device: row.device as string | null,
      network: row.network as string | null,
      ...(row.tenant_id !== null && { tenantId: row.tenant_id as string }),
      at: row.at as number,
    };
  }

  return {
    insertActivity({ id, userId, type, provider, device, network, tenantId, at }, options) {
      // Twice comes to the same: an id is stored once.
      return repeat("store what happened", async () => {
        try {
          await batch([
            prepare(text.insert)
              .bind(id, userId, type, provider, device, network, tenantId ?? null, at),
            prepare(text.keep).bind(userId, options.keep),
            prepare(sweep).bind(options.since - 1, SWEEP_ROWS),
          ]);
        } catch (error) {
          if (failureOf(error) !== "owner-gone") throw error;
        }
      });
    },
    listActivity(userId, { since, limit }) {
      return repeat("list what happened", async () => {
        const { results } = await prepare(text.list).bind(userId, since, limit).all<Row>();
        return results.map(readEntry).filter((entry) => entry !== null);
      });
    },
  };
}

/**
 * Group of operations on what happened to accounts, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { activityGroup, createMemoryStorage, groupOf } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const activity = groupOf(createMemoryStorage(), activityGroup);
 * deepEqual(await activity.listActivity("ada", { since: 0, limit: 10 }), []);
 * ```
 */
export const activityGroup: StorageGroup<ActivityStorage> = {
  name: "activity",
  sql: createActivityOperations,
};
