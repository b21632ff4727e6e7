import type { ObjectListOptions, ObjectStorage, ObjectTransaction } from "@framework/cli/runtime";
import { AsyncLocalStorage } from "node:async_hooks";
import type { DatabaseSync } from "node:sqlite";
import { createEntryStore, requireArguments } from "./durable_object_entries.ts";
import { createObjectSql } from "./durable_object_sql.ts";

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
    let state: "open" | "committed" | "rolled back" = "open";
    const rollback = (): void => {
      if (state !== "open") return;
      state = "rolled back";
      begun.rollback();
    };
    const check = (method: string): void => {
      if (state === "rolled back") {
        throw new Error(`Cannot ${method}() on rolled back transaction`);
      }
      if (state === "committed") throw new Error(committed(method));
    };
    const guarded = Object.entries(operations).map(([method, call]) => [
      method,
      (...given: never[]) =>
        answer(() => {
          check(method);
          return (call as (...given: never[]) => unknown)(...given);
        }),
    ]);
    try {
      const result = await work({
        ...Object.fromEntries(guarded),
        rollback: () => {
          if (state === "committed") throw new Error(committed("rollback"));
          rollback();
        },
      });
      if (state === "open") {
        state = "committed";
        begun.commit();
      }
      return result;
    } catch (error) {
      rollback();
      throw error;
    }
  }

  const operations = {
    get: (...given: [key: string | string[]]) =>
      answer<unknown>(() => {
        requireArguments("get", STORAGE, given, "string or Array");
        const [key] = given;
        return Array.isArray(key) ? entries.getMany(key) : entries.get(key);
      }),
    put: (...given: [key: string | Record<string, unknown>, value?: unknown]) =>
      answer(() => {
        requireArguments("put", STORAGE, given, "string or object");
        const [key, value] = given;
        if (typeof key !== "object" || key === null || Array.isArray(key)) entries.put(key, value);
        else entries.putMany(key);
      }),
    delete: (...given: [key: string | string[]]) =>
      answer<unknown>(() => {
        requireArguments("delete", STORAGE, given, "string or Array");
        const [key] = given;
        return Array.isArray(key) ? entries.deleteMany(key) : entries.delete(key);
      }),
    list: (options?: ObjectListOptions) => answer(() => entries.list(options)),
    getAlarm: () => Promise.resolve(record.alarm),
    setAlarm: (...given: [time: number | Date]) =>
      answer(() => {
        const time = readAlarm(given[0]);
        changeAlarm(time);
      }),
    deleteAlarm: () => answer(() => changeAlarm(null)),
    deleteAll: () =>
      answer(() => {
        if (depth > 0) throw new Error("Cannot call deleteAll() within a transaction");
        entries.clear();
        changeAlarm(null);
        if (record.database !== undefined) dropTables(record.database);
      }),
  } as unknown as Omit<ObjectStorage, "transaction" | "transactionSync" | "sync" | "sql" | "kv">;

  return {
    ...operations,
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
    sync: () => Promise.resolve(),
    sql: createObjectSql(database),
    kv: entries.kv,
  };
}

const STORAGE = "DurableObjectStorage";
// The platform names 2189, and still takes the first days of 2190.
const ALARMS_END = Date.UTC(2191, 0);

/** Reads the time of an alarm as the platform does, in whole milliseconds. */
function readAlarm(given: unknown): number {
  if (typeof given !== "number" && !(given instanceof Date)) {
    throw new TypeError(
      `Failed to execute 'setAlarm' on '${STORAGE}': parameter 1 is not of type 'date'.`,
    );
  }
  const time = Math.trunc(Number(given));
  if (!Number.isFinite(time)) {
    throw new TypeError("The value cannot be converted because it is not a valid Date.");
  }
  if (time <= 0) throw new TypeError("setAlarm() cannot be called with an alarm time <= 0");
  if (time >= ALARMS_END) {
    throw new TypeError("This API doesn't support dates after 2189.");
  }
  return time;
}

function committed(method: string): string {
  return `Cannot call ${method}() on transaction that has already committed: did you move ` +
    "`txn` outside of the closure?";
}

function dropTables(sqlite: DatabaseSync): void {
  const drop = (where: string): void => {
    const made = sqlite.prepare(
      `SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND ${where} ` +
        // The newest first: SQLite drops no table whose own rows hang on one that is gone already.
        "ORDER BY rowid DESC",
    ).all();
    for (const { type, name } of made) {
      sqlite.exec(`DROP ${type} IF EXISTS "${String(name).replaceAll('"', '""')}"`);
    }
  };
  drop("type = 'view'");
  // With them go tables of theirs, which cannot be dropped alone.
  drop("type = 'table' AND sql LIKE 'CREATE VIRTUAL %'");
  drop("type = 'table'");
}

function answer<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}
