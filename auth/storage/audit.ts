/**
 * The trail of what happened, for auditors: port, SQL and accessor.
 *
 * @module
 */

import type { SqlParts, StorageGroup } from "./group.ts";
import {
  type Check,
  columnsOf,
  type Fields,
  isText,
  isTextOrNull,
  isTime,
  type Row,
  valuesOf,
} from "./rows.ts";
import type { SqlStatement } from "./sql_database.ts";
import { changesOf, sweepText } from "./sql_executor.ts";

/** Personal fields of an entry, which go with the person: the entry has only their salted digest. */
export interface AuditPerson {
  /** The user whom the entry is about, or the one who acted. */
  part: "user" | "actor";
  /** Id of the person. Deleted with the user. */
  userId: string;
  /** Random text before the fields, without which nobody guesses them from their digest. */
  salt: string;
  /** The fields as JSON. */
  text: string;
}

/** An entry of the trail. Nobody changes one. */
export interface AuditRecord {
  /** Id of the entry: its time in 12 hexadecimal digits, and 20 random ones. Entries are in its order. */
  id: string;
  /** Time of the entry, in milliseconds since 1970. */
  at: number;
  /** Type of what happened. */
  type: string;
  /** Id of the user whom it is about; null for none. It stays when the user goes. */
  userId: string | null;
  /** Id of the user who acted; null where nobody knows. It stays when the user goes. */
  actorId: string | null;
  /** The entry as JSON, of which seals are made byte by byte. */
  text: string;
  /** Personal fields that are still there. */
  people: AuditPerson[];
}

/** The seal of an hour. */
export interface AuditSeal {
  /** Beginning of the hour, in milliseconds since 1970. */
  hour: number;
  /** Number of its entries. */
  count: number;
  /** SHA-256 of the texts of its entries in order, each with a line feed behind it, in hexadecimal digits. */
  entries: string;
  /** Digest of the seal before; empty for the first one. */
  previous: string;
  /** SHA-256 of the four lines `previous`, `hour`, `count` and `entries`, in hexadecimal digits. */
  digest: string;
}

/** Part of the trail, from an id on and before another one. */
export interface AuditRange {
  /** Smallest id. */
  from: string;
  /** Id before which it ends. */
  to: string;
  /** User whom the entries are about. Default: any. */
  userId?: string | undefined;
  /** User who acted. Default: any. */
  actorId?: string | undefined;
  /** Type of the entries. Default: any. */
  type?: string | undefined;
  /** Order of the ids. */
  order: "oldest" | "newest";
  /** Maximum number of entries. */
  limit: number;
}

/** An entry that a storage has made ready to be stored together with a change. */
export interface PreparedEntry {
  /** Of whatever shape that storage wants. */
  readonly prepared: unknown;
}

/** Operations on the trail. */
export interface AuditStorage {
  /**
   * Stores an entry; personal fields of a user who is gone are left out. Unique: one id, of which the one that is stored
   * stays as it is. Safe to repeat.
   */
  insertEntry(entry: AuditRecord): Promise<void>;
  /** Makes an entry ready to be stored in the same transaction as a change of users. */
  prepareEntry(entry: AuditRecord): PreparedEntry;
  /** Lists the entries of a range by their ids. Safe to repeat. */
  listEntries(range: AuditRange): Promise<AuditRecord[]>;
  /** Lists seals from an hour on, the oldest first. Safe to repeat. */
  listSeals(from: number, limit: number): Promise<AuditSeal[]>;
  /** Reads the newest seal; null when there is none. Safe to repeat. */
  lastSeal(): Promise<AuditSeal | null>;
  /** Stores the seal of an hour after all others. False when that hour or a later one has one. Safe to repeat. */
  putSeal(seal: AuditSeal): Promise<boolean>;
  /** Removes entries up to an id and seals up to an hour, the oldest first, at most `limit` of each; returns how many entries. Safe to repeat. */
  dropEntries(until: { id: string; hour: number }, limit: number): Promise<number>;
}

const SEAL: Fields<AuditSeal> = {
  hour: isTime,
  count: isTime,
  entries: isText,
  previous: isText,
  digest: isText,
};

const CHECKS: readonly Check[] = [
  ["id", isText],
  ["at", isTime],
  ["type", isText],
  ["user_id", isTextOrNull],
  ["actor_id", isTextOrNull],
  ["text", isText],
];

