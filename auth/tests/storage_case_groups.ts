import type { StorageGroup } from "../storage/group.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createSqlStorage } from "../storage/sql.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { groupOf, type Storage } from "../storage/storage.ts";
import { type CompleteStorage, GROUPS } from "./complete_storage.ts";
import { STORAGE_CASES, type StorageCase } from "./storage_cases.ts";

/** Group of each operation that is not of every storage. */
function groupsByOperation(): ReadonlyMap<PropertyKey, StorageGroup<object>> {
  // Nobody asks it: operations are made, not called.
  const sql = createSqlStorage({} as SqlDatabase);
  return new Map(
    GROUPS.flatMap((group) => Object.keys(groupOf(sql, group)).map((name) => [name, group])),
  );
}

/** Groups whose operations a case calls, read off a run of it over the storage in memory. */
export async function groupsOfCase(check: StorageCase): Promise<Set<StorageGroup<object>>> {
  const groups = groupsByOperation();
  const needed = new Set<StorageGroup<object>>();
  await check(
    new Proxy<CompleteStorage>(createMemoryStorage(), {
      get(storage, name) {
        const group = groups.get(name);
        if (group !== undefined) needed.add(group);
        return Reflect.get(storage, name);
      },
    }),
  );
  return needed;
}

/** Cases that a storage must pass: those that call no operation of a group which it does not have. */
export async function casesFor(storage: Storage): Promise<Record<string, StorageCase>> {
  const cases: Record<string, StorageCase> = {};
  for (const [name, check] of Object.entries(STORAGE_CASES)) {
    const needed = [...await groupsOfCase(check)];
    if (needed.every((group) => storage.group?.(group))) cases[name] = check;
  }
  return cases;
}

/** A storage with the operations of the groups that it has, for the cases of those. */
export function withOwnGroups(storage: Storage): CompleteStorage {
  const own = GROUPS.map((group) => storage.group?.(group) ?? {});
  return Object.assign({}, storage, ...own);
}
