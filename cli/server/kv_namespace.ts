// deno-lint-ignore-file camelcase -- the names are the platform's.

import { Buffer } from "node:buffer";

/** Form in which a value can be read. */
export type KvType = "text" | "json" | "arrayBuffer" | "stream";

/** Way to read a value: its form, or that with the seconds for which the platform may keep it at hand. */
export type KvReadOptions = KvType | { type?: KvType; cacheTtl?: number };

/** Value that can be stored. */
export type KvValue = string | ArrayBuffer | ArrayBufferView | ReadableStream;

/** Expiry and metadata of an entry. */
export interface KvPutOptions {
  /** Seconds since 1970. */
  expiration?: number;
  /** Seconds from now, at least 60. */
  expirationTtl?: number;
  /** Whatever JSON can represent, at most 1024 bytes of it. */
  metadata?: unknown;
}

/** A value with its metadata. */
export interface KvValueWithMetadata {
  /** The value in the form that was asked for; null when there is none. */
  // deno-lint-ignore no-explicit-any -- the type depends on what was asked for, as on the platform.
  value: any;
  /** Data that was stored beside it; null when there is none. */
  // deno-lint-ignore no-explicit-any -- whatever was stored.
  metadata: any;
}

/** Options for listing. */
export interface KvListOptions {
  /** Beginning of the keys. Default: any keys. */
  prefix?: string | null;
  /** At most 1000, which is the default. */
  limit?: number;
  /** The page before this one gave it. */
  cursor?: string | null;
}

/** One page of keys. */
export interface KvListResult {
  /** The keys in the order of their UTF-8 bytes; `expiration` in seconds since 1970. */
  keys: { name: string; expiration?: number; metadata?: unknown }[];
  /** True when there are no more. */
  list_complete: boolean;
  /** Place where the next page begins. */
  cursor?: string;
  /** No cache has a part in it. */
  cacheStatus: null;
}

/** Key-value namespace with the platform's API. */
export interface KvNamespace {
  /** Reads the values of several keys. */
  // deno-lint-ignore no-explicit-any -- the type depends on what was asked for, as on the platform.
  get(keys: string[], type?: KvReadOptions): Promise<Map<string, any>>;
  /** Reads a value; null when there is none. */
  // deno-lint-ignore no-explicit-any -- the type depends on what was asked for, as on the platform.
  get(key: string, type?: KvReadOptions): Promise<any>;
  /** Reads the values of several keys with their metadata; null for those that there are not. */
  getWithMetadata(
    keys: string[],
    type?: KvReadOptions,
  ): Promise<Map<string, KvValueWithMetadata | null>>;
  /** Reads a value with its metadata. */
  getWithMetadata(
    key: string,
    type?: KvReadOptions,
  ): Promise<KvValueWithMetadata & { cacheStatus: null }>;
  /** Stores a value. */
  put(key: string, value: KvValue, options?: KvPutOptions): Promise<void>;
  /** Deletes a value, if there is one. */
  delete(key: string): Promise<void>;
  /** Lists keys. */
  list(options?: KvListOptions): Promise<KvListResult>;
}

/** Entry of a namespace. */
export interface KvEntry {
  /** The value. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Seconds since 1970; undefined when it never expires. */
  expiration: number | undefined;
  /** Data that was stored beside the value, as JSON gives it back; null when there is none. */
  metadata: unknown;
}

/** Page of keys to find. */
export interface KvPage {
  /** Beginning of the keys. */
  prefix: string;
  /** The key that they come after. */
  after: string;
  /** Largest number of them. */
  limit: number;
}

/** Place where the entries of one namespace are, which gives none that has expired. */
export interface KvStore {
  /** Returns the time, in milliseconds since 1970. */
  now(): number;
  /** Finds the entries of different keys. */
  read(
    keys: readonly string[],
  ): ReadonlyMap<string, KvEntry> | Promise<ReadonlyMap<string, KvEntry>>;
  /** Stores an entry. */
  write(key: string, entry: KvEntry): void | Promise<void>;
  /** Deletes an entry, if there is one. */
  remove(key: string): void | Promise<void>;
  /** Finds keys in the order of their UTF-8 bytes. */
  page(page: KvPage): KvKey[] | Promise<KvKey[]>;
}

