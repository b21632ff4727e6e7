import { compareKeys } from "./key_order.ts";
import type { ObjectKv, ObjectListOptions } from "@framework/cli/runtime";

/** Keys and values of one object, with a way back. */
export interface EntryStore extends ObjectKv {
  getMany(keys: string[]): Map<string, unknown>;
  putMany(entries: Record<string, unknown>): void;
  deleteMany(keys: string[]): number;
  listAll(options?: ObjectListOptions): Map<string, unknown>;
  clear(): void;
  /** Remembers the present state, and returns what restores it. */
  mark(): () => void;
}

/** Makes a store of copies: what is read or written does not change with what the caller holds. */
export function createEntryStore(): EntryStore {
  let entries = new Map<string, unknown>();

  function put(key: string, value: unknown): void {
    if (value === undefined) throw new TypeError("put() called with undefined value.");
    entries.set(key, structuredClone(value));
  }

  function remove(key: string): boolean {
    return entries.delete(key);
  }

  function listAll(options: ObjectListOptions = {}): Map<string, unknown> {
    checkList(options);
    const keys = [...entries.keys()].filter((key) => isListed(key, options)).toSorted(compareKeys);
    if (options.reverse === true) keys.reverse();
    const chosen = options.limit === undefined ? keys : keys.slice(0, options.limit);
    return new Map(chosen.map((key) => [key, structuredClone(entries.get(key))]));
  }

  return {
    get: <T>(key: string) => structuredClone(entries.get(key)) as T | undefined,
    getMany: (keys) => {
      const found = keys.filter((key) => entries.has(key)).toSorted(compareKeys);
      return new Map(found.map((key) => [key, structuredClone(entries.get(key))]));
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
    clear: () => entries.clear(),
    mark: () => {
      // Values are replaced and never changed, so a copy of the list is enough.
      const before = new Map(entries);
      return () => {
        entries = before;
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
