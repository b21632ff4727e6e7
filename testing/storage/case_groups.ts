import {
  createMemoryStorage,
  createSqlStorage,
  groupOf,
  type SqlDatabase,
  type Storage,
  type StorageGroup,
} from "@framework/auth/storage";
import { STORAGE_CASES } from "./cases.ts";
import { type CompleteStorage, GROUPS, type StorageCase } from "./complete_storage.ts";

/** Group of each operation that is not of every storage. */
function groupsByOperation(): ReadonlyMap<PropertyKey, StorageGroup<object>> {
  // Nobody asks it: operations are made, not called.
  const sql = createSqlStorage({} as SqlDatabase);
  return new Map(
    GROUPS.flatMap((group) => Object.keys(groupOf(sql, group)).map((name) => [name, group])),
  );
}

/** Groups whose operations some work calls, read off a run of it over the storage in memory. */
export async function groupsOf(
  work: (storage: CompleteStorage) => Promise<unknown>,
): Promise<StorageGroup<object>[]> {
  const groups = groupsByOperation();
  const needed = new Set<StorageGroup<object>>();
  await work(
    new Proxy<CompleteStorage>(createMemoryStorage(), {
      get(storage, name) {
        const group = groups.get(name);
        if (group !== undefined) needed.add(group);
        return Reflect.get(storage, name);
      },
    }),
  );
  return [...needed];
}

/** Cases that a storage must pass: those that call no operation of a group which it does not have. */
export async function casesFor(storage: Storage): Promise<Record<string, StorageCase>> {
  const cases: Record<string, StorageCase> = {};
  for (const [name, check] of Object.entries(STORAGE_CASES)) {
    if ((await groupsOf(check)).every((group) => storage.group?.(group))) cases[name] = check;
  }
  return cases;
}

/** A storage with the operations of the groups that it has, for the cases of those. */
export function withOwnGroups(storage: Storage): CompleteStorage {
  const groups = groupsByOperation();
  return new Proxy(storage as CompleteStorage, {
    get(target, name) {
      const group = groups.get(name);
      const owner = (group && storage.group?.(group)) ?? target;
      const value: unknown = Reflect.get(owner, name);
      // Both may be objects of a class, whose methods need them.
      return typeof value === "function" ? value.bind(owner) : value;
    },
  });
}
