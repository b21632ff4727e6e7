import type {
  ObjectKv,
  ObjectListOptions,
  ObjectSql,
  ObjectSqlCursor,
  ObjectSqlValue,
  ObjectStorage,
  ObjectTransaction,
} from "@framework/cli/runtime";
import { AsyncLocalStorage } from "node:async_hooks";
import type { DatabaseSync } from "node:sqlite";
import {
  type BoundValue,
  type D1Outcome,
  prepareCounters,
  type RowValue,
  runQuery,
  sqliteMessage,
  toBoundValue,
} from "./d1_engine.ts";
import { compareKeys } from "./key_order.ts";

/** Stored data of one durable object. */
export interface ObjectRecord {
  entries: Map<string, unknown>;
  /** Connection to its tables, opened at the first use of SQL or a transaction. */
  database?: DatabaseSync;
  /** Time of its alarm, in milliseconds since 1970. */
  alarm: number | null;
}

/** Creates the record of an object that has stored nothing. */
export function createObjectRecord(): ObjectRecord {
  return { entries: new Map(), alarm: null };
}

/**
 * Creates the storage of one durable object: keys, SQL, transactions over both, and an alarm time.
 *
 * @param open Opens an empty connection; called once, at the first use of SQL or a transaction.
 * @param watchAlarm Called whenever the alarm is set, moved or deleted. Default: nothing is called.
 * @param record Where the data is stored. Default: an empty record.
 */
export function createObjectStorage(
  open: () => DatabaseSync,
  watchAlarm: (time: number | null) => void = () => {},
  record: ObjectRecord = createObjectRecord(),
): ObjectStorage {
  const entries = createEntryStore(record);
  const database = () => record.database ??= open();
  let depth = 0;
  let last: Promise<unknown> = Promise.resolve();
  const inside = new AsyncLocalStorage<true>();

  function changeAlarm(time: number | null): void {
    if (time === null && record.alarm === null) return;
    watchAlarm(time);
    record.alarm = time;
  }

  function begin(): { commit(): void; rollback(): void } {
    const sqlite = database();
    const restoreEntries = entries.mark();
    const alarmBefore = record.alarm;
    const name = `transaction_${depth++}`;
    sqlite.exec(`SAVEPOINT ${name}`);
    return {
      commit() {
        depth--;
        sqlite.exec(`RELEASE ${name}`);
      },
      rollback() {
        depth--;
        sqlite.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
        restoreEntries();
        changeAlarm(alarmBefore);
      },
    };
  }

  async function transact<T>(work: (transaction: ObjectTransaction) => Promise<T>): Promise<T> {
    const begun = begin();
    let rolledBack = false;
    try {
      const result = await work({
        ...operations,
        rollback: () => {
          rolledBack = true;
        },
      });
      rolledBack ? begun.rollback() : begun.commit();
      return result;
    } catch (error) {
      begun.rollback();
      throw error;
    }
  }

  const operations = {
    get:
      ((key: string | string[]) =>
        answer<unknown>(() =>
          Array.isArray(key) ? entries.getMany(key) : entries.get(key)
        )) as ObjectStorage["get"],
    put:
      ((key: string | Record<string, unknown>, value?: unknown) =>
        answer(() =>
          typeof key === "object" ? entries.putMany(key) : entries.put(key, value)
        )) as ObjectStorage["put"],
    delete:
      ((key: string | string[]) =>
        answer<unknown>(() =>
          Array.isArray(key) ? entries.deleteMany(key) : entries.delete(key)
        )) as ObjectStorage["delete"],
    list:
      ((options?: ObjectListOptions) => answer(() => entries.listAll(options))) as ObjectStorage[
        "list"
      ],
  };

  return {
    ...operations,
    deleteAll: () =>
      answer(() => {
        entries.clear();
        changeAlarm(null);
        if (record.database !== undefined) dropTables(record.database);
      }),
    transaction: (work) => {
      if (inside.getStore() === true) return transact(work);
      // One after the other: of two interleaved transactions, one would lose its writes.
      const next = last.then(() => inside.run(true, () => transact(work)));
      last = next.catch(() => {});
      return next;
    },
    transactionSync: (work) => {
      const begun = begin();
      try {
        const result = work();
        begun.commit();
        return result;
      } catch (error) {
        begun.rollback();
        throw error;
      }
    },
    getAlarm: () => Promise.resolve(record.alarm),
    setAlarm: (time) => answer(() => changeAlarm(Number(time))),
    deleteAlarm: () => answer(() => changeAlarm(null)),
    sync: () => Promise.resolve(),
    sql: createObjectSql(database),
    kv: {
      get: entries.get,
      put: entries.put,
      delete: entries.delete,
      list: entries.list,
    },
  };
}

function dropTables(sqlite: DatabaseSync): void {
  const made = sqlite.prepare(
    "SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite_%' " +
      // The newest first: SQLite drops no table whose own rows hang on one that is gone already.
      "ORDER BY rowid DESC",
  ).all();
  for (const { type, name } of made) {
    sqlite.exec(`DROP ${type} IF EXISTS "${String(name).replaceAll('"', '""')}"`);
  }
}

function answer<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}

/** Keys and values of one object, with snapshots. */
export interface EntryStore extends ObjectKv {
  getMany(keys: string[]): Map<string, unknown>;
  putMany(entries: Record<string, unknown>): void;
  deleteMany(keys: string[]): number;
  listAll(options?: ObjectListOptions): Map<string, unknown>;
  clear(): void;
  /** Takes a snapshot and returns the function that restores it. */
  mark(): () => void;
}

