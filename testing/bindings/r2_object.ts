import type { R2HttpMetadata, R2Object, R2ObjectBody, R2Range } from "./r2_types.ts";

/** What a bucket keeps of an object. */
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

/** Describes an entry; `shown` leaves out what a listing was not asked for. */
export function toR2Object(
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

/** Describes an entry, with the part of its value that was asked for. */
export function toR2ObjectBody(entry: R2Entry, asked: R2Range | undefined): R2ObjectBody {
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

/** The tag of an entry: the hexadecimal MD5 of its value. */
export function etagOf(entry: R2Entry): string {
  return Array.from(entry.md5, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reads metadata that was given as headers. */
export function readHttpMetadata(given: R2HttpMetadata | Headers | undefined): R2HttpMetadata {
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