/** A key with its entry, of which a list does not need the value. */
export type KvKey = [key: string, entry: Omit<KvEntry, "bytes">];

const MAX_KEYS = 1000;
const MAX_KEY_BYTES = 512;
const MAX_VALUE_BYTES = 25 * 1024 * 1024;
const MAX_METADATA_BYTES = 1024;
const MIN_TTL_SECONDS = 60;
const MIN_CACHE_SECONDS = 30;
const MAX_BULK_KEYS = 100;

/**
 * Creates a namespace over a store, with the platform's limits and messages.
 *
 * @param store Where its entries are.
 * @example
 * ```ts
 * import { createKvNamespace, type KvEntry } from "@framework/cli/testing";
 * import { equal, rejects } from "node:assert/strict";
 *
 * const entries = new Map<string, KvEntry>();
 * const namespace = createKvNamespace({
 *   now: () => Date.now(),
 *   read: () => entries,
 *   write: (key, entry) => void entries.set(key, entry),
 *   remove: (key) => void entries.delete(key),
 *   page: () => [...entries],
 * });
 * await namespace.put("greeting", "hello");
 * equal(await namespace.get("greeting"), "hello");
 * await rejects(namespace.put("", "hello"), /Key name cannot be empty/);
 * ```
 * @see https://developers.cloudflare.com/kv/api/
 */
export function createKvNamespace(store: KvStore): KvNamespace {
  async function readOne(
    name: string,
    type: KvReadOptions = "text",
  ): Promise<KvValueWithMetadata & { cacheStatus: null }> {
    const key = String(name);
    checkKey(key, "GET");
    const wanted = readWanted(type, "GET");
    const entry = (await store.read([key])).get(key);
    const value = entry === undefined ? null : await readValue(entry.bytes, wanted);
    return { value, metadata: entry?.metadata ?? null, cacheStatus: null };
  }

  async function readSeveral(
    names: string[],
    type: KvReadOptions = "text",
  ): Promise<Map<string, KvValueWithMetadata | null>> {
    const asked = names.map(String);
    const wanted = readWanted(type, "GET_BULK");
    checkBulk(asked, wanted);
    const keys = [...new Set(asked)];
    const entries = await store.read(keys);
    const size = keys.reduce((sum, key) => sum + (entries.get(key)?.bytes.length ?? 0), 0);
    if (size > MAX_VALUE_BYTES) {
      throw failure("GET_BULK", 413, "Total size of request exceeds the limit of 25MB");
    }
    const found = new Map<string, KvValueWithMetadata | null>();
    for (const key of keys) {
      const entry = entries.get(key);
      if (entry === undefined) found.set(key, null);
      else {
        // Unlike of one key, the mark of the order of bytes is not a part of the text.
        const value = await readValue(withoutMark(entry.bytes), wanted).catch(() => {
          const what = "At least one of the requested keys corresponds to a non-json value";
          throw failure("GET_BULK", 400, what);
        });
        found.set(key, { value, metadata: entry.metadata ?? null });
      }
    }
    return found;
  }

  return {
    // deno-lint-ignore no-explicit-any -- the overloads of the interface tell them apart.
    getWithMetadata: (key: string | string[], type?: KvReadOptions): Promise<any> =>
      Array.isArray(key) ? readSeveral(key, type) : readOne(key, type),
    // deno-lint-ignore no-explicit-any -- the overloads of the interface tell them apart.
    get: async (key: string | string[], type?: KvReadOptions): Promise<any> => {
      if (!Array.isArray(key)) return (await readOne(key, type)).value;
      const found = await readSeveral(key, type);
      return new Map([...found].map(([name, entry]) => [name, entry?.value ?? null]));
    },
    put: async (name, value, given) => {
      const key = String(name);
      checkKey(key, "PUT");
      const options = readPut(given);
      const bytes = await toBytes(value);
      const now = Math.floor(store.now() / 1000);
      checkExpiries(options, now);
      // What JSON cannot represent is lost, as on the platform.
      const metadata = JSON.stringify(options.metadata ?? null) ?? "null";
      checkSizes(bytes, metadata);
      const expiration = options.expirationTtl === undefined
        ? options.expiration
        : now + options.expirationTtl;
      await store.write(key, { bytes, metadata: JSON.parse(metadata), expiration });
    },
    delete: async (name) => {
      const key = String(name);
      checkKey(key, "DELETE");
      await store.remove(key);
    },
    list: async (options) => {
      const page = readPage(options ?? {});
      const found = await store.page({ ...page, limit: page.limit + 1 });
      const keys = found.slice(0, page.limit).map(([name, { expiration, metadata }]) => ({
        name,
        ...(expiration === undefined ? {} : { expiration }),
        ...(metadata === null ? {} : { metadata }),
      }));
      if (found.length <= page.limit) return { keys, list_complete: true, cacheStatus: null };
      const cursor = Buffer.from(keys.at(-1)!.name).toString("base64");
      return { keys, list_complete: false, cursor, cacheStatus: null };
    },
  };
}

