/**
 * API keys: port, SQL and accessor.
 *
 * @module
 */

import type { User } from "../types/user.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import {
  type Check,
  columnsOf,
  type Fields,
  isText,
  isTextOrNull,
  isTime,
  isTimeOrNull,
  type Row,
} from "./rows.ts";
import { lockUser } from "./sql.ts";
import { changesOf } from "./sql_executor.ts";

/** An API key. Times are milliseconds since 1970. */
export interface ApiKeyRecord {
  /** Public id, a part of the key. */
  id: string;
  /** Id of the user whose key it is, with whom it is deleted; null for a key of a tenant. */
  userId: string | null;
  /** Id of the tenant whose key it is; null for a key of a user. */
  tenantId: string | null;
  /** Name that its maker gave it. */
  name: string;
  /** SHA-256 of its secret, base64url. */
  hash: string;
  /** Hash of the secret before the last rotation, which counts until `previousUntil`; null for none. */
  previousHash: string | null;
  /** End of the secret before; null for none. */
  previousUntil: number | null;
  /** Permissions, each as roles have them. */
  permissions: string[];
  /** Number of requests within `limitWindow`; null for no limit. */
  limitCount: number | null;
  /** Length of the window of the limit, in seconds; null for no limit. */
  limitWindow: number | null;
  /** Id of the user who made it; null when that user is gone. */
  createdBy: string | null;
  /** Time at which it was made. */
  createdAt: number;
  /** Time at which it ends; null for never. */
  expiresAt: number | null;
  /** Time of a use, to the hour; null for none. */
  lastUsedAt: number | null;
}

/** A key with its owner, as a request needs it. */
export interface FoundApiKey {
  /** The key. */
  key: ApiKeyRecord;
  /** The user whose key it is; null for a key of a tenant. */
  user: User | null;
}

/** Owner of keys: a user or a tenant. */
export type ApiKeyOwner = { userId: string } | { tenantId: string };

/** Options for `listApiKeys()`. */
export interface ListApiKeysOptions {
  /** Only those that this user has made. Default: whoever made them. */
  createdBy?: string;
}

/** A new secret of a key. Times are milliseconds since 1970. */
export interface RotateApiKeyOptions {
  /** Hash of the secret that it takes the place of: of any number of rotations at once one happens. */
  from: string;
  /** Hash of the new secret. */
  to: string;
  /** End of the secret before. */
  until: number;
}

/** Operations on API keys. */
export interface ApiKeyStorage {
  /**
   * Stores a new key. False, and nothing is stored, when the user whose key it is or who makes it is gone or disabled, or
   * when the owner has as many keys as there may be. Not safe to repeat.
   */
  insertApiKey(key: ApiKeyRecord, options: { max: number }): Promise<boolean>;
  /** Reads a key with its owner, by one statement; null for an unknown one, and for that of a disabled user. Safe to repeat. */
  readApiKey(id: string): FoundApiKey | null | Promise<FoundApiKey | null>;
  /** Lists the keys of an owner, newest first. Safe to repeat. */
  listApiKeys(owner: ApiKeyOwner, options?: ListApiKeysOptions): Promise<ApiKeyRecord[]>;
  /**
   * Gives a key of an owner a new secret: `from` becomes the one before, in place of an older one. False when it has none
   * such, or another rotation came first. Safe to repeat: the same rotation again is true.
   */
  rotateApiKey(owner: ApiKeyOwner, id: string, options: RotateApiKeyOptions): Promise<boolean>;
  /** Notes that a key was used, in place of what was noted before, also of a later time. Safe to repeat. */
  touchApiKey(id: string, at: number): Promise<void>;
  /** Removes a key of an owner, or all of them; returns how many. Safe to repeat. */
  dropApiKeys(owner: ApiKeyOwner, id?: string): Promise<number>;
}

const KEY: Fields<ApiKeyRecord> = {
  id: isText,
  userId: isTextOrNull,
  tenantId: isTextOrNull,
  name: isText,
  hash: isText,
  previousHash: isTextOrNull,
  previousUntil: isTimeOrNull,
  permissions: isText,
  limitCount: isTimeOrNull,
  limitWindow: isTimeOrNull,
  createdBy: isTextOrNull,
  createdAt: isTime,
  expiresAt: isTimeOrNull,
  lastUsedAt: isTimeOrNull,
};

/** Ends the keys of the user ?1, see `endEverything()`. */
export function endApiKeys(holds = ""): string[] {
  return [`DELETE FROM api_keys WHERE user_id = ?1${holds}`];
}

function namesOf(): string[] {
  return columnsOf(KEY).split(", ");
}

function checksOf(): Check[] {
  return Object.values<Check[1]>(KEY).map((check, index) => [NAMES[index]!, check]);
}

/** The row of a join has the user's columns too, and both have an id. */
function joinedColumns(): string {
  return NAMES.map((name) => `api_keys.${name} AS key_${name}`).join(", ");
}

