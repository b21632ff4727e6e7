// deno-lint-ignore-file camelcase -- the names are the platform's.
/** The forms in which a value can be read. */
export type KvType = "text" | "json" | "arrayBuffer" | "stream";

/** What may be stored. */
export type KvValue = string | ArrayBuffer | ArrayBufferView | ReadableStream;

/** When an entry ends, and what is kept beside it. */
export interface KvPutOptions {
  /** Seconds since 1970. */
  expiration?: number;
  /** Seconds from now, at least 60. */
  expirationTtl?: number;
  metadata?: unknown;
}

/** A value with what was stored beside it. */
export interface KvValueWithMetadata {
  // deno-lint-ignore no-explicit-any -- the type depends on what was asked for, as on the platform.
  value: any;
  // deno-lint-ignore no-explicit-any -- whatever was stored.
  metadata: any;
  cacheStatus: null;
}

/** A key-value namespace that speaks the platform's API. */
export interface KvNamespaceDouble {
  // deno-lint-ignore no-explicit-any -- the type depends on what was asked for, as on the platform.
  get(key: string, type?: KvType | { type?: KvType; cacheTtl?: number }): Promise<any>;
  getWithMetadata(
    key: string,
    type?: KvType | { type?: KvType; cacheTtl?: number },
  ): Promise<KvValueWithMetadata>;
  put(key: string, value: KvValue, options?: KvPutOptions): Promise<void>;
  delete(key: string): Promise<void>;
  list(options?: KvListOptions): Promise<KvListResult>;
}

/** An entry; `expiration` in seconds since 1970. */
export interface KvEntry {
  bytes: Uint8Array<ArrayBuffer>;
  expiration: number | undefined;
  metadata: unknown;
}

/** What to list. */
export interface KvListOptions {
  prefix?: string | null;
  /** At most 1000, which is the default. */
  limit?: number;
  cursor?: string | null;
}

/** One page of keys. */
export interface KvListResult {
  keys: { name: string; expiration?: number; metadata?: unknown }[];
  list_complete: boolean;
  cursor?: string;
  cacheStatus: null;
}
