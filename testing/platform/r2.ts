import {
  bucketRules,
  type Hash,
  type HashName,
  type ObjectConditions,
  type ObjectMetadata,
  type ObjectRange,
} from "@framework/cli/testing";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { NotEmulatedError } from "../errors.ts";
import { compareKeys } from "./key_order.ts";
import {
  type R2Entry,
  type R2Object,
  type R2ObjectBody,
  type R2Value,
  toBytes,
  toR2Object,
  toR2ObjectBody,
} from "./r2_object.ts";
import {
  beginUpload,
  type R2MultipartUpload,
  type R2Upload,
  type R2UploadOptions,
  resumeUpload,
} from "./r2_uploads.ts";

/** Options for reading. */
export interface R2GetOptions {
  onlyIf?: ObjectConditions | Headers;
  range?: ObjectRange | Headers;
}

/** Options for writing: of the hashes at most one, which the value must have. */
export type R2PutOptions = { [name in HashName]?: Hash } & {
  onlyIf?: ObjectConditions | Headers;
  httpMetadata?: ObjectMetadata | Headers;
  customMetadata?: Record<string, string>;
};

/** Options for listing. */
interface R2ListOptions {
  /** At most 1000, which is the default. */
  limit?: number;
  prefix?: string;
  cursor?: string;
  /** Delimiter after the prefix, by which keys are grouped. */
  delimiter?: string;
  startAfter?: string;
  include?: ("httpMetadata" | "customMetadata")[];
}

/** One page of objects. */
export interface R2Objects {
  objects: R2Object[];
  truncated: boolean;
  cursor?: string;
  delimitedPrefixes: string[];
}

/** Bucket with the platform's API. */
export interface R2BucketDouble {
  head(key: string): Promise<R2Object | null>;
  get(key: string, options?: R2GetOptions): Promise<R2ObjectBody | R2Object | null>;
  put(key: string, value: R2Value, options?: R2PutOptions): Promise<R2Object | null>;
  delete(keys: string | string[]): Promise<void>;
  list(options?: R2ListOptions): Promise<R2Objects>;
  createMultipartUpload(key: string, options?: R2UploadOptions): Promise<R2MultipartUpload>;
  resumeMultipartUpload(key: string, uploadId: string): R2MultipartUpload;
}

const MAX_KEY_BYTES = 1024;
const MAX_KEYS = 1000;
const MAX_METADATA_BYTES = 2048;

/** Options that the platform has and the double does not. */
const MISSING = ["ssecKey", "storageClass"];

/**
 * Creates a bucket in memory.
 *
 * @param options `now`: milliseconds since 1970, the time of uploads; `guard`: called before each
 * use; `binding`: name for errors about what is not emulated; `entries` and `uploads`: where objects
 * and unfinished uploads are stored, by default empty maps.
 * @see https://developers.cloudflare.com/r2/api/workers/workers-api-reference/
 */
