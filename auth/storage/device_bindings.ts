/**
 * Device bindings of sessions: port, SQL and accessor.
 *
 * @module
 */

import type { SqlParts, StorageGroup } from "./group.ts";
import type { StoredSession } from "./records.ts";
import { type Check, isTextOrNull, type Row, SESSION_COLUMNS } from "./rows.ts";
import { changesOf } from "./sql_executor.ts";

/** A session with its owner, and what binds it to a device. */
export interface BindableSession extends StoredSession {
  /** The binding, a text of the library's own; null for a session that was never offered one. */
  device: string | null;
}

/** Operations on the bindings of sessions to devices. The binding is a column of the session's row, and ends with it. */
export interface DeviceBindingStorage {
  /** Reads a session as `readSession()` does, by the same one statement, with its binding. Safe to repeat. */
  readBindable(tokenHash: string): BindableSession | null | Promise<BindableSession | null>;
  /**
   * Changes the binding of a session; of any number at once that read the same one, one does. Safe to repeat: the second
   * call changes nothing and says false.
   *
   * @param change `from`: the binding that was read. `to`: the new one.
   * @returns False when the session is gone, or its binding was changed meanwhile.
   */
  changeDevice(
    sessionId: string,
    change: { from: string | null; to: string },
  ): Promise<boolean>;
}

const CHECKS: readonly Check[] = [["device", isTextOrNull]];

/** Makes the operations on the bindings of sessions. */
function createDeviceBindingOperations(parts: SqlParts): DeviceBindingStorage {
  const { executor: { prepare, readNow, repeat }, reader, statements } = parts;
  /** ?1 token hash. */
  const read = `SELECT ${SESSION_COLUMNS}, sessions.device, ${statements.columns}
FROM sessions JOIN users ON users.id = sessions.user_id
WHERE sessions.token_hash = ?1 AND users.disabled_at IS NULL`;
  /** ?1 session, ?2 the binding that was read, ?3 the new one. */
  const change = `UPDATE sessions SET device = ?3
WHERE id = ?1 AND device IS NOT DISTINCT FROM CAST(?2 AS TEXT)`;

  function stored(row: Row | null): BindableSession | null {
    const session = row !== null && reader.holds(row, CHECKS) ? reader.storedSession(row) : null;
    return session && { ...session, device: row!.device as string | null };
  }

  return {
    readBindable(tokenHash) {
      const row = readNow<Row>(read, tokenHash);
      if (row !== undefined) return stored(row);
      return repeat(
        "read the session",
        () => prepare(read).bind(tokenHash).first<Row>().then(stored),
      );
    },
    changeDevice(sessionId, { from, to }) {
      return repeat("change the device of the session", async () => {
        return changesOf(await prepare(change).bind(sessionId, from, to).run()) > 0;
      });
    },
  };
}

/**
 * Group of operations on the bindings of sessions to devices, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, deviceBindingGroup, groupOf } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const bindings = groupOf(createMemoryStorage(), deviceBindingGroup);
 * equal(await bindings.changeDevice("no such session", { from: null, to: "…" }), false);
 * ```
 */
export const deviceBindingGroup: StorageGroup<DeviceBindingStorage> = {
  name: "deviceBindings",
  sql: createDeviceBindingOperations,
};
