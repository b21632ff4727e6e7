import type { SqlDatabase } from "@framework/auth/storage";
import { createHash, randomBytes } from "node:crypto";
import type { ObjectMetadata } from "../runtime/bindings.ts";
import { lockEnd } from "./row_locks.ts";
import { readHttpMetadata } from "./file_metadata.ts";
import { checkOptions } from "./file_option_checks.ts";
import {
  bytesOf,
  type Content,
  GRACE,
  readWhole,
  type StoredFile,
  writeContent,
} from "./stored_file.ts";

/** Tables of uploads in parts. The file of a part is one of `framework_garbage`: what is not completed is deleted. */
export const UPLOAD_TABLES = `
CREATE TABLE IF NOT EXISTS framework_uploads (
  id TEXT PRIMARY KEY,
  bucket TEXT NOT NULL,
  key TEXT NOT NULL,
  created INTEGER NOT NULL,
  http_metadata TEXT NOT NULL,
  custom_metadata TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS framework_parts (
  upload TEXT NOT NULL,
  number INTEGER NOT NULL,
  version TEXT NOT NULL,
  size INTEGER NOT NULL,
  etag TEXT NOT NULL,
  PRIMARY KEY (upload, number)
);`;

/** Milliseconds after which an upload that was not completed is given up, as on R2. */
const LIFETIME = 7 * 24 * 3_600_000;

const MIN_PART_BYTES = 5 * 1024 * 1024;
const MAX_PARTS = 10_000;

/** Metadata of an upload. */
export interface UploadOptions {
  httpMetadata?: ObjectMetadata | Headers;
  customMetadata?: Record<string, string>;
}

/** A part that has been uploaded. */
interface UploadedPart {
  partNumber: number;
  etag: string;
}

/** Upload in parts, with the platform's API. */
export interface Upload {
  readonly key: string;
  readonly uploadId: string;
  uploadPart(partNumber: number, value: unknown, options?: object): Promise<UploadedPart>;
  abort(): Promise<void>;
  complete(parts: UploadedPart[]): Promise<StoredFile>;
}

/** Parts of its bucket that an upload needs. */
export interface UploadPlace {
  database: SqlDatabase;
  /** Absolute path of the folder of all buckets. */
  folder: string;
  /** Name of the bucket. */
  bucket: string;
  /** Makes an object of content. */
  store(object: {
    key: string;
    content: Content;
    etag: string;
    httpMetadata: string;
    customMetadata: string;
  }): Promise<StoredFile>;
}

interface Row {
  // deno-lint-ignore camelcase -- a column
  http_metadata: string;
  // deno-lint-ignore camelcase -- a column
  custom_metadata: string;
}

interface PartRow {
  number: number;
  version: string;
  size: number;
  etag: string;
}

/**
 * Begins an upload in parts.
 *
 * @param place The bucket's.
 * @param key Key of the object.
 * @param options Metadata of the object.
 */
export async function createUpload(
  place: UploadPlace,
  key: string,
  { httpMetadata, customMetadata = {}, ...rest }: UploadOptions,
): Promise<Upload> {
  checkOptions("createMultipartUpload", rest, []);
  const id = randomBytes(32).toString("base64url");
  const metadata = JSON.stringify(readHttpMetadata("createMultipartUpload", httpMetadata));
  await place.database.prepare(
    "INSERT INTO framework_uploads (id, bucket, key, created, http_metadata, custom_metadata) " +
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
  ).bind(id, place.bucket, key, Date.now(), metadata, JSON.stringify(customMetadata)).run();
  return resumeUpload(place, key, id);
}

/**
 * Opens an upload; that it exists is found out when it is used.
 *
 * @param place The bucket's.
 * @param key Key of the object.
 * @param uploadId The upload's.
 */
