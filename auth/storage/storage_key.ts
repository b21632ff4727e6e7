import { SQL_PARTS, type SqlParts } from "./sql_parts.ts";
import type { Storage } from "./storage.ts";

/** Part of the port that has a key of its own, for an application without a `secret`. */
export interface KeyStorage {
  /** Random text that was made with the tables and that nobody else knows; null when there is none. */
  readStorageKey(): Promise<string | null>;
}

// The marker of version 1 has no such column, and a list of columns would be an error then.
const READ_KEY = "SELECT * FROM auth_schema";

/** Key of a storage, of its own or over its SQL database; null when it has none. */
export async function storageKeyOf(storage: Storage): Promise<string | null> {
  if ("readStorageKey" in storage) {
    return await (storage as unknown as KeyStorage).readStorageKey();
  }
  const parts = (storage as { [SQL_PARTS]?: SqlParts })[SQL_PARTS];
  if (parts === undefined) return null;
  const { prepare, repeat } = parts.executor;
  const row = await repeat(
    "read the key of the tables",
    () => prepare(READ_KEY).first<{ key?: string | null }>(),
  );
  return row?.key ?? null;
}
