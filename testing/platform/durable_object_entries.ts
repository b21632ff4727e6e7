import type { ObjectKv, ObjectListOptions } from "@framework/cli/runtime";
import { compareKeys } from "./key_order.ts";

/** Keys and values of one object, with snapshots. */
export interface EntryStore {
  get(key: unknown): unknown;
  getMany(keys: unknown[]): Map<string, unknown>;
  put(key: unknown, value: unknown): void;
  putMany(entries: Record<string, unknown>): void;
  delete(key: unknown): boolean;
  deleteMany(keys: unknown[]): number;
  list(options?: ObjectListOptions | null): Map<string, unknown>;
  clear(): void;
  /** Takes a snapshot and returns the function that restores it. */
  mark(): () => void;
  /** The same keys, without promises. */
  kv: ObjectKv;
}

const MAX_INTEGER = 2 ** 31 - 1;
const MAX_VALUE_BYTES = 2_200_000;

/** Creates a store that copies values when they are read and written; every key becomes text, as on the platform. */
export function createEntryStore(record: { entries: Map<string, unknown> }): EntryStore {
  // Changes with every write: a list without promises has what is there at each of its steps.
  let version = 0;

  function write(key: unknown, value: unknown): void {
    version++;
    if (sizeOf(value) >= MAX_VALUE_BYTES) {
      throw new Error("string or blob too big: SQLITE_TOOBIG");
    }
    record.entries.set(String(key), structuredClone(value));
  }

  function put(key: unknown, value: unknown): void {
    if (value === undefined) throw new TypeError("put() called with undefined value.");
    write(key, value);
  }

  function remove(key: unknown): boolean {
    version++;
    return record.entries.delete(String(key));
  }

  function listKeys(options: ObjectListOptions): string[] {
    const keys = [...record.entries.keys()].filter((key) => isListed(key, options)).toSorted(
      compareKeys,
    );
    return options.reverse ? keys.reverse() : keys;
  }

  const get = (key: unknown): unknown => structuredClone(record.entries.get(String(key)));

  const store: Omit<EntryStore, "kv"> = {
    get,
    getMany: (keys) => {
      const found = keys.map(String).filter((key) => record.entries.has(key)).toSorted(compareKeys);
      return new Map(found.map((key) => [key, get(key)]));
    },
    put,
    putMany: (given) => {
      const pairs = Object.entries(given).filter(([, value]) => value !== undefined);
      for (const [key, value] of pairs) put(key, value);
    },
    delete: remove,
    deleteMany: (keys) => keys.filter(remove).length,
    list: (given) => {
      const options = given ?? {};
      const limit = readLimit(options);
      return new Map(listKeys(options).slice(0, limit).map((key) => [key, get(key)]));
    },
    clear: () => {
      version++;
      record.entries.clear();
    },
    mark: () => {
      // Values are replaced and never changed, so a copy of the list is enough.
      const before = new Map(record.entries);
      return () => {
        version++;
        record.entries = before;
      };
    },
  };

  let lists = 0;

  /** Lists what is there at each step, as the platform's cursor does, of which there is one at a time. */
  function iterate<T>(given?: ObjectListOptions | null): IterableIterator<[string, T]> {
    const options = given ?? {};
    let left = readLimit(options) ?? Infinity;
    const own = ++lists;
    let last: string | undefined;
    let seen = version;
    let keys = listKeys(options);
    const iterator: IterableIterator<[string, T]> = {
      [Symbol.iterator]: () => iterator,
      next() {
        if (own !== lists) throw new Error(INVALIDATED);
        if (seen !== version) {
          seen = version;
          keys = listKeys(options).filter((key) => last === undefined || isBehind(key, last));
        }
        const key = left > 0 ? keys.shift() : undefined;
        if (key === undefined) return { done: true, value: undefined };
        left--;
        last = key;
        return { done: false, value: [key, get(key) as T] };
      },
    };
    const isBehind = (key: string, place: string) =>
      options.reverse ? compareKeys(key, place) < 0 : compareKeys(key, place) > 0;
    return iterator;
  }

  return {
    ...store,
    kv: {
      get: <T>(...given: [key: string]) => {
        requireArguments("get", "SyncKvStorage", given, "string");
        return get(given[0]) as T | undefined;
      },
      put: (...given: [key: string, value: unknown]) => {
        requireArguments("put", "SyncKvStorage", given, "string", "JsValue");
        // Here the platform stores undefined, too.
        write(given[0], given[1]);
      },
      delete: (...given: [key: string]) => {
        requireArguments("delete", "SyncKvStorage", given, "string");
        return remove(given[0]);
      },
      list: iterate,
    },
  };
}

const INVALIDATED =
  "kv.list() iterator was invalidated because a new call to kv.list() was started. Only one " +
  "kv.list() iterator can exist at a time.";

/**
 * Refuses a call that lacks arguments, with the platform's message. One that is undefined is there.
 *
 * @param types What each argument has to be.
 */
export function requireArguments(
  method: string,
  owner: string,
  given: readonly unknown[],
  ...types: string[]
): void {
  const type = types[given.length];
  if (type === undefined) return;
  throw new TypeError(
    `Failed to execute '${method}' on '${owner}': parameter ${
      given.length + 1
    } is not of type '${type}'.`,
  );
}

function isListed(key: string, options: ObjectListOptions): boolean {
  const { start, startAfter, end, prefix } = options;
  return (start === undefined || compareKeys(key, start) >= 0) &&
    (startAfter === undefined || compareKeys(key, startAfter) > 0) &&
    (end === undefined || compareKeys(key, end) < 0) &&
    (prefix === undefined || key.startsWith(prefix));
}

/** Reads the limit as the platform does, as an integer of 32 bits; undefined without one. */
function readLimit({ limit, start, startAfter }: ObjectListOptions): number | undefined {
  if (start !== undefined && startAfter !== undefined) {
    throw new TypeError("list() cannot be called with both start and startAfter values.");
  }
  if (limit === undefined) return undefined;
  const given = Number(limit);
  if (Number.isFinite(given) && (given > MAX_INTEGER || given < -MAX_INTEGER - 1)) {
    throw new TypeError(
      `Value out of range. Must be between ${-MAX_INTEGER - 1} and ${MAX_INTEGER} (inclusive).`,
    );
  }
  const whole = Number.isFinite(given) ? Math.trunc(given) : 0;
  if (whole <= 0) throw new TypeError("List limit must be positive.");
  return whole;
}

/** Bytes of the texts and buffers of a value, about those that the platform stores. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") {
    return value.length * (/^[\0-\xff]*$/.test(value) ? 1 : 2);
  }
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + sizeOf(item), 0);
  return 0;
}
