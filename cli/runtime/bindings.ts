// deno-lint-ignore-file camelcase -- the names of the platform

/** Options for writing a key of a {@linkcode KeyValueNamespace}. */
export interface KeyValuePutOptions {
  /** Lifetime of the key in seconds, at least 60. */
  expirationTtl?: number;
  /** Expiry of the key, in seconds since 1970. */
  expiration?: number;
  /** Metadata of the key, at most 1,024 bytes as JSON. */
  metadata?: unknown;
}

/** One page of the keys of a {@linkcode KeyValueNamespace}. */
export interface KeyValueList {
  /** Keys in byte order, with their expiry in seconds since 1970 and their metadata. */
  keys: { name: string; expiration?: number; metadata?: unknown }[];
  /** True for the last page. */
  list_complete: boolean;
  /** Cursor for the next page. */
  cursor?: string;
}

/** Key-value namespace of the platform, with the operations that applications usually need. */
export interface KeyValueNamespace {
  /** Returns the text of a key; null when there is none. */
  get(key: string, type?: "text"): Promise<string | null>;
  /** Returns the value of a key, parsed as JSON. */
  get<T>(key: string, type: "json"): Promise<T | null>;
  /** Writes a key; other locations may read the old value for up to 60 seconds. */
  put(
    key: string,
    value: string | ArrayBuffer | ReadableStream,
    options?: KeyValuePutOptions,
  ): Promise<void>;
  /** Deletes a key; other locations may still read it for up to 60 seconds. */
  delete(key: string): Promise<void>;
  /** Lists keys, at most `limit` (1,000 by default) per page. */
  list(options?: { prefix?: string; limit?: number; cursor?: string }): Promise<KeyValueList>;
}

/** Metadata of an object in an {@linkcode ObjectBucket}. */
export interface StoredObject {
  /** Name in the bucket, which may contain slashes. */
  key: string;
  /** Its length in bytes. */
  size: number;
  /** Tag that changes with the content. */
  etag: string;
  /** Time of the last write. */
  uploaded: Date;
}

/** An object with its content. */
export interface StoredObjectBody extends StoredObject {
  /** Content as a stream, for a response; it can be read once. */
  body: ReadableStream;
  /** Returns the content as UTF-8 text. */
  text(): Promise<string>;
  /** Returns the content parsed as JSON. */
  json<T>(): Promise<T>;
  /** Returns the complete content as bytes. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Bucket of objects (R2), with the operations that applications usually need. */
export interface ObjectBucket {
  /** Returns an object; null when there is none. */
  get(key: string): Promise<StoredObjectBody | null>;
  /** Returns metadata of an object; null when there is none. */
  head(key: string): Promise<StoredObject | null>;
  /** Writes an object and replaces an existing one; `httpMetadata` is served with it. */
  put(
    key: string,
    value: string | ArrayBuffer | ArrayBufferView | ReadableStream | Blob | null,
    options?: { httpMetadata?: Headers | Record<string, unknown> },
  ): Promise<StoredObject | null>;
  /** Deletes objects, at most 1,000 at once; missing ones are ignored. */
  delete(keys: string | string[]): Promise<void>;
  /** Lists objects, at most `limit` (1,000 by default) per page. */
  list(
    options?: { prefix?: string; limit?: number; cursor?: string; delimiter?: string },
  ): Promise<{ objects: StoredObject[]; truncated: boolean; cursor?: string }>;
}

/** Producer of a queue. */
export interface QueueProducer<Body = unknown> {
  /** Sends one message of at most 128 KB as JSON, delivered after at least `delaySeconds`. */
  send(body: Body, options?: { delaySeconds?: number }): Promise<unknown>;
  /** Sends up to 100 messages. */
  sendBatch(messages: Iterable<{ body: Body; delaySeconds?: number }>): Promise<unknown>;
}

/** The static files of the application. */
export interface AssetFetcher {
  /** Answers a request from the static files. */
  fetch(request: Request | string | URL): Promise<Response>;
}
