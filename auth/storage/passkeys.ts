/**
 * Passkeys: port, SQL and accessor.
 *
 * @module
 */

import {
  type AddWayOptions,
  andWayRemains,
  askedIn,
  type OpenWays,
  type RemoveWayOptions,
} from "./accounts.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import { type Check, isText, isTextOrNull, isTime, isTimeOrNull, type Row } from "./rows.ts";
import { conditionValues, lockUser, type SqlPreparedPasskey } from "./sql.ts";
import type { SqlValue } from "./sql_database.ts";
import { changesOf } from "./sql_executor.ts";
import type { UserStatements } from "./statements.ts";
import type { PreparedPasskey } from "./records.ts";

/** A passkey as it is stored (WebAuthn Level 3, 4, "credential record"). */
export interface PasskeyRecord {
  /** The credential id, base64url. */
  id: string;
  /** Id of the user who signs in with it. */
  userId: string;
  /** User handle of the authenticator, base64url. */
  userHandle: string;
  /** The public key as COSE, base64url. */
  publicKey: string;
  /** Signature counter of the authenticator; 0 from one that does not count. */
  counter: number;
  /** Transports of the authenticator. */
  transports: string[];
  /** True when it can be copied to other devices (backup eligible). */
  deviceType: "singleDevice" | "multiDevice";
  /** True when it had been copied at its last use (backup state). */
  backedUp: boolean;
  /** Name given by its owner; null for none. */
  name: string | null;
  /** Creation time, in milliseconds since 1970. */
  createdAt: number;
  /** Last use, in milliseconds since 1970; null for never. */
  lastUsedAt: number | null;
}

/** Changes that a use of a passkey makes. */
export interface AdvancePasskeyOptions {
  /** The counter that was read; another value in the meantime means that somebody was faster. */
  from: number;
  /** The counter that the authenticator says. */
  to: number;
  /** True when it has been copied to other devices. */
  backedUp: boolean;
  /** Now, in milliseconds since 1970. */
  at: number;
}

/** Maximum number of passkeys of one user: whoever is signed in cannot fill the table. */
export const MAX_PASSKEYS = 50;

/** Ends what sessions of the user ?1 have proved by a passkey, where there is neither one nor an app any more. */
const END_PROOFS = `DELETE FROM session_factors WHERE user_id = ?1 AND method = 'passkey'
AND NOT EXISTS (SELECT 1 FROM passkeys WHERE user_id = ?1)
AND NOT EXISTS (SELECT 1 FROM second_factors WHERE user_id = ?1)`;

/** Ends the passkeys of the user ?1, see `endEverything()`. */
export function endPasskeys(holds = ""): string[] {
  return [`DELETE FROM passkeys WHERE user_id = ?1${holds}`, END_PROOFS + holds];
}

/** Operations on passkeys. */
export interface PasskeyStorage {
  /** Makes a passkey ready to be stored together with a sign-in, see `SaveUserOptions`. It stores nothing. */
  preparePasskey(passkey: PasskeyRecord): PreparedPasskey;
  /**
   * Makes a sign-in depend on the passkey with which the user signs in, see `SaveUserOptions`: when that is not the
   * user's any more, it is an `AccountTakenError`. It stores nothing.
   */
  preparePasskeyUse(userId: string, id: string): PreparedPasskey;
  /**
   * Stores a passkey; false, and nothing stored, when the id is taken, or the user cannot have one or has fifty.
   * Unique: one id, whoever has it. At most fifty stay, also of several at once. Not safe to repeat: the second call
   * says false.
   */
  insertPasskey(passkey: PasskeyRecord, options?: AddWayOptions): Promise<boolean>;
  /** Reads the passkey; null when there is none. Safe to repeat. */
  getPasskey(id: string): Promise<PasskeyRecord | null>;
  /** Lists the passkeys of a user, the oldest first. Safe to repeat. */
  listPasskeys(userId: string): Promise<PasskeyRecord[]>;
  /** Tests for a passkey, also one whose row cannot be read. Safe to repeat. */
  hasPasskey(id: string): Promise<boolean>;
  /** Lists the ids of a user's passkeys, also of those whose rows cannot be read. Safe to repeat. */
  listPasskeyIds(userId: string): Promise<string[]>;
  /** Names a passkey of this user; false when the user has no such passkey. Safe to repeat. */
  renamePasskey(userId: string, id: string, name: string | null): Promise<boolean>;
  /**
   * Stores a use of a passkey; false when it is gone or its counter is no longer `from`. Of several uses at once that
   * read the same counter one is stored. Not safe to repeat: the second call looks like a use of a copied key.
   */
  advancePasskey(id: string, options: AdvancePasskeyOptions): Promise<boolean>;
  /**
   * Removes a passkey of this user and of no other. With `keep` it is "last", and stays, when none of those ways
   * would remain, also when several are removed at once. With a user's last one goes what sessions have proved by a passkey,
   * unless the user has a second factor. Safe to repeat: the second call says "absent".
   */
  deletePasskey(
    userId: string,
    id: string,
    options: RemoveWayOptions,
  ): Promise<"deleted" | "absent" | "last">;
}