export function createR2Bucket(
  options: {
    now: () => number;
    guard?: () => void;
    binding: string;
    entries?: Map<string, R2Entry>;
    uploads?: Map<string, R2Upload>;
  },
): R2BucketDouble {
  const { now, guard, binding, entries = new Map<string, R2Entry>() } = options;
  const place = { now, guard, entries, uploads: options.uploads ?? new Map<string, R2Upload>() };

  /** Refuses options that are not emulated: one that is ignored would be taken for tested. */
  function checkOptions(method: string, given: object, known: readonly string[]): void {
    for (const [name, value] of Object.entries(given)) {
      if (!MISSING.includes(name) || value === undefined || value === "Standard") continue;
      throw new NotEmulatedError(binding, "r2_buckets", `the option ${name}`);
    }
    bucketRules.checkOptions(method, given, known);
  }

  return {
    head: async (given) => {
      guard?.();
      const key = readKey(given, "head");
      const entry = await Promise.resolve(entries.get(key));
      return entry === undefined ? null : toR2Object(entry);
    },
    get: async (name, options) => {
      guard?.();
      const key = readKey(name, "get");
      const given = options ?? {};
      checkOptions("get", given, ["onlyIf", "range"]);
      const conditions = bucketRules.readConditions("get", given.onlyIf);
      const entry = await Promise.resolve(entries.get(key));
      if (entry === undefined) return null;
      return bucketRules.holds(conditions, versionOf(entry))
        ? toR2ObjectBody(entry, given.range)
        : toR2Object(entry);
    },
    put: async (name, value, options) => {
      guard?.();
      const key = readKey(name, "put");
      const { onlyIf, httpMetadata, customMetadata: custom, ...rest } = options ?? {};
      checkOptions("put", rest, bucketRules.hashNames);
      const customMetadata = bucketRules.readCustomMetadata("put", custom);
      checkMetadata("put", customMetadata);
      const conditions = bucketRules.readConditions("put", onlyIf);
      const metadata = bucketRules.readHttpMetadata("put", httpMetadata);
      const expected = bucketRules.readHash(rest);
      const bytes = await toBytes("put", value);
      const sums = Object.fromEntries(
        ["md5" as const, ...(expected === null ? [] : [expected[0]])]
          .map((name) => [name, createHash(name).update(bytes).digest("hex")]),
      ) as { md5: string } & { [name in HashName]?: string };
      if (expected !== null && sums[expected[0]] !== expected[1]) {
        throw bucketRules.wrongHash(expected, sums[expected[0]]!);
      }
      const known = entries.get(key);
      if (onlyIf !== undefined && !bucketRules.holds(conditions, versionOf(known))) return null;
      const entry: R2Entry = {
        key,
        bytes,
        version: crypto.randomUUID().replaceAll("-", ""),
        etag: sums.md5,
        checksums: sums,
        uploaded: new Date(now()),
        httpMetadata: metadata,
        customMetadata,
      };
      entries.set(key, entry);
      return toR2Object(entry);
    },
    delete: async (keys) => {
      guard?.();
      const list = [keys].flat().map(String);
      if (list.length > MAX_KEYS) {
        throw new Error(`delete: List of keys to delete may contain at most ${MAX_KEYS} (10041)`);
      }
      for (const key of list) readKey(key, "delete");
      await Promise.resolve(list.forEach((key) => entries.delete(key)));
    },
    list: async (given) => {
      guard?.();
      return await Promise.resolve(listEntries([...entries.values()], given));
    },
    createMultipartUpload: async (name, options) => {
      guard?.();
      const key = readKey(name, "createMultipartUpload");
      const customMetadata = bucketRules.readCustomMetadata(
        "createMultipartUpload",
        options?.customMetadata,
      );
      const given = { ...options, customMetadata };
      checkMetadata("createMultipartUpload", customMetadata);
      checkOptions("createMultipartUpload", given, ["httpMetadata", "customMetadata"]);
      return await Promise.resolve(beginUpload(place, key, given));
    },
    resumeMultipartUpload: (key, uploadId) => resumeUpload(place, key, uploadId),
  };
}

function versionOf(entry: R2Entry | undefined): { etag: string; uploaded: number } | null {
  return entry === undefined ? null : { etag: entry.etag, uploaded: entry.uploaded.getTime() };
}

function listEntries(entries: R2Entry[], given: R2ListOptions | null | undefined): R2Objects {
  const options = bucketRules.readListOptions(given);
  const { limit, prefix, delimiter, include, startAfter } = options;
  const page = options.cursor ? fromCursor(options.cursor) : undefined;
  const objects: R2Objects["objects"] = [];
  const prefixes = new Set<string>();
  let last: string | undefined;
  let truncated = false;
  for (const entry of entries.toSorted((a, b) => compareKeys(a.key, b.key))) {
    if (!entry.key.startsWith(prefix)) continue;
    if (page !== undefined && compareKeys(entry.key, page) <= 0) continue;
    if (startAfter !== undefined && compareKeys(entry.key, startAfter) <= 0) continue;
    const end = delimiter ? entry.key.indexOf(delimiter, prefix.length) : -1;
    const group = end === -1 ? undefined : entry.key.slice(0, end + delimiter!.length);
    // Skip the rest of a group that the previous page has listed.
    if (group !== undefined && page?.startsWith(group)) continue;
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
  return { objects, truncated, cursor: toCursor(last), delimitedPrefixes };
}

// By their bytes: btoa() has no other letters than those of Latin-1.
const toCursor = (key: string): string => Buffer.from(key).toString("base64url");
const fromCursor = (text: string): string => Buffer.from(text, "base64url").toString();

/** Every key becomes text, as on the platform. */
function readKey(given: string, method: string): string {
  const key = String(given);
  if (new TextEncoder().encode(key).length <= MAX_KEY_BYTES) return key;
  throw new Error(`${method}: The specified object name is not valid. (10020)`);
}

function checkMetadata(method: string, metadata: Record<string, string>): void {
  if (Object.entries(metadata).flat().join("").length <= MAX_METADATA_BYTES) return;
  throw new Error(
    `${method}: Your metadata headers exceed the maximum allowed metadata size. (10012)`,
  );
}
