import {
  createKvNamespace as createNamespace,
  type KvEntry,
  type KvNamespace,
} from "@framework/cli/testing";
import { compareKeys } from "./key_order.ts";

/**
 * Creates a key-value namespace in memory whose entries expire by the given clock.
 *
 * @param options `now`: milliseconds since 1970; `guard`: called before each use; `entries`: where
 * they are stored. Default: an empty map.
 */
export function createKvNamespace(
  options: { now: () => number; guard?: () => void; entries?: Map<string, KvEntry> },
): KvNamespace {
  const { now, guard, entries = new Map<string, KvEntry>() } = options;

  function dropExpired(keys: Iterable<string>): void {
    for (const key of keys) {
      const { expiration } = entries.get(key) ?? {};
      if (expiration !== undefined && expiration * 1000 <= now()) entries.delete(key);
    }
  }

  return createNamespace({
    now,
    read(keys) {
      guard?.();
      dropExpired(keys);
      return entries;
    },
    write(key, entry) {
      guard?.();
      entries.set(key, entry);
    },
    remove(key) {
      guard?.();
      entries.delete(key);
    },
    page({ prefix, after, limit }) {
      guard?.();
      dropExpired(entries.keys());
      return [...entries]
        .filter(([key]) => key.startsWith(prefix) && compareKeys(key, after) > 0)
        .toSorted(([a], [b]) => compareKeys(a, b))
        .slice(0, limit);
    },
  });
}
