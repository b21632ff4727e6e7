import {
  bucketRules,
  type HashName,
  type ObjectMetadata,
  type ObjectRange,
} from "@framework/cli/testing";
import { Buffer } from "node:buffer";

/** Object of a bucket without its value. */
export interface R2Object {
  readonly key: string;
  readonly version: string;
  readonly size: number;
  readonly etag: string;
  readonly httpEtag: string;
  readonly uploaded: Date;
  readonly httpMetadata?: ObjectMetadata;
  readonly customMetadata?: Record<string, string>;
  readonly range?: ObjectRange;
  readonly checksums: { readonly [name in HashName]?: ArrayBuffer } & {
    toJSON(): { [name in HashName]?: string };
  };
  readonly storageClass: string;
  writeHttpMetadata(headers: Headers): void;
}

/** Object of a bucket with its value. */
export interface R2ObjectBody extends R2Object {
  readonly body: ReadableStream;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  json<T = unknown>(): Promise<T>;
  blob(): Promise<Blob>;
}

/** Entry of an object in a bucket. */
export interface R2Entry {
  key: string;
  bytes: Uint8Array<ArrayBuffer>;
  version: string;
  etag: string;
  /** Hexadecimal digits of each hash that the platform stores of it. */
  checksums: { readonly [name in HashName]?: string };
  uploaded: Date;
  httpMetadata: ObjectMetadata;
  customMetadata: Record<string, string>;
}

/** Value that can be stored. */
export type R2Value = string | ArrayBuffer | ArrayBufferView | ReadableStream | Blob | null;

/** Describes an entry; `shown` selects the metadata that a listing includes. */
export function toR2Object(
  entry: R2Entry,
  shown: { http: boolean; custom: boolean } = { http: true, custom: true },
): R2Object {
  const { key, version, etag } = entry;
  const httpMetadata = { ...entry.httpMetadata };
  const sums = bucketRules.hashNames.flatMap((name): [HashName, string][] => {
    const hex = entry.checksums[name];
    return hex === undefined ? [] : [[name, hex]];
  });
  return {
    key,
    version,
    size: entry.bytes.length,
    etag,
    httpEtag: `"${etag}"`,
    uploaded: new Date(entry.uploaded),
    ...(shown.http ? { httpMetadata } : {}),
    ...(shown.custom ? { customMetadata: { ...entry.customMetadata } } : {}),
    checksums: {
      ...Object.fromEntries(
        sums.map(([name, hex]) => [name, Uint8Array.from(Buffer.from(hex, "hex")).buffer]),
      ),
      toJSON: () => Object.fromEntries(sums),
    },
    storageClass: "Standard",
    writeHttpMetadata: (headers) =>
      bucketRules.writeHttpMetadata(shown.http ? httpMetadata : {}, headers),
  };
}

/** Describes an entry with the requested range of its value. */
export function toR2ObjectBody(
  entry: R2Entry,
  asked: ObjectRange | Headers | undefined,
): R2ObjectBody {
  const range = bucketRules.readRange(asked, entry.bytes.length);
  const response = new Response(entry.bytes.slice(range.offset, range.offset + range.length));
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
    bytes: async () => new Uint8Array(await response.arrayBuffer()),
    text: () => response.text(),
    json: () => response.json(),
    blob: async () =>
      new Blob([await response.arrayBuffer()], { type: entry.httpMetadata.contentType ?? "" }),
  };
}

/**
 * Reads a value that is to be stored.
 *
 * @param method Name for the message.
 * @throws {TypeError} For what a bucket cannot store.
 */
export async function toBytes(method: string, value: unknown): Promise<Uint8Array<ArrayBuffer>> {
  // A part has to be something, and an object may be nothing.
  const isPut = method === "put";
  const isValue = (isPut && (value === null || value === undefined)) || typeof value === "string" ||
    VALUES.some((type) => value instanceof type) || ArrayBuffer.isView(value);
  if (!isValue) {
    throw new TypeError(
      `Failed to execute '${method}' on '${
        isPut ? "R2Bucket" : "R2MultipartUpload"
      }': parameter 2 is not of type ` +
        "'ReadableStream or ArrayBuffer or ArrayBufferView or string or Blob'.",
    );
  }
  return new Uint8Array(await new Response(value as BodyInit | null).arrayBuffer());
}

const VALUES = [ArrayBuffer, Blob, ReadableStream];
