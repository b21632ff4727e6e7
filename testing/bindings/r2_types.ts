/** What is kept beside an object for those who download it. */
export interface R2HttpMetadata {
  contentType?: string;
  contentLanguage?: string;
  contentDisposition?: string;
  contentEncoding?: string;
  cacheControl?: string;
  cacheExpiry?: Date;
}

/** When to read or write; headers mean what they mean in HTTP. */
export interface R2Conditional {
  etagMatches?: string;
  etagDoesNotMatch?: string;
  uploadedBefore?: Date;
  uploadedAfter?: Date;
}

/** Which part to read. */
export interface R2Range {
  offset?: number;
  length?: number;
  /** The last so many bytes. */
  suffix?: number;
}

/** How to read. */
export interface R2GetOptions {
  onlyIf?: R2Conditional;
  range?: R2Range;
}

/** What to keep beside the value. */
export interface R2PutOptions {
  onlyIf?: R2Conditional;
  httpMetadata?: R2HttpMetadata | Headers;
  customMetadata?: Record<string, string>;
  /** Hexadecimal text or bytes; the value must have it. */
  md5?: string | ArrayBuffer | ArrayBufferView;
}

/** What to list. */
export interface R2ListOptions {
  /** At most 1000, which is the default. */
  limit?: number;
  prefix?: string;
  cursor?: string;
  /** Keys that have it after the prefix are summed up. */
  delimiter?: string;
  startAfter?: string;
  include?: ("httpMetadata" | "customMetadata")[];
}

/** What may be stored. */
export type R2Value = string | ArrayBuffer | ArrayBufferView | ReadableStream | Blob | null;

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

/** A bucket that speaks the platform's API, without uploads in parts. */
export interface R2BucketDouble {
  head(key: string): Promise<R2Object | null>;
  get(key: string, options?: R2GetOptions): Promise<R2ObjectBody | R2Object | null>;
  put(key: string, value: R2Value, options?: R2PutOptions): Promise<R2Object | null>;
  delete(keys: string | string[]): Promise<void>;
  list(options?: R2ListOptions): Promise<R2Objects>;
  createMultipartUpload(key: string): never;
  resumeMultipartUpload(key: string, uploadId: string): never;
}
