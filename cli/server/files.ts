import type { SqlDatabase, SqlValue } from "@framework/auth/storage";
import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";

/**
 * Tables of the buckets. The content of an object is a file whose name is random, so that no key is ever a part of a
 * path; the files of `framework_garbage` are to be deleted.
 */
export const FILE_TABLES = `
CREATE TABLE IF NOT EXISTS framework_objects (
  bucket TEXT NOT NULL,
  key TEXT NOT NULL,
  version TEXT NOT NULL,
  size INTEGER NOT NULL,
  etag TEXT NOT NULL,
  uploaded INTEGER NOT NULL,
  http_metadata TEXT NOT NULL,
  custom_metadata TEXT NOT NULL,
  PRIMARY KEY (bucket, key)
);
CREATE TABLE IF NOT EXISTS framework_garbage (
  version TEXT PRIMARY KEY,
  delete_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS framework_garbage_delete_at ON framework_garbage (delete_at);`;

interface HttpMetadata {
  contentType?: string;
  contentLanguage?: string;
  contentDisposition?: string;
  contentEncoding?: string;
  cacheControl?: string;
  cacheExpiry?: Date;
}

interface Conditional {
  etagMatches?: string;
  etagDoesNotMatch?: string;
  uploadedBefore?: Date;
  uploadedAfter?: Date;
}

interface Range {
  offset?: number;
  length?: number;
  suffix?: number;
}

interface PutOptions {
  onlyIf?: Conditional;
  httpMetadata?: HttpMetadata | Headers;
  customMetadata?: Record<string, string>;
  md5?: string | ArrayBuffer | ArrayBufferView;
}

interface ListOptions {
  limit?: number;
  prefix?: string;
  cursor?: string;
  delimiter?: string;
  startAfter?: string;
  include?: ("httpMetadata" | "customMetadata")[];
}

interface StoredFile {
  readonly key: string;
  readonly version: string;
  readonly size: number;
  readonly etag: string;
  readonly httpEtag: string;
  readonly uploaded: Date;
  readonly httpMetadata?: HttpMetadata;
  readonly customMetadata?: Record<string, string>;
  readonly range?: Range;
  readonly checksums: { md5?: ArrayBuffer; toJSON(): { md5?: string } };
  readonly storageClass: string;
  writeHttpMetadata(headers: Headers): void;
}

interface StoredFileBody extends StoredFile {
  readonly body: ReadableStream;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  text(): Promise<string>;
  json<T = unknown>(): Promise<T>;
  blob(): Promise<Blob>;
}

/** Bucket with the platform's API, without multipart uploads. */
interface Bucket {
  head(key: string): Promise<StoredFile | null>;
  get(
    key: string,
    options?: { onlyIf?: Conditional; range?: Range },
  ): Promise<StoredFileBody | StoredFile | null>;
  put(
    key: string,
    value: string | ArrayBuffer | ArrayBufferView | ReadableStream | Blob | null,
    options?: PutOptions,
  ): Promise<StoredFile | null>;
  delete(keys: string | string[]): Promise<void>;
  list(options?: ListOptions): Promise<{
    objects: StoredFile[];
    truncated: boolean;
    cursor?: string;
    delimitedPrefixes: string[];
  }>;
  createMultipartUpload(key: string): never;
  resumeMultipartUpload(key: string, uploadId: string): never;
}

/** Row of an object. */
interface Row {
  key: string;
  version: string;
  size: number;
  etag: string;
  uploaded: number;
  // deno-lint-ignore camelcase -- a column
  http_metadata: string;
  // deno-lint-ignore camelcase -- a column
  custom_metadata: string;
}

const MAX_KEY_BYTES = 1024;
const MAX_KEYS = 1000;
const MAX_METADATA_BYTES = 2048;

/** Milliseconds for which the file of a replaced object stays, for those who have begun to read it. */
const GRACE = 10 * 60_000;

/** Milliseconds after which a file whose upload was never finished is deleted. */
const ABANDONED = 24 * 3_600_000;

/** The last character there is, behind every key that begins with a prefix. */
const LAST = "\u{10ffff}";

/** A bucket and its place. */
export interface BucketOptions {
  database: SqlDatabase;
  /** Absolute path of the folder of all buckets. */
  folder: string;
  /** Name of the bucket. */
  bucket: string;
}