/** Creates a store that copies values when they are read and written. */
function createEntryStore(record: ObjectRecord): EntryStore {
  function put(key: string, value: unknown): void {
    if (value === undefined) throw new TypeError("put() called with undefined value.");
    record.entries.set(key, structuredClone(value));
  }

  function remove(key: string): boolean {
    return record.entries.delete(key);
  }

  function listAll(options: ObjectListOptions = {}): Map<string, unknown> {
    checkList(options);
    const keys = [...record.entries.keys()].filter((key) => isListed(key, options)).toSorted(
      compareKeys,
    );
    if (options.reverse === true) keys.reverse();
    const chosen = options.limit === undefined ? keys : keys.slice(0, options.limit);
    return new Map(chosen.map((key) => [key, structuredClone(record.entries.get(key))]));
  }

  return {
    get: <T>(key: string) => structuredClone(record.entries.get(key)) as T | undefined,
    getMany: (keys) => {
      const found = keys.filter((key) => record.entries.has(key)).toSorted(compareKeys);
      return new Map(found.map((key) => [key, structuredClone(record.entries.get(key))]));
    },
    put,
    putMany: (given) => {
      const pairs = Object.entries(given).filter(([, value]) => value !== undefined);
      for (const [key, value] of pairs) put(key, value);
    },
    delete: remove,
    deleteMany: (keys) => keys.filter(remove).length,
    list: <T>(options?: ObjectListOptions) => listAll(options) as Map<string, T>,
    listAll,
    clear: () => record.entries.clear(),
    mark: () => {
      // Values are replaced and never changed, so a copy of the list is enough.
      const before = new Map(record.entries);
      return () => {
        record.entries = before;
      };
    },
  };
}

function isListed(key: string, options: ObjectListOptions): boolean {
  const { start, startAfter, end, prefix } = options;
  return (start === undefined || compareKeys(key, start) >= 0) &&
    (startAfter === undefined || compareKeys(key, startAfter) > 0) &&
    (end === undefined || compareKeys(key, end) < 0) &&
    (prefix === undefined || key.startsWith(prefix));
}

function checkList({ limit, start, startAfter }: ObjectListOptions): void {
  if (limit !== undefined && !(limit > 0)) throw new TypeError("List limit must be positive.");
  if (start !== undefined && startAfter !== undefined) {
    throw new TypeError("list() cannot be called with both start and startAfter values.");
  }
}

/**
 * Creates the `sql` of a durable object's storage over a SQLite connection, which is requested at
 * each use.
 */
function createObjectSql(connect: () => DatabaseSync): ObjectSql {
  let prepared: ReturnType<typeof prepareCounters> | undefined;
  const countersOf = (sqlite: DatabaseSync) => prepared ??= prepareCounters(sqlite);
  return {
    exec<T>(sql: string, ...values: unknown[]): ObjectSqlCursor<T> {
      const bound = values.map(toObjectBound);
      const sqlite = connect();
      const counters = countersOf(sqlite);
      try {
        return createCursor<T>(runQuery(sqlite, counters, { sql: String(sql), values: bound }));
      } catch (error) {
        throw new Error(sqliteMessage(error), { cause: error });
      }
    },
    get databaseSize() {
      return Number(countersOf(connect()).get()?.["size"]);
    },
  };
}

function createCursor<T>({ columns, rows, meta }: D1Outcome): ObjectSqlCursor<T> {
  const values = rows.map((row) => row.map(toObjectValue));
  let position = 0;
  const taken = (): ObjectSqlValue[][] => {
    const left = values.slice(position);
    position = values.length;
    return left;
  };
  const toRow = (row: ObjectSqlValue[]) =>
    Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])) as T;
  const cursor: ObjectSqlCursor<T> = {
    next: () => {
      const row = values[position++];
      return row === undefined
        ? { done: true, value: undefined }
        : { done: false, value: toRow(row) };
    },
    toArray: () => taken().map(toRow),
    one: () => {
      const [row, ...others] = taken();
      if (row === undefined) throw new Error(expectedOne("no results"));
      if (others.length > 0) throw new Error(expectedOne("multiple results"));
      return toRow(row);
    },
    raw: <U extends ObjectSqlValue[]>() => {
      const iterator = (function* () {
        for (let row = values[position++]; row !== undefined; row = values[position++]) {
          yield row as U;
        }
      })();
      return Object.assign(iterator, { toArray: () => taken() as U[] });
    },
    columnNames: columns,
    rowsRead: meta.rows_read,
    rowsWritten: meta.rows_written,
    [Symbol.iterator]: () => ({
      next: () => cursor.next() as IteratorResult<T>,
    }),
  };
  return cursor;
}

function expectedOne(found: string): string {
  return `Expected exactly one result from SQL query, but got ${found}.`;
}

/**
 * Converts a value for SQLite; everything but numbers and bytes becomes text: here the platform
 * converts where D1 refuses.
 */
function toObjectBound(value: unknown): BoundValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") return value;
  if (typeof value === "bigint") throw new TypeError("Cannot convert a BigInt value to a number");
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return toBoundValue(value);
  return String(value);
}

/** Converts a column's value: a blob becomes a buffer, where D1 returns a list of bytes in JSON. */
function toObjectValue(value: RowValue): ObjectSqlValue {
  return Array.isArray(value) ? Uint8Array.from(value).buffer : value;
}