/** Reads a number as the platform does, as an integer of 32 bits; what is no number is 0. */
function toInteger(given: unknown): number {
  const number = Math.trunc(Number(given));
  if (!Number.isFinite(number)) return 0;
  if (number === (number | 0)) return number;
  throw new TypeError(
    `Value out of range. Must be between ${-(2 ** 31)} and ${2 ** 31 - 1} (inclusive).`,
  );
}

/** Reads options for writing: times are integers, and null is no options. */
function readPut(given: KvPutOptions | null | undefined): KvPutOptions {
  const { expiration, expirationTtl, metadata } = given ?? {};
  return {
    metadata,
    ...(expiration === undefined ? {} : { expiration: toInteger(expiration) }),
    ...(expirationTtl === undefined ? {} : { expirationTtl: toInteger(expirationTtl) }),
  };
}

/** Reads how a value is wanted, and refuses what the platform refuses. */
function readWanted(type: KvReadOptions, method: string): string {
  const { type: wanted = "text", cacheTtl } = typeof type === "object" && type !== null
    ? type
    : { type: type ?? undefined, cacheTtl: undefined };
  const kept = cacheTtl === undefined ? 0 : toInteger(cacheTtl);
  if (cacheTtl !== undefined && kept < MIN_CACHE_SECONDS) {
    const rule = `Cache TTL must be at least ${MIN_CACHE_SECONDS}.`;
    throw failure(method, 400, `Invalid cache_ttl of ${kept}. ${rule}`);
  }
  return wanted;
}

function readPage({ prefix, limit: given, cursor }: KvListOptions): KvPage {
  // The platform treats zero and negative numbers as no limit.
  const asked = toInteger(given);
  const limit = asked > 0 ? asked : MAX_KEYS;
  if (limit > MAX_KEYS) {
    const rule = `Please specify an integer less than ${MAX_KEYS}.`;
    throw failure("GET", 400, `Invalid key_count_limit of ${limit}. ${rule}`);
  }
  const start = String(prefix ?? "");
  checkLength(start, "GET");
  // Other characters count for nothing, as on the platform.
  const digits = (cursor ?? "").replaceAll(/[^A-Za-z0-9+/]/g, "");
  return { prefix: start, after: Buffer.from(digits, "base64").toString(), limit };
}

