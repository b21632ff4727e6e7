// deno-lint-ignore-file camelcase -- the names of the platform

/** Options for writing a key of a {@linkcode KeyValueNamespace}. */
export interface KeyValuePutOptions {
  /** Seconds until the platform forgets the key, at least 60. */
  expirationTtl?: number;
  /** Expiry of the key, in seconds since 1970. */
  expiration?: number;
  /** Metadata of the key, at most 1,024 bytes as JSON. */
  metadata?: unknown;
}

/** One page of the keys of a {@linkcode KeyValueNamespace}. */
export interface KeyValueList {
  /**
   * The keys in the order of their bytes, with their end in seconds since 1970 and what is kept
   * beside the value.
   */
  keys: { name: string; expiration?: number; metadata?: unknown }[];
  /** True for the last page. */
  list_complete: boolean;
  /** Start of the next page. */
  cursor?: string;
}

/** A key-value namespace of the platform, as far as applications usually need it. */
export interface KeyValueNamespace {
  /** The text at this key; null when there is none. */
  get(key: string, type?: "text"): Promise<string | null>;
  /** The value at this key, read as JSON. */
  get<T>(key: string, type: "json"): Promise<T | null>;
  /** Writes the key; elsewhere in the world the old value may be read for up to 60 seconds. */
  put(
    key: string,
    value: string | ArrayBuffer | ReadableStream,
    options?: KeyValuePutOptions,
  ): Promise<void>;
  /** Removes the key; elsewhere in the world it may be read for up to 60 seconds. */
  delete(key: string): Promise<void>;
  /** The keys, at most `limit` (1,000 by default) a page. */
  list(options?: { prefix?: string; limit?: number; cursor?: string }): Promise<KeyValueList>;
}

/** Metadata of an object in an {@linkcode ObjectBucket}. */
export interface StoredObject {
  /** Its name in the bucket, which may hold slashes. */
  key: string;
  /** Its length in bytes. */
  size: number;
  /** Changes with its content. */
  etag: string;
  /** Time of the last write of its content. */
  uploaded: Date;
}

/** An object with its content. */
export interface StoredObjectBody extends StoredObject {
  /** The content as it arrives, for a response; it can be read once. */
  body: ReadableStream;
  /** The content as text, read as UTF-8. */
  text(): Promise<string>;
  /** The content read as JSON. */
  json<T>(): Promise<T>;
  /** The content as bytes, whole in memory. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A bucket of objects (R2), as far as applications usually need it. */
export interface ObjectBucket {
  /** The object; null when there is none. */
  get(key: string): Promise<StoredObjectBody | null>;
  /** Metadata of the object; null when there is none. */
  head(key: string): Promise<StoredObject | null>;
  /** Writes the object, in place of one that is there; `httpMetadata` is what it is served with. */
  put(
    key: string,
    value: string | ArrayBuffer | ArrayBufferView | ReadableStream | Blob | null,
    options?: { httpMetadata?: Headers | Record<string, unknown> },
  ): Promise<StoredObject | null>;
  /** Removes objects, at most 1,000 at once; those that are not there are none. */
  delete(keys: string | string[]): Promise<void>;
  /** The objects, at most `limit` (1,000 by default) a page. */
  list(
    options?: { prefix?: string; limit?: number; cursor?: string; delimiter?: string },
  ): Promise<{ objects: StoredObject[]; truncated: boolean; cursor?: string }>;
}

/** The sending end of a queue. */
export interface QueueProducer<Body = unknown> {
  /** Sends one message: at most 128 KB as JSON, delivered after `delaySeconds` at the earliest. */
  send(body: Body, options?: { delaySeconds?: number }): Promise<unknown>;
  /** Sends up to 100 messages. */
  sendBatch(messages: Iterable<{ body: Body; delaySeconds?: number }>): Promise<unknown>;
}

/** The static files of the application. */
export interface AssetFetcher {
  /** Answers from the static files. */
  fetch(request: Request | string | URL): Promise<Response>;
}
