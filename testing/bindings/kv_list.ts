import { compareKeys } from "./key_order.ts";
import type { KvEntry, KvListOptions, KvListResult } from "./kv_types.ts";

const MAX_KEYS = 1000;

/** Lists keys in the order of their UTF-8 bytes. */
export function list(entries: ReadonlyMap<string, KvEntry>, options: KvListOptions): KvListResult {
  // The platform takes what is not positive for no limit.
  const limit = options.limit !== undefined && options.limit > 0 ? options.limit : MAX_KEYS;
  if (limit > MAX_KEYS) {
    throw new Error(
      `KV GET failed: 400 Invalid key_count_limit of ${limit}. Please specify an integer less than ${MAX_KEYS}.`,
    );
  }
  const after = options.cursor ? new TextDecoder().decode(fromBase64(options.cursor)) : "";
  const names = [...entries.keys()]
    .filter((name) => name.startsWith(options.prefix ?? "") && compareKeys(name, after) > 0)
    .toSorted(compareKeys);
  const page = names.slice(0, limit);
  const last = page.at(-1);
  const keys = page.map((name) => describe(name, entries.get(name)));
  if (names.length <= limit || last === undefined) {
    return { keys, list_complete: true, cacheStatus: null };
  }
  return { keys, list_complete: false, cursor: toBase64(last), cacheStatus: null };
}

function describe(name: string, entry: KvEntry | undefined): KvListResult["keys"][number] {
  return {
    name,
    ...(entry?.expiration === undefined ? {} : { expiration: entry.expiration }),
    ...(entry?.metadata === null ? {} : { metadata: entry?.metadata }),
  };
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