export function resumeUpload(place: UploadPlace, key: string, uploadId: string): Upload {
  const { database, folder, bucket, store } = place;

  async function find(method: string): Promise<Row> {
    const row = await database.prepare(
      "SELECT http_metadata, custom_metadata FROM framework_uploads " +
        "WHERE id = ?1 AND bucket = ?2 AND key = ?3 AND created > ?4",
    ).bind(uploadId, bucket, key, Date.now() - LIFETIME).first<Row>();
    if (row !== null) return row;
    throw new Error(`${method}: The specified multipart upload does not exist. (10024)`);
  }

  /** Deletes the upload, if there is one still; its files follow. */
  async function remove(): Promise<void> {
    await database.batch([
      database.prepare("DELETE FROM framework_uploads WHERE id = ?1 AND bucket = ?2 AND key = ?3")
        .bind(uploadId, bucket, key),
      // That of another key is there still.
      database.prepare(
        "UPDATE framework_garbage SET delete_at = ?1 WHERE version IN " +
          "(SELECT version FROM framework_parts WHERE upload = ?2) " +
          "AND NOT EXISTS (SELECT 1 FROM framework_uploads WHERE id = ?2)",
      ).bind(Date.now() + GRACE, uploadId),
      database.prepare(
        "DELETE FROM framework_parts WHERE upload = ?1 " +
          "AND NOT EXISTS (SELECT 1 FROM framework_uploads WHERE id = ?1)",
      ).bind(uploadId),
    ]);
  }

  return {
    key,
    uploadId,
    async uploadPart(partNumber, value, options = {}) {
      checkOptions("uploadPart", options, []);
      if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > MAX_PARTS) {
        throw new TypeError(
          `Part number must be between 1 and ${MAX_PARTS} (inclusive). Actual value was: ${partNumber}`,
        );
      }
      await find("uploadPart");
      const content = await writeContent(place, bytesOf("uploadPart", value), ["md5"]);
      const etag = content.hashes.get("md5")!;
      // The upload may have been aborted meanwhile: then nothing is written here, and the file is deleted.
      await database.batch([
        database.prepare(
          "UPDATE framework_garbage SET delete_at = ?1 WHERE version IN " +
            "(SELECT version FROM framework_parts WHERE upload = ?2 AND number = ?3)",
        ).bind(Date.now() + GRACE, uploadId, partNumber),
        database.prepare("UPDATE framework_garbage SET delete_at = ?1 WHERE version = ?2")
          .bind(Date.now() + LIFETIME, content.version),
        database.prepare(
          "INSERT INTO framework_parts (upload, number, version, size, etag) " +
            "SELECT id, CAST(?2 AS BIGINT), ?3, CAST(?4 AS BIGINT), ?5 FROM framework_uploads WHERE id = ?1" +
            `${lockEnd(database)} ` +
            "ON CONFLICT (upload, number) DO UPDATE SET version = ?3, size = ?4, etag = ?5",
        ).bind(uploadId, partNumber, content.version, content.size, etag),
      ]);
      await find("uploadPart");
      return { partNumber, etag };
    },
    abort: remove,
    async complete(parts) {
      const upload = await find("completeMultipartUpload");
      const { results } = await database.prepare(
        "SELECT number, version, size, etag FROM framework_parts WHERE upload = ?1",
      ).bind(uploadId).all<PartRow>();
      const chosen = choose(parts, results);
      const whole = async function* (): AsyncIterable<Uint8Array> {
        for (const { version } of chosen) yield* readWhole(folder, version);
      };
      const content = await writeContent(place, whole(), []);
      const sum = createHash("md5");
      for (const { etag } of chosen) sum.update(etag, "hex");
      const file = await store({
        key,
        content,
        etag: `${sum.digest("hex")}-${chosen.length}`,
        httpMetadata: upload.http_metadata,
        customMetadata: upload.custom_metadata,
      });
      await remove();
      return file;
    },
  };
}

/** Returns the parts of an object in their order. */
function choose(asked: UploadedPart[], known: PartRow[]): PartRow[] {
  const fail = (message: string): never => {
    throw new Error(`completeMultipartUpload: ${message}`);
  };
  if (new Set(asked.map(({ partNumber }) => partNumber)).size < asked.length) {
    fail("A part is named twice.");
  }
  const byNumber = new Map(known.map((part) => [Number(part.number), part]));
  const chosen = asked.toSorted((a, b) => a.partNumber - b.partNumber).map((part) => {
    const row = byNumber.get(part.partNumber);
    if (row !== undefined && row.etag === part.etag) return row;
    return fail("One or more of the specified parts could not be found. (10025)");
  });
  const before = chosen.slice(0, -1);
  if (before.some(({ size }) => size < MIN_PART_BYTES)) {
    fail("Your proposed upload is smaller than the minimum allowed object size. (10011)");
  }
  const size = before[0]?.size;
  const last = chosen.at(-1)?.size ?? 0;
  if (size !== undefined && (last > size || before.some((part) => part.size !== size))) {
    fail("There was a problem with the multipart upload. (10048)");
  }
  return chosen;
}

/**
 * Deletes uploads that were not completed in time; their files are deleted as garbage.
 *
 * @param database The database of the server.
 */
export async function sweepUploads(database: SqlDatabase): Promise<void> {
  const old = "SELECT id FROM framework_uploads WHERE created <= ?1";
  const before = Date.now() - LIFETIME;
  await database.batch([
    database.prepare(`DELETE FROM framework_parts WHERE upload IN (${old})`).bind(before),
    database.prepare("DELETE FROM framework_uploads WHERE created <= ?1").bind(before),
  ]);
}
