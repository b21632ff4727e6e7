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

/** Tells whether a storage has a group. */
function has(storage: Storage, group: StorageGroup<object>): boolean {
  return storage.group?.(group) != null;
}

/**
 * Groups whose operations some work calls and which a storage does not have, read off a run of it over the storage in
 * memory. That says to have only those of the storage: work may ask for less where there are fewer.
 */
export async function missingGroups(
  storage: Storage,
  work: (storage: CompleteStorage) => Promise<unknown>,
): Promise<StorageGroup<object>[]> {
  const byOperation = groupsByOperation();
  const needed = new Set<StorageGroup<object>>();
  await work(
    new Proxy<CompleteStorage>(createMemoryStorage(), {
      get(memory, name) {
        const group = byOperation.get(name);
        if (group !== undefined) needed.add(group);
        if (name === "group") {
          return (wanted: StorageGroup<object>) => has(storage, wanted) ? memory : null;
        }
        return Reflect.get(memory, name);
      },
    }),
  );
  return [...needed].filter((group) => !has(storage, group));
}

/** Cases for a storage. */
interface Cases {
  /** Those that it must pass: they call no operation of a group which it does not have. */
  cases: Record<string, StorageCase>;
  /** Those of an operation that it has which need groups that it does not have, with the names of these. */
  partial: Record<string, string[]>;
}

/** Chooses the cases that a storage must pass. */
export async function casesFor(storage: Storage): Promise<Cases> {
  const cases: Record<string, StorageCase> = {};
  const partial: Record<string, string[]> = {};
  const groups = groupsByOperation();
  for (const [title, check] of Object.entries(STORAGE_CASES)) {
    const missing = await missingGroups(storage, check);
    const [, operation] = /^(\w+)\(\)/.exec(title) ?? [];
    const group = operation === undefined ? undefined : groups.get(operation);
    if (missing.length === 0) cases[title] = check;
    else if (operation !== undefined && !(group && missing.includes(group))) {
      partial[title] = missing.map(({ name }) => name);
    }
  }
  return { cases, partial };
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