/**
 * Creates a bucket whose objects are files.
 *
 * @see https://developers.cloudflare.com/r2/api/workers/workers-api-reference/
 */
export function createBucket({ database, folder, bucket }: BucketOptions): Bucket {
  const find = (key: string): Promise<Row | null> =>
    database.prepare("SELECT * FROM framework_objects WHERE bucket = ?1 AND key = ?2")
      .bind(bucket, key).first<Row>();

  /** Puts a row into the place of the one that was read; false when somebody else did meanwhile. */
  async function replace(row: Row, known: Row | null): Promise<boolean> {
    const now = Date.now();
    const results = await database.batch([
      database.prepare(
        "INSERT INTO framework_objects (bucket, key, version, size, etag, uploaded, http_metadata, custom_metadata) " +
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (bucket, key) DO UPDATE SET version = ?3, size = ?4, " +
          "etag = ?5, uploaded = ?6, http_metadata = ?7, custom_metadata = ?8 WHERE version = ?9",
      ).bind(
        bucket,
        row.key,
        row.version,
        row.size,
        row.etag,
        row.uploaded,
        row.http_metadata,
        row.custom_metadata,
        known?.version ?? "",
      ),
      database.prepare(
        "DELETE FROM framework_garbage WHERE version IN (SELECT version FROM framework_objects WHERE version = ?1)",
      ).bind(row.version),
      database.prepare(
        "INSERT INTO framework_garbage (version, delete_at) SELECT ?2, ?3 FROM framework_objects " +
          "WHERE bucket = ?4 AND key = ?5 AND version = ?1 AND ?2 <> '' ON CONFLICT DO NOTHING",
      ).bind(row.version, known?.version ?? "", now + GRACE, bucket, row.key),
      database.prepare(
        "SELECT version FROM framework_objects WHERE bucket = ?1 AND key = ?2",
      ).bind(bucket, row.key),
    ]);
    return (results[3]!.results[0] as { version: string }).version === row.version;
  }

  const refuse = (): never => {
    throw new Error("Multipart uploads are not supported on a server: put() takes a stream.");
  };

  return {
    async head(key) {
      checkKey(key, "head");
      const row = await find(key);
      return row === null ? null : toFile(row);
    },
    async get(key, options = {}) {
      checkKey(key, "get");
      const row = await find(key);
      if (row === null) return null;
      return holds(options.onlyIf, row) ? toFileBody(row, folder, options.range) : toFile(row);
    },
    async put(key, value, options = {}) {
      checkKey(key, "put");
      const customMetadata = options.customMetadata ?? {};
      checkMetadata(customMetadata);
      const version = randomUUID().replaceAll("-", "");
      await database.prepare("INSERT INTO framework_garbage (version, delete_at) VALUES (?1, ?2)")
        .bind(version, Date.now() + ABANDONED).run();
      const { size, etag } = await writeFile(pathOf(folder, version), value);
      if (options.md5 !== undefined && toHex(options.md5) !== etag) {
        throw new Error(
          "put: The MD5 checksum you specified did not match what we received.\n" +
            `You provided a MD5 checksum with value: ${toHex(options.md5)}\n` +
            `Actual MD5 was: ${etag} (10037)`,
        );
      }
      const row: Row = {
        key,
        version,
        size,
        etag,
        uploaded: Date.now(),
        "http_metadata": JSON.stringify(readHttpMetadata(options.httpMetadata)),
        "custom_metadata": JSON.stringify(customMetadata),
      };
      for (;;) {
        const known = await find(key);
        if (options.onlyIf !== undefined && !holds(options.onlyIf, known)) return null;
        if (await replace(row, known)) return toFile(row);
      }
    },
    async delete(keys) {
      const list = [keys].flat();
      if (list.length > MAX_KEYS) {
        throw new Error(`delete: List of keys to delete may contain at most ${MAX_KEYS} (10041)`);
      }
      for (const key of list) checkKey(key, "delete");
      if (list.length === 0) return;
      await database.batch(list.flatMap((key) => [
        database.prepare(
          "INSERT INTO framework_garbage (version, delete_at) SELECT version, ?1 FROM framework_objects " +
            "WHERE bucket = ?2 AND key = ?3 ON CONFLICT DO NOTHING",
        ).bind(Date.now() + GRACE, bucket, key),
        database.prepare("DELETE FROM framework_objects WHERE bucket = ?1 AND key = ?2")
          .bind(bucket, key),
      ]));
    },
    list: (options = {}) => listFiles(database, bucket, options),
    createMultipartUpload: refuse,
    resumeMultipartUpload: refuse,
  };
}