// Pure, so that a bundle which has no use for them leaves them out.
const NAMES = /* @__PURE__ */ namesOf();
const JOINED = /* @__PURE__ */ joinedColumns();
const CHECKS: readonly Check[] = /* @__PURE__ */ checksOf();
const FIELDS = /* @__PURE__ */ Object.keys(KEY) as (keyof ApiKeyRecord)[];

function columnOf(owner: ApiKeyOwner): [column: string, id: string] {
  return "userId" in owner ? ["user_id", owner.userId] : ["tenant_id", owner.tenantId];
}

/** Makes the operations on API keys. */
function createApiKeyOperations(parts: SqlParts): ApiKeyStorage {
  const { executor: { prepare, batch, repeat, once, readNow }, reader, statements } = parts;
  const own = columnsOf(KEY);
  /** ?1 id. */
  const read = `SELECT ${JOINED}, ${statements.columns}
FROM api_keys LEFT JOIN users ON users.id = api_keys.user_id
WHERE api_keys.id = ?1 AND users.disabled_at IS NULL`;
  /** ?1 id, ?2 now. */
  const touch = "UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1";

  /** The key in a row, whose columns may have a prefix. */
  function keyOf(row: Row, prefix: string): ApiKeyRecord | null {
    const plain: Row = {};
    for (const name of NAMES) plain[name] = row[prefix + name];
    if (!reader.holds(plain, CHECKS)) return null;
    const permissions = reader.texts(plain, "permissions");
    if (permissions === null) return null;
    const key: Row = {};
    FIELDS.forEach((field, index) => key[field] = plain[NAMES[index]!]);
    return { ...key as unknown as ApiKeyRecord, permissions };
  }

  function found(row: Row | null): FoundApiKey | null {
    const key = row === null ? null : keyOf(row, "key_");
    if (key === null || key.userId === null) return key && { key, user: null };
    const user = reader.user(row!);
    return user && { key, user };
  }

  return {
    insertApiKey(key, { max }) {
      const [column, id] = columnOf(key as ApiKeyOwner & ApiKeyRecord);
      const owner = key.userId ?? key.createdBy!;
      return once("store the key", async () => {
        const insert = `INSERT INTO api_keys (${own})
SELECT ${NAMES.map((_, index) => `?${index + 1}`).join(", ")} FROM users
WHERE users.id = ?${NAMES.length + 1} AND users.disabled_at IS NULL
AND (SELECT COUNT(*) FROM api_keys WHERE ${column} = ?${NAMES.length + 2}) < ?${NAMES.length + 3}`;
        const values = FIELDS.map((field) =>
          field === "permissions" ? JSON.stringify(key.permissions) : key[field]
        ) as (string | number | null)[];
        const results = await batch([
          ...lockUser(parts, owner),
          prepare(insert).bind(...values, owner, id, max),
        ]);
        return changesOf(results.at(-1)) > 0;
      });
    },
    readApiKey(id) {
      const row = readNow<Row>(read, id);
      if (row !== undefined) return found(row);
      return repeat("read the key", () => prepare(read).bind(id).first<Row>().then(found));
    },
    listApiKeys(owner, { createdBy } = {}) {
      const [column, id] = columnOf(owner);
      return repeat("list the keys", async () => {
        const { results } = await prepare(
          `SELECT ${own} FROM api_keys WHERE ${column} = ?1
AND (CAST(?2 AS TEXT) IS NULL OR created_by = ?2) ORDER BY created_at DESC, id`,
        ).bind(id, createdBy ?? null).all<Row>();
        return results.map((row) => keyOf(row, "")).filter((one) => one !== null);
      });
    },
    rotateApiKey(owner, id, { from, to, until }) {
      const [column, ownerId] = columnOf(owner);
      return repeat("rotate the key", async () => {
        const [, row] = await batch([
          prepare(`UPDATE api_keys SET hash = ?4, previous_hash = ?3, previous_until = ?5
WHERE id = ?1 AND ${column} = ?2 AND hash = ?3`).bind(id, ownerId, from, to, until),
          prepare(`SELECT 1 AS found FROM api_keys WHERE id = ?1 AND ${column} = ?2 AND hash = ?3`)
            .bind(id, ownerId, to),
        ]);
        return row!.results.length > 0;
      });
    },
    touchApiKey(id, at) {
      return repeat("note the use of the key", async () => {
        await prepare(touch).bind(id, at).run();
      });
    },
    dropApiKeys(owner, id) {
      const [column, ownerId] = columnOf(owner);
      return repeat("remove the key", async () => {
        const sql = `DELETE FROM api_keys WHERE ${column} = ?1
AND (CAST(?2 AS TEXT) IS NULL OR id = ?2)`;
        return changesOf(await prepare(sql).bind(ownerId, id ?? null).run());
      });
    },
  };
}

/**
 * Group of operations on API keys, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { apiKeyGroup, createMemoryStorage, groupOf } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const keys = groupOf(createMemoryStorage(), apiKeyGroup);
 * deepEqual(await keys.listApiKeys({ userId: "ada" }), []);
 * ```
 */
export const apiKeyGroup: StorageGroup<ApiKeyStorage> = {
  name: "apiKeys",
  sql: createApiKeyOperations,
};