/** The statements. */
function writeStatements() {
  const columns = "id, at, type, user_id, actor_id, text";
  const parts = ["user", "actor"] as const;
  const joins = parts.map((part) =>
    `LEFT JOIN audit_people AS of_${part} ON of_${part}.entry_id = entries.id AND of_${part}.part = '${part}'`
  );
  const personal = parts.flatMap((part) =>
    ["user_id", "salt", "text"].map((name) => `of_${part}.${name} AS ${part}_${name}`)
  );
  return {
    /** ?1 id, ?2 at, ?3 type, ?4 user, ?5 actor, ?6 text. */
    insert: `INSERT INTO audit_entries (${columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (id) DO NOTHING`,
    /** ?1 entry, ?2 part, ?3 user, ?4 salt, ?5 text. */
    insertPerson: `INSERT INTO audit_people (entry_id, part, user_id, salt, text)
SELECT ?1, ?2, users.id, ?4, ?5 FROM users WHERE users.id = ?3 ON CONFLICT (entry_id, part) DO NOTHING`,
    /** ?1 first id, ?2 end, ?3 limit, and what the columns are to be from ?4 on. */
    list: (asked: readonly string[], order: AuditRange["order"], isPaired: boolean) => {
      const direction = order === "oldest" ? "ASC" : "DESC";
      // With "=" PostgreSQL goes through the newest entries of all, in vain for who has not acted for years.
      const first = isPaired ? asked[0] : undefined;
      const conditions = asked.map((column, index) =>
        column === first
          ? `(${column}, id) >= (?4, ?1) AND (${column}, id) < (?4, ?2)`
          : `${column} = ?${index + 4}`
      );
      if (first === undefined) conditions.unshift("id >= ?1 AND id < ?2");
      const sorted = [...first === undefined ? [] : [first], "id"]
        .map((column) => `entries.${column} ${direction}`).join(", ");
      // The page first: else a planner may look for everybody's personal fields.
      return `SELECT entries.id, entries.at, entries.type, entries.user_id, entries.actor_id, entries.text,
  ${personal.join(", ")}
FROM (SELECT ${columns} FROM audit_entries AS entries WHERE ${conditions.join(" AND ")}
  ORDER BY ${sorted} LIMIT ?3) AS entries ${joins.join(" ")}
ORDER BY ${sorted}`;
    },
    /** ?1 first hour, ?2 limit. */
    seals: `SELECT ${columnsOf(SEAL)} FROM audit_seals WHERE hour >= ?1 ORDER BY hour LIMIT ?2`,
    lastSeal: `SELECT ${columnsOf(SEAL)} FROM audit_seals ORDER BY hour DESC LIMIT 1`,
    /** ?1 hour, ?2 count, ?3 entries, ?4 previous, ?5 digest. */
    putSeal: `INSERT INTO audit_seals (${columnsOf(SEAL)})
SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM audit_seals WHERE hour >= ?1)
ON CONFLICT (hour) DO NOTHING`,
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

/** An entry that the SQL storage has made ready: its insertion. */
export interface SqlPreparedEntry extends PreparedEntry {
  readonly prepared: SqlStatement[];
}

/** Makes the operations on the trail. */
function createAuditOperations(
  { executor: { prepare, batch, repeat, failureOf }, reader, dialect }: SqlParts,
): AuditStorage {
  function insertion({ id, at, type, userId, actorId, text: json, people }: AuditRecord) {
    return [
      prepare(text.insert).bind(id, at, type, userId, actorId, json),
      ...people.map((person) =>
        prepare(text.insertPerson)
          .bind(id, person.part, person.userId, person.salt, person.text)
      ),
    ];
  }

  function readEntry(row: Row): AuditRecord | null {
    if (!reader.holds(row, CHECKS)) return null;
    const people = (["user", "actor"] as const).flatMap((part): AuditPerson[] => {
      const [userId, salt, json] = ["user_id", "salt", "text"].map((name) =>
        row[`${part}_${name}`]
      );
      return isText(userId) && isText(salt) && isText(json)
        ? [{ part, userId, salt, text: json }]
        : [];
    });
    return {
      id: row.id as string,
      at: row.at as number,
      type: row.type as string,
      // The person of that part has the same id under another name.
      userId: row.user_id as string | null,
      actorId: row.actor_id as string | null,
      text: row.text as string,
      people,
    };
  }

  return {
    insertEntry(entry) {
      return repeat("store an entry of the trail", async () => {
        try {
          await batch(insertion(entry));
        } catch (error) {
          if (failureOf(error) !== "owner-gone") throw error;
          // Somebody has just been deleted, and what was to be known of them with them.
          await batch(insertion({ ...entry, people: [] }));
        }
      });
    },
    prepareEntry: (entry) => ({ prepared: insertion(entry) }),
    listEntries({ from, to, userId, actorId, type, order, limit }) {
      const asked = Object.entries({ user_id: userId, actor_id: actorId, type })
        .filter((one): one is [string, string] => one[1] !== undefined);
      const sql = text.list(asked.map(([column]) => column), order, dialect !== undefined);
      return repeat("list the trail", async () => {
        const { results } = await prepare(sql)
          .bind(from, to, limit, ...asked.map(([, value]) => value)).all<Row>();
        return results.map(readEntry).filter((entry) => entry !== null);
      });
    },
    listSeals(from, limit) {
      return repeat("list the seals", async () => {
        const { results } = await prepare(text.seals).bind(from, limit).all<Row>();
        return results.map((row) => reader.record(row, SEAL)).filter((seal) => seal !== null);
      });
    },
    lastSeal() {
      return repeat(
        "read the last seal",
        async () => reader.record(await prepare(text.lastSeal).first<Row>(), SEAL),
      );
    },
    putSeal(seal) {
      return repeat(
        "seal the trail",
        async () => changesOf(await prepare(text.putSeal).bind(...valuesOf(SEAL, seal)).run()) > 0,
      );
    },
    dropEntries({ id, hour }, limit) {
      return repeat("drop old entries of the trail", async () => {
        const [dropped] = await batch([
          prepare(`${sweepText("audit_entries", dialect, "id")} RETURNING id`).bind(id, limit),
          prepare(sweepText("audit_seals", dialect, "hour")).bind(hour, limit),
        ]);
        // Some databases count what goes with them too.
        return dropped!.results.length;
      });
    },
  };
}

/**
 * Group of operations on the trail of `auditTrail()`, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { auditGroup, createMemoryStorage, groupOf } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * equal(await groupOf(createMemoryStorage(), auditGroup).lastSeal(), null);
 * ```
 */
export const auditGroup: StorageGroup<AuditStorage> = {
  name: "audit",
  sql: createAuditOperations,
};