/** The statements. Each is one wherever a race would matter. */
function writeStatements({ ownerBy }: UserStatements) {
  const columns = "id, user_id, user_handle, public_key, counter, transports, device_type, " +
    "backed_up, name, created_at, last_used_at";
  const roomy = `CASE WHEN (SELECT count(*) FROM passkeys AS others
  WHERE others.user_id = ?2) < ${MAX_PASSKEYS} THEN users.id END`;
  return {
    /**
     * ?1 id, ?2 user, ?3 user handle, ?4 key, ?5 counter, ?6 transports, ?7 device type, ?8 backed up, ?9 name,
     * ?10 created, ?11 used, conditions from ?12 on, ?15 session. Breaks a constraint when the id is taken, or the user
     * has as many as there may be: a sign-in that makes one too many stores nothing.
     */
    insert: `INSERT INTO passkeys (${columns})
SELECT ?1, ${roomy}, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 ${ownerBy("?2", 12, askedIn(15))}`,
    /** ?1 id, ?2 user. Breaks a constraint when the user does not have it: a passkey is nobody's. */
    use: `INSERT INTO passkeys (id)
SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM passkeys WHERE id = ?1 AND user_id = ?2)`,
    /** ?1 id. */
    get: `SELECT ${columns} FROM passkeys WHERE id = ?1`,
    /** ?1 user. */
    list: `SELECT ${columns} FROM passkeys WHERE user_id = ?1 ORDER BY created_at, id`,
    /** ?1 id. */
    has: "SELECT 1 AS found FROM passkeys WHERE id = ?1",
    /** ?1 user. */
    listIds: "SELECT id FROM passkeys WHERE user_id = ?1 ORDER BY created_at, id",
    /** ?1 user, ?2 id, ?3 name. */
    rename: "UPDATE passkeys SET name = ?3 WHERE user_id = ?1 AND id = ?2",
    /** ?1 id, ?2 the counter that was read, ?3 the new one, ?4 backed up, ?5 now. */
    advance: `UPDATE passkeys SET counter = ?3, backed_up = ?4, last_used_at = ?5
WHERE id = ?1 AND counter = ?2`,
    /** ?1 user, ?2 id, the providers of the ways to keep from ?3 on. */
    delete: (keep: OpenWays | null) =>
      `DELETE FROM passkeys WHERE user_id = ?1 AND id = ?2${
        andWayRemains(keep, { user: "?1", first: 3, removed: OTHER_PASSKEYS })
      } RETURNING id`,
    /** ?1 user, ?2 id. */
    isOwn: "SELECT 1 AS found FROM passkeys WHERE user_id = ?1 AND id = ?2",
  };
}

/** The passkey that is to be removed. */
const OTHER_PASSKEYS = { passkeys: " AND others.id <> ?2" };

const CHECKS: readonly Check[] = [
  ["id", isText],
  ["user_id", isText],
  ["user_handle", isText],
  ["public_key", isText],
  ["counter", isTime],
  ["device_type", (value) => value === "singleDevice" || value === "multiDevice"],
  ["backed_up", (value) => value === 0 || value === 1],
  ["name", isTextOrNull],
  ["created_at", isTime],
  ["last_used_at", isTimeOrNull],
];

/** The values of a row, in the order of the columns. */
function passkeyValues(passkey: PasskeyRecord): SqlValue[] {
  return [
    passkey.id,
    passkey.userId,
    passkey.userHandle,
    passkey.publicKey,
    passkey.counter,
    JSON.stringify(passkey.transports),
    passkey.deviceType,
    passkey.backedUp ? 1 : 0,
    passkey.name,
    passkey.createdAt,
    passkey.lastUsedAt,
  ];
}

