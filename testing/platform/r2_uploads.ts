import { bucketRules, type ObjectMetadata } from "@framework/cli/testing";
import { createHash, randomBytes } from "node:crypto";
import { type R2Entry, type R2Object, type R2Value, toBytes, toR2Object } from "./r2_object.ts";

/** Metadata of an upload in parts. */
export interface R2UploadOptions {
  httpMetadata?: ObjectMetadata | Headers;
  customMetadata?: Record<string, string>;
}

/** Part of an upload, as `complete` is given it. */
export interface R2UploadedPart {
  partNumber: number;
  etag: string;
}

/** Upload in parts, with the platform's API. */
export interface R2MultipartUpload {
  readonly key: string;
  readonly uploadId: string;
  uploadPart(partNumber: number, value: R2Value, options?: object): Promise<R2UploadedPart>;
  abort(): Promise<void>;
  complete(parts: R2UploadedPart[]): Promise<R2Object>;
}

/** Upload that has begun; it is replaced, and never changed. */
export interface R2Upload {
  key: string;
  /** Time at which it began. */
  begun: Date;
  state: "open" | "completed" | "aborted";
  httpMetadata: ObjectMetadata;
  customMetadata: Record<string, string>;
  parts: ReadonlyMap<number, { bytes: Uint8Array<ArrayBuffer>; md5: string; etag: string }>;
}

/** Parts of a bucket that its uploads need. */
interface UploadPlace {
  now(): number;
  guard?: (() => void) | undefined;
  uploads: Map<string, R2Upload>;
  entries: Map<string, R2Entry>;
}

/** Milliseconds after which the platform aborts an upload that was not completed. */
const LIFETIME = 7 * 24 * 3_600_000;
const MIN_PART_BYTES = 5 * 1024 * 1024;
const MAX_PARTS = 10_000;

/**
 * Begins an upload in parts.
 *
 * @see https://developers.cloudflare.com/r2/objects/multipart-objects/
 */
export function beginUpload(
  place: UploadPlace,
  key: string,
  { httpMetadata, customMetadata = {}, ...rest }: R2UploadOptions,
): R2MultipartUpload {
  bucketRules.checkOptions("createMultipartUpload", rest, []);
  const id = randomBytes(64).toString("base64url");
  place.uploads.set(id, {
    key,
    begun: new Date(place.now()),
    state: "open",
    httpMetadata: { ...bucketRules.readHttpMetadata("createMultipartUpload", httpMetadata) },
    customMetadata: { ...customMetadata },
    parts: new Map(),
  });
  return resumeUpload(place, key, id);
}

/** Opens an upload. Its methods find out whether it exists. */
export function resumeUpload(
  { now, guard, uploads, entries }: UploadPlace,
  key: string,
  uploadId: string,
): R2MultipartUpload {
  function find(): R2Upload | undefined {
    guard?.();
    const upload = uploads.get(uploadId);
    return upload?.key === key ? upload : undefined;
  }

  function findOpen(method: string): R2Upload {
    const upload = find();
    if (upload?.state === "open" && upload.begun.getTime() > now() - LIFETIME) return upload;
    throw new Error(`${method}: The specified multipart upload does not exist. (10024)`);
  }

  function end(upload: R2Upload, state: "completed" | "aborted"): void {
    uploads.set(uploadId, { ...upload, state, parts: new Map() });
  }

  return {
    key,
    uploadId,
    async uploadPart(partNumber, value, options = {}) {
      bucketRules.checkOptions("uploadPart", options, []);
      if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > MAX_PARTS) {
        throw new TypeError(
          `Part number must be between 1 and ${MAX_PARTS} (inclusive). Actual value was: ${partNumber}`,
        );
      }
      findOpen("uploadPart");
      const bytes = await toBytes("uploadPart", value);
      const md5 = createHash("md5").update(bytes).digest("hex");
      // As on the platform, the text is not derived from the value.
      const etag = randomBytes(64).toString("base64url");
      const upload = findOpen("uploadPart");
      const parts = new Map(upload.parts).set(partNumber, { bytes, md5, etag });
      uploads.set(uploadId, { ...upload, parts });
      return { partNumber, etag };
    },
    async abort() {
      const upload = await Promise.resolve(find());
      if (upload === undefined) throw internal("abortMultipartUpload");
      if (upload.state === "open") end(upload, "aborted");
    },
    async complete(asked) {
      if (find() === undefined) throw internal("completeMultipartUpload");
      const upload = await Promise.resolve(findOpen("completeMultipartUpload"));
      const chosen = chooseParts(asked, upload.parts);
      const sum = createHash("md5");
      for (const { md5 } of chosen) sum.update(md5, "hex");
      const entry: R2Entry = {
        key,
        bytes: new Uint8Array(await new Blob(chosen.map(({ bytes }) => bytes)).arrayBuffer()),
        version: crypto.randomUUID().replaceAll("-", ""),
        etag: `${sum.digest("hex")}-${chosen.length}`,
        checksums: {},
        uploaded: new Date(now()),
        httpMetadata: upload.httpMetadata,
        customMetadata: upload.customMetadata,
      };
      entries.set(key, entry);
      end(upload, "completed");
      return toR2Object(entry);
    },
  };
}

type Part = R2Upload["parts"] extends ReadonlyMap<number, infer P> ? P : never;

/** Returns the parts of an object in their order. */
function chooseParts(asked: R2UploadedPart[], known: R2Upload["parts"]): Part[] {
  const fail = (message: string): never => {
    throw new Error(`completeMultipartUpload: ${message}`);
  };
  if (new Set(asked.map(({ partNumber }) => partNumber)).size < asked.length) {
    throw internal("completeMultipartUpload");
  }
  const named = asked.map(({ partNumber, etag }) => {
    const part = known.get(partNumber);
    if (part !== undefined && part.etag === etag) return { partNumber, part };
    return fail("One or more of the specified parts could not be found. (10025)");
  });
  // The platform looks at the sizes once in the order of the call.
  if (named.slice(0, -1).some(({ part }) => part.bytes.length < MIN_PART_BYTES)) {
    fail("Your proposed upload is smaller than the minimum allowed object size. (10011)");
  }
  const parts = named.toSorted((a, b) => a.partNumber - b.partNumber).map(({ part }) => part);
  const size = parts[0]?.bytes.length ?? 0;
  const isUneven = parts.length > 1 &&
    (size < MIN_PART_BYTES || parts.slice(0, -1).some(({ bytes }) => bytes.length !== size) ||
      parts.at(-1)!.bytes.length > size);
  if (isUneven) fail("There was a problem with the multipart upload. (10048)");
  return parts;
}

function internal(method: string): Error {
  return new Error(`${method}: We encountered an internal error. Please try again. (10001)`);
}
