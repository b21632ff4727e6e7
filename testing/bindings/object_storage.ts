import { AsyncLocalStorage } from "node:async_hooks";
import type { DatabaseSync } from "node:sqlite";
import { createEntryStore } from "./object_entries.ts";
import { createObjectSql } from "./object_sql.ts";
import type { ObjectListOptions, ObjectStorage, ObjectTransaction } from "@framework/cli/runtime";

/**
 * Makes the storage of one durable object: keys, SQL, transactions over both, and an alarm time.
 *
 * @param open Opens an empty connection; called once, at the first use of SQL or a transaction.
 * @param watchAlarm Told whenever the alarm is set, moved or taken away. Default: nobody.
 */
export function createObjectStorage(
  open: () => DatabaseSync,
  watchAlarm: (time: number | null) => void = () => {},
): ObjectStorage {
  const entries = createEntryStore();
  let opened: DatabaseSync | undefined;
  const database = () => opened ??= open();
  let alarm: number | null = null;
  let depth = 0;
  let last: Promise<unknown> = Promise.resolve();
  const inside = new AsyncLocalStorage<true>();

  function changeAlarm(time: number | null): void {
    if (time === null && alarm === null) return;
    watchAlarm(time);
    alarm = time;
  }

  function begin(): { commit(): void; rollback(): void } {
    const sqlite = database();
    const restoreEntries = entries.mark();
    const alarmBefore = alarm;
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
        if (opened !== undefined) dropTables(opened);
      }),
    transaction: (work) => {
      if (inside.getStore() === true) return transact(work);
      // One after the other: two that interleave would lose what one of them wrote.
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
    getAlarm: () => Promise.resolve(alarm),
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
    "SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite_%'",
  ).all();
  for (const { type, name } of made) {
    sqlite.exec(`DROP ${type} IF EXISTS "${String(name).replaceAll('"', '""')}"`);
  }
}

function answer<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}
