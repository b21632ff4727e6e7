import type { SqlDatabase } from "@framework/auth/storage";
import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import type { ObjectMetadata, ObjectRange, StoredObject } from "../runtime/bindings.ts";
import { writeHttpMetadata } from "./file_metadata.ts";
import { HASH_NAMES, type HashName, readRange } from "./file_options.ts";

/** Object of a bucket without its content. */
export interface StoredFile extends StoredObject {
  readonly checksums: { readonly [name in HashName]?: ArrayBuffer } & {
    toJSON(): { [name in HashName]?: string };
  };
  readonly storageClass: string;
}

/** Object of a bucket with its content. */
export interface StoredFileBody extends StoredFile {
  readonly body: ReadableStream;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  json<T = unknown>(): Promise<T>;
  blob(): Promise<Blob>;
}

/** Row of an object. */
export interface FileRow {
  key: string;
  version: string;
  size: number;
  etag: string;
  uploaded: number;
  checksums: string;
  // deno-lint-ignore camelcase -- a column
  http_metadata: string;
  // deno-lint-ignore camelcase -- a column
  custom_metadata: string;
}

/** Content that is on the disk, and no object's yet. */
export interface Content {
  version: string;
  size: number;
  hashes: Map<HashName, string>;
}

/** Milliseconds after which a file whose upload was never finished is deleted. */
const ABANDONED = 24 * 3_600_000;

/** Milliseconds for which a file stays that is replaced or deleted, for those who have begun to read it. */
export const GRACE = 10 * 60_000;

/** Path of a file. Its name is 32 hexadecimal digits that the server chose. */
export function pathOf(folder: string, version: string): string {
  return join(folder, version.slice(0, 2), version);
}

/**
 * Deletes content that became no object's. What fails here is done by the sweep.
 *
 * @param place The database, and the folder of all buckets.
 * @param version The content's.
 */
export async function discardContent(
  { database, folder }: { database: SqlDatabase; folder: string },
  version: string,
): Promise<void> {
  try {
    await rm(pathOf(folder, version), { force: true });
    await database.prepare("DELETE FROM framework_garbage WHERE version = ?1").bind(version).run();
  } catch {
    // Its row is there still, and its time comes.
  }
}

/**
 * Writes a new file as its content comes, and waits until it is on the disk. Until it is an object's, it is among those
 * to be deleted; content that ends early is deleted at once.
 *
 * @param place The database, and the folder of all buckets.
 * @param content Bytes.
 * @param hashes Names of the hashes to make.
 */
export async function writeContent(
  { database, folder }: { database: SqlDatabase; folder: string },
  content: AsyncIterable<Uint8Array>,
  hashes: Iterable<HashName>,
): Promise<Content> {
  const version = randomUUID().replaceAll("-", "");
  await database.prepare("INSERT INTO framework_garbage (version, delete_at) VALUES (?1, ?2)")
    .bind(version, Date.now() + ABANDONED).run();
  const path = pathOf(folder, version);
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, "wx");
  const sums = new Map(Array.from(new Set(hashes), (name) => [name, createHash(name)]));
  let size = 0;
  try {
    for await (const part of content) {
      for (const sum of sums.values()) sum.update(part);
      size += part.length;
      // A write may take only a part of it.
      for (let at = 0; at < part.length;) {
        at += (await file.write(part, at, part.length - at)).bytesWritten;
      }
    }
    await file.sync();
  } catch (error) {
    await file.close();
    await discardContent({ database, folder }, version);
    throw error;
  }
  await file.close();
  const digests = Array.from(sums, ([name, sum]) => [name, sum.digest("hex")] as const);
  return { version, size, hashes: new Map(digests) };
}

/**
 * Returns the bytes of a value.
 *
 * @param method Name for the message.
 * @throws {TypeError} For what is no value of a bucket.
 */
export async function* bytesOf(method: string, value: unknown): AsyncIterable<Uint8Array> {
  // A part has to be something, and an object may be nothing.
  const isPut = method === "put";
  const isValue = (isPut && (value === null || value === undefined)) || typeof value === "string" ||
    value instanceof ArrayBuffer || ArrayBuffer.isView(value) || value instanceof Blob ||
    value instanceof ReadableStream;
  if (!isValue) {
    throw new TypeError(
      `Failed to execute '${method}' on '${
        isPut ? "R2Bucket" : "R2MultipartUpload"
      }': parameter 2 is not of type ` +
        "'ReadableStream or ArrayBuffer or ArrayBufferView or string or Blob'.",
    );
  }
  const { body } = new Response(value as BodyInit | null | undefined);
  if (body !== null) yield* body;
}

/** Reads a file from its beginning. */
export function readWhole(folder: string, version: string): AsyncIterable<Uint8Array> {
  return createReadStream(pathOf(folder, version));
}

function parseHttpMetadata(text: string): ObjectMetadata {
  const { cacheExpiry, ...metadata } = JSON.parse(text);
  return cacheExpiry === undefined ? metadata : { ...metadata, cacheExpiry: new Date(cacheExpiry) };
}

/** Describes an object; `shown` selects the metadata that a listing includes. */
export function toFile(
  row: FileRow,
  shown: { http: boolean; custom: boolean } = { http: true, custom: true },
): StoredFile {
  const { key, version, size, etag } = row;
  const httpMetadata = parseHttpMetadata(row.http_metadata);
  const sums = JSON.parse(row.checksums) as { [name in HashName]?: string };
  const given = HASH_NAMES.flatMap((name) => sums[name] === undefined ? [] : [[name, sums[name]]]);
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
      ...Object.fromEntries(
        given.map(([name, hex]) => [name, Uint8Array.from(Buffer.from(hex!, "hex")).buffer]),
      ),
      toJSON: () => Object.fromEntries(given),
    },
    storageClass: "Standard",
    writeHttpMetadata: (headers) => writeHttpMetadata(shown.http ? httpMetadata : {}, headers),
  };
}

/** Describes an object with the part of its content that was asked for. */
export function toFileBody(
  row: FileRow,
  folder: string,
  asked: ObjectRange | Headers | undefined,
): StoredFileBody {
  const range = readRange(asked, row.size);
  const response = new Response(readPart(pathOf(folder, row.version), range));
  return {
    ...toFile(row),
    range,
    body: response.body!,
    get bodyUsed() {
      return response.bodyUsed;
    },
    arrayBuffer: () => response.arrayBuffer(),
    bytes: async () => new Uint8Array(await response.arrayBuffer()),
    text: () => response.text(),
    json: () => response.json(),
    blob: async () =>
      new Blob([await response.arrayBuffer()], {
        type: parseHttpMetadata(row.http_metadata).contentType ?? "",
      }),
  };
}

/** Content of a file, which is opened when it is first read: who wants the metadata alone opens none. */
function readPart(
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
