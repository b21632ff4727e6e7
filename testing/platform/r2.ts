import { createHash } from "node:crypto";
import { NotEmulatedError } from "../errors.ts";
import { compareKeys } from "./key_order.ts";

/** HTTP metadata of an object for downloads. */
interface R2HttpMetadata {
  contentType?: string;
  contentLanguage?: string;
  contentDisposition?: string;
  contentEncoding?: string;
  cacheControl?: string;
  cacheExpiry?: Date;
}

/** Conditions of a read or write, with the semantics of HTTP's conditional headers. */
interface R2Conditional {
  etagMatches?: string;
  etagDoesNotMatch?: string;
  uploadedBefore?: Date;
  uploadedAfter?: Date;
}

/** Range of a read. */
interface R2Range {
  offset?: number;
  length?: number;
  /** Number of bytes from the end. */
  suffix?: number;
}

/** Options for reading. */
export interface R2GetOptions {
  onlyIf?: R2Conditional;
  range?: R2Range;
}

/** Options for writing. */
export interface R2PutOptions {
  onlyIf?: R2Conditional;
  httpMetadata?: R2HttpMetadata | Headers;
  customMetadata?: Record<string, string>;
  /** Expected MD5 of the value, as hexadecimal text or bytes. */
  md5?: string | ArrayBuffer | ArrayBufferView;
}

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

/** Value that can be stored. */
type R2Value = string | ArrayBuffer | ArrayBufferView | ReadableStream | Blob | null;

/** An object without its value. */
export interface R2Object {
  readonly key: string;
  readonly version: string;
  readonly size: number;
  readonly etag: string;
  readonly httpEtag: string;
  readonly uploaded: Date;
  readonly httpMetadata?: R2HttpMetadata;
  readonly customMetadata?: Record<string, string>;
  readonly range?: R2Range;
  readonly checksums: { md5?: ArrayBuffer; toJSON(): { md5?: string } };
  readonly storageClass: string;
  writeHttpMetadata(headers: Headers): void;
}

/** An object with its value. */
export interface R2ObjectBody extends R2Object {
  readonly body: ReadableStream;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  text(): Promise<string>;
  json<T = unknown>(): Promise<T>;
  blob(): Promise<Blob>;
}

/** One page of objects. */
export interface R2Objects {
  objects: R2Object[];
  truncated: boolean;
  cursor?: string;
  delimitedPrefixes: string[];
}

/** Bucket with the platform's API, without multipart uploads. */
export interface R2BucketDouble {
  head(key: string): Promise<R2Object | null>;
  get(key: string, options?: R2GetOptions): Promise<R2ObjectBody | R2Object | null>;
  put(key: string, value: R2Value, options?: R2PutOptions): Promise<R2Object | null>;
  delete(keys: string | string[]): Promise<void>;
  list(options?: R2ListOptions): Promise<R2Objects>;
  createMultipartUpload(key: string): never;
  resumeMultipartUpload(key: string, uploadId: string): never;
}

/** Entry of an object in a bucket. */
export interface R2Entry {
  key: string;
  bytes: Uint8Array<ArrayBuffer>;
  version: string;
  md5: Uint8Array<ArrayBuffer>;
  uploaded: Date;
  httpMetadata: R2HttpMetadata;
  customMetadata: Record<string, string>;
}

const HEADERS: [keyof R2HttpMetadata, string][] = [
  ["contentType", "content-type"],
  ["contentLanguage", "content-language"],
  ["contentDisposition", "content-disposition"],
  ["contentEncoding", "content-encoding"],
  ["cacheControl", "cache-control"],
  ["cacheExpiry", "expires"],
];

/** Describes an entry; `shown` selects the metadata that a listing includes. */
function toR2Object(
  entry: R2Entry,
  shown: { http: boolean; custom: boolean } = { http: true, custom: true },
): R2Object {
  const etag = etagOf(entry);
  const httpMetadata = { ...entry.httpMetadata };
  return {
    key: entry.key,
    version: entry.version,
    size: entry.bytes.length,
    etag,
    httpEtag: `"${etag}"`,
    uploaded: new Date(entry.uploaded),
    ...(shown.http ? { httpMetadata } : {}),
    ...(shown.custom ? { customMetadata: { ...entry.customMetadata } } : {}),
    checksums: { md5: entry.md5.slice().buffer, toJSON: () => ({ md5: etag }) },
    storageClass: "Standard",
    writeHttpMetadata(headers) {
      for (const [name, header] of HEADERS) {
        const value = httpMetadata[name];
        if (value !== undefined) {
          headers.set(header, value instanceof Date ? value.toUTCString() : value);
        }
      }
    },
  };
}