/**
 * Deletes files that no object has any more, at most 500.
 *
 * @param options The database and the folder of all buckets.
 */
export async function sweepFiles(
  { database, folder }: Omit<BucketOptions, "bucket">,
): Promise<void> {
  const { results } = await database.prepare(
    "SELECT version FROM framework_garbage WHERE delete_at <= ?1 ORDER BY delete_at LIMIT 500",
  ).bind(Date.now()).all<{ version: string }>();
  for (const { version } of results) {
    await rm(pathOf(folder, version), { force: true });
    await database.prepare("DELETE FROM framework_garbage WHERE version = ?1").bind(version).run();
  }
}

/** Path of a file. Its name is 32 hexadecimal digits that the server chose. */
function pathOf(folder: string, version: string): string {
  return join(folder, version.slice(0, 2), version);
}

/** Writes a file as its content comes, and waits until it is on the disk. */
async function writeFile(
  path: string,
  value: unknown,
): Promise<{ size: number; etag: string }> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, "wx");
  const sum = createHash("md5");
  let size = 0;
  try {
    const { body } = new Response(value as BodyInit | null);
    for await (const part of body ?? []) {
      sum.update(part);
      size += part.length;
      // A write may take only a part of it.
      for (let at = 0; at < part.length;) {
        at += (await file.write(part, at, part.length - at)).bytesWritten;
      }
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { size, etag: sum.digest("hex") };
}

const HEADERS: [keyof HttpMetadata, string][] = [
  ["contentType", "content-type"],
  ["contentLanguage", "content-language"],
  ["contentDisposition", "content-disposition"],
  ["contentEncoding", "content-encoding"],
  ["cacheControl", "cache-control"],
  ["cacheExpiry", "expires"],
];

function readHttpMetadata(given: HttpMetadata | Headers | undefined): HttpMetadata {
  if (!(given instanceof Headers)) return { ...given };
  const metadata: Record<string, unknown> = {};
  for (const [name, header] of HEADERS) {
    const value = given.get(header);
    if (value !== null) metadata[name] = name === "cacheExpiry" ? new Date(value) : value;
  }
  return metadata as HttpMetadata;
}

function parseHttpMetadata(text: string): HttpMetadata {
  const { cacheExpiry, ...metadata } = JSON.parse(text);
  return cacheExpiry === undefined ? metadata : { ...metadata, cacheExpiry: new Date(cacheExpiry) };
}

/** Describes an object; `shown` selects the metadata that a listing includes. */
function toFile(
  row: Row,
  shown: { http: boolean; custom: boolean } = { http: true, custom: true },
): StoredFile {
  const { key, version, size, etag } = row;
  const httpMetadata = parseHttpMetadata(row.http_metadata);
  return {
    key,
    version,
    size,
    etag,
    httpEtag: `"${etag}"`,
    uploaded: new Date(row.uploaded),
    ...(shown.http ? { httpMetadata } : {}),
    ...(shown.custom ? { customMetadata: JSON.parse(row.custom_metadata) } : {}),
    checksums: {
      md5: Uint8Array.from(Buffer.from(etag, "hex")).buffer,
      toJSON: () => ({ md5: etag }),
    },
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

function toFileBody(row: Row, folder: string, asked: Range | undefined): StoredFileBody {
  const range = resolveRange(asked, row.size);
  const response = new Response(readFile(pathOf(folder, row.version), range));
  return {
    ...toFile(row),
    range,
    body: response.body!,
    get bodyUsed() {
      return response.bodyUsed;
    },
    arrayBuffer: () => response.arrayBuffer(),
    text: () => response.text(),
    json: () => response.json(),
    blob: async () =>
      new Blob([await response.arrayBuffer()], {
        type: parseHttpMetadata(row.http_metadata).contentType ?? "",
      }),
  };
}

/** Content of a file, which is opened when it is first read: who wants the metadata alone opens none. */
function readFile(
  path: string,
  { offset, length }: { offset: number; length: number },
): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return new ReadableStream({
    async pull(controller) {
      if (length === 0) return controller.close();
      if (reader === undefined) {
        const file = createReadStream(path, { start: offset, end: offset + length - 1 });
        reader = (Readable.toWeb(file) as ReadableStream<Uint8Array>).getReader();
      }
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader?.cancel(reason),
  }, { highWaterMark: 0 });
}

function resolveRange(asked: Range | undefined, size: number): { offset: number; length: number } {
  if (asked?.suffix !== undefined) {
    const length = Math.min(asked.suffix, size);
    return { offset: size - length, length };
  }
  const offset = asked?.offset ?? 0;
  const isOutside = offset < 0 || (offset > 0 && offset >= size);
  if (isOutside || (asked?.length !== undefined && asked.length <= 0)) {
    throw new Error("get: The requested range is not satisfiable (10039)");
  }
  return { offset, length: Math.min(asked?.length ?? size, size - offset) };
}

/** Returns true when a condition holds; without an object, only conditions that require its absence hold. */
function holds(condition: Conditional | undefined, row: Row | null): boolean {
  const { etagMatches, etagDoesNotMatch, uploadedBefore, uploadedAfter } = condition ?? {};
  if (row === null) return etagMatches === undefined && uploadedAfter === undefined;
  const isNamed = (list: string): boolean =>
    list === "*" || list.split(",").some((tag) => tag.trim() === row.etag);
  if (etagMatches !== undefined && !isNamed(etagMatches)) return false;
  if (etagDoesNotMatch !== undefined && isNamed(etagDoesNotMatch)) return false;
  if (uploadedBefore !== undefined && !(row.uploaded < uploadedBefore.getTime())) return false;
  return uploadedAfter === undefined || row.uploaded > uploadedAfter.getTime();
}

async function listFiles(
  database: SqlDatabase,
  bucket: string,
  { limit = MAX_KEYS, prefix = "", cursor, delimiter, startAfter, include = [] }: ListOptions,
): ReturnType<Bucket["list"]> {
  if (limit < 1 || limit > MAX_KEYS) {
    throw new Error("list: MaxKeys params must be positive integer <= 1000. (10022)");
  }
  const shown = {
    http: include.includes("httpMetadata"),
    custom: include.includes("customMetadata"),
  };
  const objects: StoredFile[] = [];
  const prefixes: string[] = [];
  let after = cursor ? Buffer.from(cursor, "base64").toString() : startAfter ?? "";
  for (;;) {
    const values: SqlValue[] = [bucket, prefix, prefix + LAST, after, limit + 1];
    const { results } = await database.prepare(
      "SELECT * FROM framework_objects WHERE bucket = ?1 AND key >= ?2 AND key < ?3 AND key > ?4 ORDER BY key LIMIT ?5",
    ).bind(...values).all<Row>();
    let isGroup = false;
    for (const row of results) {
      if (objects.length + prefixes.length === limit) {
        const next = Buffer.from(after).toString("base64");
        return { objects, truncated: true, cursor: next, delimitedPrefixes: prefixes };
      }
      const end = delimiter ? row.key.indexOf(delimiter, prefix.length) : -1;
      isGroup = end !== -1;
      if (isGroup) {
        const group = row.key.slice(0, end + delimiter!.length);
        prefixes.push(group);
        // The rest of the group is passed over by the next statement.
        after = group + LAST;
        break;
      }
      objects.push(toFile(row, shown));
      after = row.key;
    }
    if (!isGroup && results.length <= limit) {
      return { objects, truncated: false, delimitedPrefixes: prefixes };
    }
  }
}

function checkKey(key: string, method: string): void {
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return;
  throw new Error(`${method}: The specified object name is not valid. (10020)`);
}

function checkMetadata(metadata: Record<string, string>): void {
  if (Object.entries(metadata).flat().join("").length <= MAX_METADATA_BYTES) return;
  throw new Error("put: Your metadata headers exceed the maximum allowed metadata size. (10012)");
}

function toHex(sum: string | ArrayBuffer | ArrayBufferView): string {
  if (typeof sum === "string") return sum.toLowerCase();
  const bytes = sum instanceof ArrayBuffer
    ? new Uint8Array(sum)
    : new Uint8Array(sum.buffer, sum.byteOffset, sum.byteLength);
  return Buffer.from(bytes).toString("hex");
}
