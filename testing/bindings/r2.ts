import { createHash } from "node:crypto";
import { NotEmulatedError } from "../errors.ts";
import { compareKeys } from "./key_order.ts";
import { etagOf, type R2Entry, readHttpMetadata, toR2Object, toR2ObjectBody } from "./r2_object.ts";
import type {
  R2BucketDouble,
  R2Conditional,
  R2ListOptions,
  R2Objects,
  R2Value,
} from "./r2_types.ts";

const MAX_KEY_BYTES = 1024;
const MAX_KEYS = 1000;
const MAX_METADATA_BYTES = 2048;

/**
 * Makes an empty bucket in memory.
 *
 * @param options `now`: milliseconds since 1970, the time of uploads; `guard`: called before each
 * use; `binding`: named by what is not emulated.
 * @see https://developers.cloudflare.com/r2/api/workers/workers-api-reference/
 */
export function createR2Bucket(
  options: { now: () => number; guard?: () => void; binding: string },
): R2BucketDouble {
  const entries = new Map<string, R2Entry>();
  const { now, guard, binding } = options;
  const refuse = () => {
    throw new NotEmulatedError(binding, "r2_buckets", "uploads in parts");
  };

  return {
    head: async (key) => {
      guard?.();
      checkKey(key, "head");
      const entry = await Promise.resolve(entries.get(key));
      return entry === undefined ? null : toR2Object(entry);
    },
    get: async (key, given = {}) => {
      guard?.();
      checkKey(key, "get");
      const entry = await Promise.resolve(entries.get(key));
      if (entry === undefined) return null;
      return holds(given.onlyIf, entry) ? toR2ObjectBody(entry, given.range) : toR2Object(entry);
    },
    put: async (key, value, given = {}) => {
      guard?.();
      checkKey(key, "put");
      const bytes = await toBytes(value);
      const known = entries.get(key);
      if (given.onlyIf !== undefined && !holds(given.onlyIf, known)) return null;
      const customMetadata = { ...given.customMetadata };
      checkMetadata(customMetadata);
      const md5 = Uint8Array.from(createHash("md5").update(bytes).digest());
      const entry: R2Entry = {
        key,
        bytes,
        md5,
        version: crypto.randomUUID().replaceAll("-", ""),
        uploaded: new Date(now()),
        httpMetadata: readHttpMetadata(given.httpMetadata),
        customMetadata,
      };
      if (given.md5 !== undefined && toHex(given.md5) !== etagOf(entry)) {
        throw new Error(
          "put: The MD5 checksum you specified did not match what we received.\n" +
            `You provided a MD5 checksum with value: ${toHex(given.md5)}\n` +
            `Actual MD5 was: ${etagOf(entry)} (10037)`,
        );
      }
      entries.set(key, entry);
      return toR2Object(entry);
    },
    delete: async (keys) => {
      guard?.();
      const list = [keys].flat();
      if (list.length > MAX_KEYS) {
        throw new Error(`delete: List of keys to delete may contain at most ${MAX_KEYS} (10041)`);
      }
      for (const key of list) checkKey(key, "delete");
      await Promise.resolve(list.forEach((key) => entries.delete(key)));
    },
    list: async (given = {}) => {
      guard?.();
      return await Promise.resolve(listEntries([...entries.values()], given));
    },
    createMultipartUpload: refuse,
    resumeMultipartUpload: refuse,
  };
}

function listEntries(entries: R2Entry[], options: R2ListOptions): R2Objects {
  const { limit = MAX_KEYS, prefix = "", delimiter, include } = options;
  if (limit < 1 || limit > MAX_KEYS) {
    throw new Error(
      "list: MaxKeys params must be positive integer <= 1000. (10022)",
    );
  }
  const after = options.cursor ? atob(options.cursor) : options.startAfter;
  const objects: R2Objects["objects"] = [];
  const prefixes = new Set<string>();
  let last: string | undefined;
  let truncated = false;
  for (const entry of entries.toSorted((a, b) => compareKeys(a.key, b.key))) {
    if (!entry.key.startsWith(prefix)) continue;
    if (after !== undefined && compareKeys(entry.key, after) <= 0) continue;
    const end = delimiter ? entry.key.indexOf(delimiter, prefix.length) : -1;
    const group = end === -1 ? undefined : entry.key.slice(0, end + delimiter!.length);
    // What follows in a group that the page before has named already.
    if (group !== undefined && after?.startsWith(group)) continue;
    const counted = group !== undefined && prefixes.has(group);
    if (!counted && objects.length + prefixes.size === limit) {
      truncated = true;
      break;
    }
    if (group !== undefined) prefixes.add(group);
    else {
      const shown = {
        http: include?.includes("httpMetadata") ?? false,
        custom: include?.includes("customMetadata") ?? false,
      };
      objects.push(toR2Object(entry, shown));
    }
    last = entry.key;
  }
  const delimitedPrefixes = [...prefixes];
  if (!truncated || last === undefined) return { objects, truncated: false, delimitedPrefixes };
  return { objects, truncated, cursor: btoa(last), delimitedPrefixes };
}

/** Whether a condition holds; without an object only those hold that ask for none. */
function holds(condition: R2Conditional | undefined, entry: R2Entry | undefined): boolean {
  const { etagMatches, etagDoesNotMatch, uploadedBefore, uploadedAfter } = condition ?? {};
  if (entry === undefined) return etagMatches === undefined && uploadedAfter === undefined;
  const etag = etagOf(entry);
  const named = (list: string) =>
    list === "*" || list.split(",").some((tag) => tag.trim() === etag);
  if (etagMatches !== undefined && !named(etagMatches)) return false;
  if (etagDoesNotMatch !== undefined && named(etagDoesNotMatch)) return false;
  if (uploadedBefore !== undefined && !(entry.uploaded < uploadedBefore)) return false;
  return uploadedAfter === undefined || entry.uploaded > uploadedAfter;
}

function checkKey(key: string, method: string): void {
  if (new TextEncoder().encode(key).length <= MAX_KEY_BYTES) return;
  throw new Error(`${method}: The specified object name is not valid. (10020)`);
}

function checkMetadata(metadata: Record<string, string>): void {
  const size = Object.entries(metadata).flat().join("").length;
  if (size <= MAX_METADATA_BYTES) return;
  throw new Error(
    "put: Your metadata headers exceed the maximum allowed metadata size. (10012)",
  );
}

async function toBytes(value: R2Value): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(value as BodyInit | null).arrayBuffer());
}

function toHex(sum: string | ArrayBuffer | ArrayBufferView): string {
  if (typeof sum === "string") return sum.toLowerCase();
  const bytes = sum instanceof ArrayBuffer
    ? new Uint8Array(sum)
    : new Uint8Array(sum.buffer, sum.byteOffset, sum.byteLength);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