/** Describes an entry with the requested range of its value. */
function toR2ObjectBody(entry: R2Entry, asked: R2Range | undefined): R2ObjectBody {
  const range = resolveRange(asked, entry.bytes.length);
  const response = new Response(
    entry.bytes.slice(range.offset, range.offset + range.length),
  );
  // `body` of an empty response is null in some runtimes.
  const body = response.body ?? new Blob([]).stream();
  return {
    ...toR2Object(entry),
    range,
    body,
    get bodyUsed() {
      return response.bodyUsed;
    },
    arrayBuffer: () => response.arrayBuffer(),
    text: () => response.text(),
    json: () => response.json(),
    blob: async () =>
      new Blob([await response.arrayBuffer()], { type: entry.httpMetadata.contentType ?? "" }),
  };
}

/** Returns the ETag of an entry: the hexadecimal MD5 of its value. */
function etagOf(entry: R2Entry): string {
  return Array.from(entry.md5, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reads metadata that was given as headers. */
function readHttpMetadata(given: R2HttpMetadata | Headers | undefined): R2HttpMetadata {
  if (!(given instanceof Headers)) return { ...given };
  const metadata: Record<string, unknown> = {};
  for (const [name, header] of HEADERS) {
    const value = given.get(header);
    if (value !== null) metadata[name] = name === "cacheExpiry" ? new Date(value) : value;
  }
  return metadata as R2HttpMetadata;
}

function resolveRange(
  asked: R2Range | undefined,
  size: number,
): { offset: number; length: number } {
  if (asked?.suffix !== undefined) {
    const length = Math.min(asked.suffix, size);
    return { offset: size - length, length };
  }
  const offset = asked?.offset ?? 0;
  const outside = offset < 0 || (offset > 0 && offset >= size);
  if (outside || (asked?.length !== undefined && asked.length <= 0)) {
    throw new Error("get: The requested range is not satisfiable (10039)");
  }
  return { offset, length: Math.min(asked?.length ?? size, size - offset) };
}

const MAX_KEY_BYTES = 1024;
const MAX_KEYS = 1000;
const MAX_METADATA_BYTES = 2048;

/**
 * Creates a bucket in memory.
 *
 * @param options `now`: milliseconds since 1970, the time of uploads; `guard`: called before each
 * use; `binding`: name for errors about what is not emulated; `entries`: where objects are stored, by
 * default an empty map.
 * @see https://developers.cloudflare.com/r2/api/workers/workers-api-reference/
 */
export function createR2Bucket(
  options: {
    now: () => number;
    guard?: () => void;
    binding: string;
    entries?: Map<string, R2Entry>;
  },
): R2BucketDouble {
  const { now, guard, binding, entries = new Map<string, R2Entry>() } = options;
  const refuse = () => {
    throw new NotEmulatedError(binding, "r2_buckets", "multipart uploads");
  };
  /** Refuses what is not emulated: an option that is ignored would be taken for tested. */
  function checkOptions(given: R2GetOptions | R2PutOptions, known: readonly string[]): void {
    for (const [name, value] of Object.entries(given)) {
      if (value instanceof Headers && name !== "httpMetadata") {
        throw new NotEmulatedError(binding, "r2_buckets", `${name} from headers`);
      }
      if (known.includes(name) || value === undefined || value === "Standard") continue;
      throw new NotEmulatedError(binding, "r2_buckets", `the option ${name}`);
    }
  }

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
      checkOptions(given, ["onlyIf", "range"]);
      const entry = await Promise.resolve(entries.get(key));
      if (entry === undefined) return null;
      return holds(given.onlyIf, entry) ? toR2ObjectBody(entry, given.range) : toR2Object(entry);
    },
    put: async (key, value, given = {}) => {
      guard?.();
      checkKey(key, "put");
      checkOptions(given, ["onlyIf", "httpMetadata", "customMetadata", "md5"]);
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
    // Skip the rest of a group that the previous page has listed.
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

/**
 * Returns true when a condition holds; without an object, only conditions that require its absence
 * hold.
 */
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
