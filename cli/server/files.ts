import type { SqlDatabase, SqlStatement } from "@framework/auth/storage";
import { rm } from "node:fs/promises";
import type { ObjectConditions, ObjectMetadata, ObjectRange } from "../runtime/bindings.ts";
import type { ListOptions } from "./file_list_options.ts";
import { type FileList, listFiles } from "./file_listing.ts";
import { readCustomMetadata, readHttpMetadata } from "./file_metadata.ts";
import { checkOptions } from "./file_option_checks.ts";
import {
  type Hash,
  HASH_NAMES,
  type HashName,
  holds,
  readConditions,
  readHash,
  wrongHash,
} from "./file_options.ts";
import {
  createUpload,
  resumeUpload,
  sweepUploads,
  type Upload,
  UPLOAD_TABLES,
  type UploadOptions,
  type UploadPlace,
} from "./file_uploads.ts";
import {
  bytesOf,
  discardContent,
  type FileRow,
  GRACE,
  pathOf,
  type StoredFile,
  type StoredFileBody,
  toFile,
  toFileBody,
  writeContent,
} from "./stored_file.ts";

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
  checksums TEXT NOT NULL,
  uploaded INTEGER NOT NULL,
  http_metadata TEXT NOT NULL,
  custom_metadata TEXT NOT NULL,
  PRIMARY KEY (bucket, key)
);
CREATE TABLE IF NOT EXISTS framework_garbage (
  version TEXT PRIMARY KEY,
  delete_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS framework_garbage_delete_at ON framework_garbage (delete_at);${UPLOAD_TABLES}`;

type PutOptions = { [name in HashName]?: Hash } & {
  onlyIf?: ObjectConditions | Headers;
  httpMetadata?: ObjectMetadata | Headers;
  customMetadata?: Record<string, string>;
};

/** Bucket with the platform's API. */
export interface Bucket {
  head(key: string): Promise<StoredFile | null>;
  get(
    key: string,
    options?: { onlyIf?: ObjectConditions | Headers; range?: ObjectRange | Headers },
  ): Promise<StoredFileBody | StoredFile | null>;
  put(
    key: string,
    value: string | ArrayBuffer | ArrayBufferView | ReadableStream | Blob | null,
    options?: PutOptions,
  ): Promise<StoredFile | null>;
  delete(keys: string | string[]): Promise<void>;
  list(options?: ListOptions): Promise<FileList>;
  createMultipartUpload(key: string, options?: UploadOptions): Promise<Upload>;
  resumeMultipartUpload(key: string, uploadId: string): Upload;
}

const MAX_KEY_BYTES = 1024;
const MAX_KEYS = 1000;
const MAX_METADATA_BYTES = 2048;

/** Keys that are deleted in one transaction, which holds a lock for each. */
const KEYS_AT_ONCE = 100;

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
  const find = (key: string): Promise<FileRow | null> =>
    database.prepare("SELECT * FROM framework_objects WHERE bucket = ?1 AND key = ?2")
      .bind(bucket, key).first<FileRow>();

  /** Begins a transaction that no other one on the key runs beside, where the database has several writers. */
  const lock = (key: string): SqlStatement[] =>
    database.dialect === undefined
      ? []
      : [database.prepare(database.dialect.lockText).bind(`framework_objects ${bucket} ${key}`)];

  /** Puts a row into the place of the one that was read; false when somebody else did meanwhile. */
  async function replace(row: FileRow, known: FileRow | null): Promise<boolean> {
    const now = Date.now();
    const results = await database.batch([
      ...lock(row.key),
      database.prepare(
        "INSERT INTO framework_objects (bucket, key, version, size, etag, checksums, uploaded, http_metadata, " +
          "custom_metadata) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (bucket, key) DO UPDATE SET " +
          "version = ?3, size = ?4, etag = ?5, checksums = ?6, uploaded = ?7, http_metadata = ?8, " +
          "custom_metadata = ?9 WHERE framework_objects.version = ?10",
      ).bind(
        bucket,
        row.key,
        row.version,
        row.size,
        row.etag,
        row.checksums,
        row.uploaded,
        row.http_metadata,
        row.custom_metadata,
        known?.version ?? "",
      ),
      database.prepare(
        "DELETE FROM framework_garbage WHERE version = ?1 AND EXISTS (SELECT 1 FROM framework_objects " +
          "WHERE bucket = ?2 AND key = ?3 AND version = ?1)",
      ).bind(row.version, bucket, row.key),
      database.prepare(
        "INSERT INTO framework_garbage (version, delete_at) SELECT CAST(?2 AS TEXT), CAST(?3 AS BIGINT) " +
          "FROM framework_objects WHERE bucket = ?4 AND key = ?5 AND version = ?1 AND ?2 <> '' ON CONFLICT DO NOTHING",
      ).bind(row.version, known?.version ?? "", now + GRACE, bucket, row.key),
      database.prepare(
        "SELECT version FROM framework_objects WHERE bucket = ?1 AND key = ?2",
      ).bind(bucket, row.key),
    ]);
    return (results.at(-1)!.results[0] as { version: string }).version === row.version;
  }

  const uploads: UploadPlace = {
    ...{ database, folder, bucket },
    async store({ key, content, etag, httpMetadata, customMetadata }) {
      const row: FileRow = {
        ...{ key, etag, checksums: "{}", uploaded: Date.now() },
        ...{ version: content.version, size: content.size },
        ...{ "http_metadata": httpMetadata, "custom_metadata": customMetadata },
      };
      while (!await replace(row, await find(key)));
      return toFile(row);
    },
  };

  return {
    async head(given) {
      const key = readKey(given, "head");
      const row = await find(key);
      return row === null ? null : toFile(row);
    },
    async get(name, given) {
      const key = readKey(name, "get");
      const options = given ?? {};
      checkOptions("get", options, ["onlyIf", "range"]);
      const conditions = readConditions("get", options.onlyIf);
      const row = await find(key);
      if (row === null) return null;
      return holds(conditions, row) ? toFileBody(row, folder, options.range) : toFile(row);
    },
    async put(name, value, options) {
      const key = readKey(name, "put");
      const { onlyIf, httpMetadata, customMetadata: custom, ...rest } = options ?? {};
      checkOptions("put", rest, HASH_NAMES);
      const customMetadata = readCustomMetadata("put", custom);
      checkMetadata("put", customMetadata);
      const conditions = readConditions("put", onlyIf);
      const metadata = readHttpMetadata("put", httpMetadata);
      const expected = readHash(rest);
      const hashName = expected?.[0] ?? "md5";
      const content = await writeContent(uploads, bytesOf("put", value), ["md5", hashName]);
      const hash = content.hashes.get(hashName)!;
      if (expected !== null && hash !== expected[1]) {
        await discardContent(uploads, content.version);
        throw wrongHash(expected, hash);
      }
      const row: FileRow = {
        key,
        version: content.version,
        size: content.size,
        etag: content.hashes.get("md5")!,
        checksums: JSON.stringify(Object.fromEntries(content.hashes)),
        uploaded: Date.now(),
        "http_metadata": JSON.stringify(metadata),
        "custom_metadata": JSON.stringify(customMetadata),
      };
      for (;;) {
        const known = await find(key);
        if (onlyIf !== undefined && !holds(conditions, known)) {
          await discardContent(uploads, content.version);
          return null;
        }
        if (await replace(row, known)) return toFile(row);
      }
    },
    async delete(keys) {
      const list = [keys].flat().map(String);
      if (list.length > MAX_KEYS) {
        throw new Error(`delete: List of keys to delete may contain at most ${MAX_KEYS} (10041)`);
      }
      for (const key of list) readKey(key, "delete");
      // In one order, so that two who delete the same keys do not wait for each other.
      const sorted = list.toSorted();
      for (let at = 0; at < sorted.length; at += KEYS_AT_ONCE) {
        const some = sorted.slice(at, at + KEYS_AT_ONCE);
        await database.batch(some.flatMap((key) => [
          ...lock(key),
          database.prepare(
            "INSERT INTO framework_garbage (version, delete_at) SELECT version, CAST(?1 AS BIGINT) " +
              "FROM framework_objects WHERE bucket = ?2 AND key = ?3 ON CONFLICT DO NOTHING",
          ).bind(Date.now() + GRACE, bucket, key),
          database.prepare("DELETE FROM framework_objects WHERE bucket = ?1 AND key = ?2")
            .bind(bucket, key),
        ]));
      }
    },
    list: (options) => listFiles(database, bucket, options),
    async createMultipartUpload(name, given) {
      const key = readKey(name, "createMultipartUpload");
      const customMetadata = readCustomMetadata("createMultipartUpload", given?.customMetadata);
      checkMetadata("createMultipartUpload", customMetadata);
      return await createUpload(uploads, key, { ...given, customMetadata });
    },
    resumeMultipartUpload: (key, uploadId) => resumeUpload(uploads, key, uploadId),
  };
}

/**
 * Deletes files that no object has any more, at most 500, and uploads that were given up.
 *
 * @param options The database and the folder of all buckets.
 */
export async function sweepFiles(
  { database, folder }: Omit<BucketOptions, "bucket">,
): Promise<void> {
  await sweepUploads(database);
  const { results } = await database.prepare(
    "SELECT version FROM framework_garbage WHERE delete_at <= ?1 ORDER BY delete_at LIMIT 500",
  ).bind(Date.now()).all<{ version: string }>();
  for (const { version } of results) {
    await rm(pathOf(folder, version), { force: true });
    await database.prepare("DELETE FROM framework_garbage WHERE version = ?1").bind(version).run();
  }
}

/** Every key becomes text, as on the platform. */
function readKey(given: string, method: string): string {
  const key = String(given);
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key;
  throw new Error(`${method}: The specified object name is not valid. (10020)`);
}

function checkMetadata(method: string, metadata: Record<string, string>): void {
  if (Object.entries(metadata).flat().join("").length <= MAX_METADATA_BYTES) return;
  throw new Error(
    `${method}: Your metadata headers exceed the maximum allowed metadata size. (10012)`,
  );
}