async function readValue(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<unknown> {
  const response = new Response(bytes.slice());
  // The mark of the order of bytes is a part of the text.
  const text = (): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (type === "text") return text();
  if (type === "json") return JSON.parse(text());
  if (type === "arrayBuffer") return await response.arrayBuffer();
  if (type === "stream") return response.body ?? new Blob([]).stream();
  throw new TypeError(
    'Unknown response type. Possible types are "text", "arrayBuffer", "json", and "stream".',
  );
}

/** Bytes without the mark of their order, which texts in UTF-8 may begin with. */
function withoutMark(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.slice(3) : bytes;
}

async function toBytes(value: unknown): Promise<Uint8Array<ArrayBuffer>> {
  const isText = value === null || (typeof value !== "object" && typeof value !== "function");
  const body = isText ? String(value) : value;
  const isAccepted = typeof body === "string" || body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body) || body instanceof ReadableStream;
  if (isAccepted) return new Uint8Array(await new Response(body as BodyInit).arrayBuffer());
  throw new TypeError(
    "KV put() accepts only strings, ArrayBuffers, ArrayBufferViews, and ReadableStreams as values.",
  );
}

function checkKey(key: string, method: string): void {
  if (key === "") throw new TypeError("Key name cannot be empty.");
  if (key === "." || key === "..") throw new TypeError(`"${key}" is not allowed as a key name.`);
  checkLength(key, method);
}

/** Refuses the keys and the form that the platform refuses in a read of several. */
function checkBulk(keys: string[], wanted: string): void {
  const refuse = (text: string): Error => failure("GET_BULK", 400, text);
  if (wanted !== "text" && wanted !== "json") {
    throw refuse(`"${wanted}" is not a valid type. Use "json" or "text"`);
  }
  if (keys.length === 0) throw refuse("You must request a minimum of 1 key");
  if (keys.length > MAX_BULK_KEYS) {
    throw refuse(`You can request a maximum of ${MAX_BULK_KEYS} keys`);
  }
  for (const key of keys) {
    if (key === "") throw refuse("Key names must not be empty");
    if (key === "." || key === "..") {
      throw refuse(`Illegal key name "${key}". Please use a different name.`);
    }
    checkLength(key, "GET_BULK");
  }
}

function checkLength(key: string, method: string): void {
  const length = Buffer.byteLength(key);
  if (length <= MAX_KEY_BYTES) return;
  throw failure(
    method,
    414,
    `UTF-8 encoded length of ${length} exceeds key length limit of ${MAX_KEY_BYTES}.`,
  );
}

function checkSizes(bytes: Uint8Array, metadata: string): void {
  const kept = Buffer.byteLength(metadata);
  if (kept > MAX_METADATA_BYTES) {
    throw failure(
      "PUT",
      413,
      `Metadata length of ${kept} exceeds limit of ${MAX_METADATA_BYTES}.`,
    );
  }
  if (bytes.length <= MAX_VALUE_BYTES) return;
  throw failure(
    "PUT",
    413,
    `Value length of ${bytes.length} exceeds limit of ${MAX_VALUE_BYTES}.`,
  );
}

/** @param now Seconds since 1970. */
function checkExpiries({ expirationTtl, expiration }: KvPutOptions, now: number): void {
  if (expirationTtl !== undefined) {
    checkExpiry("expiration_ttl", expirationTtl, {
      above: 0,
      notAbove: "Please specify integer greater than 0.",
      earliest: MIN_TTL_SECONDS,
      tooEarly: `Expiration TTL must be at least ${MIN_TTL_SECONDS}.`,
    });
  } else if (expiration !== undefined) {
    checkExpiry("expiration", expiration, {
      above: now,
      notAbove:
        "Please specify integer greater than the current number of seconds since the UNIX epoch.",
      earliest: now + MIN_TTL_SECONDS,
      tooEarly: "Expiration times must be at least 60 seconds in the future.",
    });
  }
}

function checkExpiry(
  name: string,
  value: number,
  rule: { above: number; notAbove: string; earliest: number; tooEarly: string },
): void {
  if (value <= rule.above) {
    throw failure("PUT", 400, `Invalid ${name} of ${value}. ${rule.notAbove}`);
  }
  if (value < rule.earliest) {
    throw failure("PUT", 400, `Invalid ${name} of ${value}. ${rule.tooEarly}`);
  }
}

function failure(method: string, status: number, message: string): Error {
  return new Error(`KV ${method} failed: ${status} ${message}`);
}