/** Makes the operations on passkeys. */
function createPasskeyOperations(parts: SqlParts): PasskeyStorage {
  const { executor: { prepare, batch, repeat, once, failureOf }, reader } = parts;
  const text = writeStatements(parts.statements);

  function readPasskey(row: Row | null): PasskeyRecord | null {
    if (row === null || !reader.holds(row, CHECKS)) return null;
    const transports = reader.texts(row, "transports");
    if (transports === null) return null;
    return {
      id: row.id as string,
      userId: row.user_id as string,
      userHandle: row.user_handle as string,
      publicKey: row.public_key as string,
      counter: row.counter as number,
      transports,
      deviceType: row.device_type as PasskeyRecord["deviceType"],
      backedUp: row.backed_up === 1,
      name: row.name as string | null,
      createdAt: row.created_at as number,
      lastUsedAt: row.last_used_at as number | null,
    };
  }

  function preparePasskey(passkey: PasskeyRecord): SqlPreparedPasskey {
    const insertion = prepare(text.insert);
    return {
      prepared: (conditions, sessionId = "") => [
        // Else two at once would not see each other's, and more than there may be would stay.
        ...lockUser(parts, passkey.userId),
        insertion.bind(...passkeyValues(passkey), ...conditions, sessionId),
      ],
    };
  }

  return {
    preparePasskey,
    preparePasskeyUse(userId, id): SqlPreparedPasskey {
      // Else it could be removed between this statement and the next one.
      return { prepared: () => [...lockUser(parts, userId), prepare(text.use).bind(id, userId)] };
    },
    insertPasskey(passkey, options) {
      return once("store the passkey", async () => {
        try {
          const { prepared } = preparePasskey(passkey);
          const results = await batch(prepared(conditionValues(options), options?.sessionId));
          return changesOf(results.at(-1)!) > 0;
        } catch (error) {
          const failure = failureOf(error);
          if (failure === "account-taken" || failure === "owner-gone") return false;
          throw error;
        }
      });
    },
    getPasskey(id) {
      return repeat("read the passkey", async () => {
        return readPasskey(await prepare(text.get).bind(id).first<Row>());
      });
    },
    listPasskeys(userId) {
      return repeat("list the passkeys", async () => {
        const { results } = await prepare(text.list).bind(userId).all<Row>();
        return results.map(readPasskey).filter((passkey) => passkey !== null);
      });
    },
    hasPasskey(id) {
      return repeat(
        "read the passkey",
        async () => await prepare(text.has).bind(id).first() !== null,
      );
    },
    listPasskeyIds(userId) {
      return repeat("list the passkeys", async () => {
        const { results } = await prepare(text.listIds).bind(userId).all<{ id: string }>();
        return results.map(({ id }) => id);
      });
    },
    renamePasskey(userId, id, name) {
      return repeat("rename the passkey", async () => {
        return changesOf(await prepare(text.rename).bind(userId, id, name).run()) > 0;
      });
    },
    // Not repeated when the answer is lost: its own work would look like a use of a copied key.
    advancePasskey(id, { from, to, backedUp, at }) {
      return once("store the use of the passkey", async () => {
        const advanced = await prepare(text.advance).bind(id, from, to, backedUp ? 1 : 0, at).run();
        return changesOf(advanced) > 0;
      });
    },
    deletePasskey(userId, id, { keep }) {
      return repeat("remove the passkey", async () => {
        const results = await batch([
          ...lockUser(parts, userId),
          prepare(text.delete(keep)).bind(userId, id, ...keep?.accounts ?? []),
          prepare(END_PROOFS).bind(userId),
          prepare(text.isOwn).bind(userId, id),
        ]);
        if (results.at(-3)!.results.length > 0) return "deleted";
        return results.at(-1)!.results.length > 0 ? "last" : "absent";
      });
    },
  };
}

/**
 * Group of operations on passkeys, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, passkeyGroup } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const passkeys = groupOf(createMemoryStorage(), passkeyGroup);
 * deepEqual(await passkeys.listPasskeys("ada"), []);
 * ```
 */
export const passkeyGroup: StorageGroup<PasskeyStorage> = {
  name: "passkeys",
  sql: createPasskeyOperations,
};
