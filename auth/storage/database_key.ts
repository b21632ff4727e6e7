/**
 * Key that the tables of a storage hold.
 *
 * @module
 */

import { toHex } from "../lib/encoding.ts";
import { randomBytes } from "../lib/secret.ts";
import { executorGroup, type SchemaMarker, SELECT_MARKER } from "./sql_executor.ts";
import type { Storage } from "./storage.ts";

const keys = new WeakMap<Storage, string>();

/**
 * The random text that the tables of a storage hold, of which an application without a `secret` derives keys that
 * all of its processes have. It is read once for each storage, when it is first asked for. A storage without tables
 * of the library, such as one in memory, has one that lives as long as the process; so has one whose database does
 * not answer, until it is asked again.
 *
 * @returns 64 hexadecimal digits.
 */
export async function databaseKeyOf(storage: Storage): Promise<string> {
  // No promise is kept: another request could not wait for it.
  const known = keys.get(storage);
  if (known !== undefined) return known;
  const key = await readKey(storage);
  if (key === null) return toHex(randomBytes(32));
  // Of two at once the first one stays.
  if (!keys.has(storage)) keys.set(storage, key);
  return keys.get(storage)!;
}

/** Reads it, or makes it where nobody has one; null when the database does not answer. */
async function readKey(storage: Storage): Promise<string | null> {
  const executor = storage.group?.(executorGroup);
  if (executor) {
    try {
      const { prepare, repeat } = executor;
      const marker = await repeat(
        "read the key of the database",
        () => prepare(SELECT_MARKER).first<SchemaMarker>(),
      );
      if (typeof marker?.key === "string") return marker.key;
    } catch {
      return null;
    }
  }
  return toHex(randomBytes(32));
}
