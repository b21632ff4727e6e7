// deno-lint-ignore-file camelcase -- the names are the platform's.

import { compareKeys } from "./key_order.ts";

/** The forms in which a value can be read. */
type KvType = "text" | "json" | "arrayBuffer" | "stream";

/** Value that can be stored. */
export type KvValue = string | ArrayBuffer | ArrayBufferView | ReadableStream;

/** Way to read a value: its form, or that with the seconds for which the platform may keep it at hand. */
type KvReadOptions = KvType | { type?: KvType; cacheTtl?: number };

/** Expiry and metadata of an entry. */
interface KvPutOptions {
  /** Seconds since 1970. */
  expiration?: number;
  /** Seconds from now, at least 60. */
  expirationTtl?: number;
  metadata?: unknown;
}

/** A value with its metadata. */
interface KvValueWithMetadata {
  // deno-lint-ignore no-explicit-any -- the type depends on what was asked for, as on the platform.
  value: any;
  // deno-lint-ignore no-explicit-any -- whatever was stored.
  metadata: any;
  cacheStatus: null;
}

/** Key-value namespace with the platform's API. */
export interface KvNamespaceDouble {
  /** Several keys give a map. */
  // deno-lint-ignore no-explicit-any -- the type depends on what was asked for, as on the platform.
  get(keys: string[], type?: KvReadOptions): Promise<Map<string, any>>;
  // deno-lint-ignore no-explicit-any -- the type depends on what was asked for, as on the platform.
  get(key: string, type?: KvReadOptions): Promise<any>;
  getWithMetadata(
    keys: string[],
    type?: KvReadOptions,
  ): Promise<Map<string, Omit<KvValueWithMetadata, "cacheStatus"> | null>>;
  getWithMetadata(key: string, type?: KvReadOptions): Promise<KvValueWithMetadata>;
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

/** Options for listing. */
interface KvListOptions {
  prefix?: string | null;
  /** At most 1000, which is the default. */
  limit?: number;
  cursor?: string | null;
}

/** One page of keys. */
interface KvListResult {
  keys: { name: string; expiration?: number; metadata?: unknown }[];
  list_complete: boolean;
  cursor?: string;
  cacheStatus: null;
}

const MAX_KEY_BYTES = 512;
const MAX_VALUE_BYTES = 25 * 1024 * 1024;
const MAX_METADATA_BYTES = 1024;
const MIN_TTL_SECONDS = 60;

const MIN_CACHE_SECONDS = 30;
const MAX_BULK_KEYS = 100;

/** Refuses the keys that the platform refuses, with its messages. */
function checkKey(key: string, method: string): void {
  if (key === "") throw new TypeError("Key name cannot be empty.");
  if (key === "." || key === "..") {
    throw new TypeError(`"${key}" is not allowed as a key name.`);
  }
  checkLength(key, method);
}

function checkLength(key: string, method: string): void {
  const length = bytesOf(key);
  if (length > MAX_KEY_BYTES) {
    throw failure(
      method,
      414,
      `UTF-8 encoded length of ${length} exceeds key length limit of ${MAX_KEY_BYTES}.`,
    );
  }
}

/** Reads how a value is wanted, and refuses what the platform refuses. */
function readWanted(type: KvReadOptions, method: string): string {
  const { type: wanted = "text", cacheTtl } = typeof type === "object" && type !== null
    ? type
    : { type: type ?? undefined, cacheTtl: undefined };
  const seconds = cacheTtl === undefined ? 0 : toInteger(cacheTtl);
  if (cacheTtl !== undefined && seconds < MIN_CACHE_SECONDS) {
    const rule = `Cache TTL must be at least ${MIN_CACHE_SECONDS}.`;
    throw failure(method, 400, `Invalid cache_ttl of ${seconds}. ${rule}`);
  }
  return wanted;
}

/** Refuses the keys and the type that the platform refuses in a read of several, with its messages. */
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

const TOO_LARGE = "Total size of request exceeds the limit of 25MB";

/** Bytes without the mark of their order, which texts in UTF-8 may begin with. */
function withoutMark(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.slice(3) : bytes;
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

/** Refuses the values and options that the platform refuses, with its messages. */
function checkPut(bytes: Uint8Array, options: KvPutOptions, now: number): void {
  const { expirationTtl, expiration, metadata } = options;
  const seconds = Math.floor(now / 1000);
  if (expirationTtl !== undefined) {
    checkExpiry("expiration_ttl", expirationTtl, {
      above: 0,
      notAbove: "Please specify integer greater than 0.",
      earliest: MIN_TTL_SECONDS,
      tooEarly: `Expiration TTL must be at least ${MIN_TTL_SECONDS}.`,
    });
  } else if (expiration !== undefined) {
    checkExpiry("expiration", expiration, {
      above: seconds,
      notAbove:
        "Please specify integer greater than the current number of seconds since the UNIX epoch.",
      earliest: seconds + MIN_TTL_SECONDS,
      tooEarly: "Expiration times must be at least 60 seconds in the future.",
    });
  }
  const kept = metadata === undefined ? 0 : bytesOf(JSON.stringify(metadata));
  if (kept > MAX_METADATA_BYTES) {
    throw failure(
      "PUT",
      413,
      `Metadata length of ${kept} exceeds limit of ${MAX_METADATA_BYTES}.`,
    );
  }
  if (bytes.length > MAX_VALUE_BYTES) {
    throw failure(
      "PUT",
      413,
      `Value length of ${bytes.length} exceeds limit of ${MAX_VALUE_BYTES}.`,
    );
  }
}

/** Expiry of an entry, in seconds since 1970; undefined when it never expires. */
function expiryOf(options: KvPutOptions, now: number): number | undefined {
  return options.expirationTtl === undefined
    ? options.expiration
    : Math.floor(now / 1000) + options.expirationTtl;
}

function checkExpiry(
  name: string,
  value: number,
  rule: { above: number; notAbove: string; earliest: number; tooEarly: string },
): void {
  if (!Number.isFinite(value) || value <= rule.above) {
    throw failure("PUT", 400, `Invalid ${name} of ${value}. ${rule.notAbove}`);
  }
  if (value < rule.earliest) {
    throw failure("PUT", 400, `Invalid ${name} of ${value}. ${rule.tooEarly}`);
  }
}

function failure(method: string, status: number, message: string): Error {
  return new Error(`KV ${method} failed: ${status} ${message}`);
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
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

const MAX_KEYS = 1000;

/** Lists keys in the order of their UTF-8 bytes. */
function list(entries: ReadonlyMap<string, KvEntry>, options: KvListOptions): KvListResult {
  // The platform treats zero and negative numbers as no limit.
  const asked = toInteger(options.limit);
  const limit = asked > 0 ? asked : MAX_KEYS;
  if (limit > MAX_KEYS) {
    throw new Error(
      `KV GET failed: 400 Invalid key_count_limit of ${limit}. Please specify an integer less than ${MAX_KEYS}.`,
    );
  }
  checkLength(options.prefix ?? "", "GET");
  const after = options.cursor ? new TextDecoder().decode(fromBase64(options.cursor)) : "";
  const names = [...entries.keys()]
    .filter((name) => name.startsWith(options.prefix ?? "") && compareKeys(name, after) > 0)
    .toSorted(compareKeys);
  const page = names.slice(0, limit);
  const last = page.at(-1);
  const keys = page.map((name) => describe(name, entries.get(name)));
  if (names.length <= limit || last === undefined) {
    return { keys, list_complete: true, cacheStatus: null };
  }
  return { keys, list_complete: false, cursor: toBase64(last), cacheStatus: null };
}

function describe(name: string, entry: KvEntry | undefined): KvListResult["keys"][number] {
  return {
    name,
    ...(entry?.expiration === undefined ? {} : { expiration: entry.expiration }),
    ...(entry?.metadata === null ? {} : { metadata: entry?.metadata }),
  };
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  // Other characters count for nothing, as on the platform.
  const digits = text.replaceAll(/[^A-Za-z0-9+/]/g, "");
  const length = digits.length % 4 === 1 ? digits.length - 1 : digits.length;
  return Uint8Array.from(atob(digits.slice(0, length)), (letter) => letter.charCodeAt(0));
}

/**
 * Creates a key-value namespace in memory whose entries expire by the given clock.
 *
 * @param options `now`: milliseconds since 1970; `guard`: called before each use; `entries`: where
 * they are stored. Default: an empty map.
 * @see https://developers.cloudflare.com/kv/api/
 */
export function createKvNamespace(
  options: { now: () => number; guard?: () => void; entries?: Map<string, KvEntry> },
): KvNamespaceDouble {
  const { now, guard, entries = new Map<string, KvEntry>() } = options;

  function live(key: string): KvEntry | null {
    const entry = entries.get(key);
    if (entry === undefined) return null;
    if (entry.expiration !== undefined && entry.expiration * 1000 <= now()) {
      entries.delete(key);
      return null;
    }
    return entry;
  }

  async function readOne(
    name: string,
    type: KvReadOptions = "text",
  ): Promise<KvValueWithMetadata> {
    guard?.();
    const key = String(name);
    checkKey(key, "GET");
    const wanted = readWanted(type, "GET");
    const entry = live(key);
    const value = entry === null ? null : await read(entry.bytes, wanted);
    return { value, metadata: entry?.metadata ?? null, cacheStatus: null };
  }

  async function readSeveral(
    names: string[],
    type: KvReadOptions = "text",
  ): Promise<Map<string, Omit<KvValueWithMetadata, "cacheStatus"> | null>> {
    guard?.();
    const keys = names.map(String);
    const wanted = readWanted(type, "GET_BULK");
    checkBulk(keys, wanted);
    const found = new Map<string, Omit<KvValueWithMetadata, "cacheStatus"> | null>();
    let size = 0;
    for (const key of keys) {
      const entry = live(key);
      size += entry?.bytes.length ?? 0;
      if (size > MAX_VALUE_BYTES) throw failure("GET_BULK", 413, TOO_LARGE);
      if (entry === null) found.set(key, null);
      else {
        // Unlike of one key, the mark of the order of bytes is not a part of the text.
        const text = withoutMark(entry.bytes);
        const value = await read(text, wanted).catch(() => {
          const what = "At least one of the requested keys corresponds to a non-json value";
          throw failure("GET_BULK", 400, what);
        });
        found.set(key, { value, metadata: entry.metadata ?? null });
      }
    }
    return found;
  }

  // deno-lint-ignore no-explicit-any -- the overloads of the interface tell them apart.
  const getWithMetadata = (key: string | string[], type?: KvReadOptions): Promise<any> =>
    Array.isArray(key) ? readSeveral(key, type) : readOne(key, type);

  return {
    getWithMetadata,
    // deno-lint-ignore no-explicit-any -- the overloads of the interface tell them apart.
    get: async (key: string | string[], type?: KvReadOptions): Promise<any> => {
      if (!Array.isArray(key)) return (await readOne(key, type)).value;
      const found = await readSeveral(key, type);
      return new Map([...found].map(([name, entry]) => [name, entry?.value ?? null]));
    },
    put: async (name, value, options) => {
      guard?.();
      const key = String(name);
      checkKey(key, "PUT");
      const given = readPut(options);
      const bytes = new Uint8Array(await toBuffer(value));
      checkPut(bytes, given, now());
      // Metadata is serialized as JSON; values that JSON cannot represent are lost, as on the platform.
      const metadata = given.metadata === undefined || given.metadata === null
        ? null
        : JSON.parse(JSON.stringify(given.metadata));
      entries.set(key, { bytes, metadata, expiration: expiryOf(given, now()) });
    },
    delete: async (name) => {
      guard?.();
      const key = String(name);
      checkKey(key, "DELETE");
      await Promise.resolve(entries.delete(key));
    },
    list: async (given) => {
      guard?.();
      for (const key of entries.keys()) live(key);
      return await Promise.resolve(list(entries, given ?? {}));
    },
  };
}

async function read(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<unknown> {
  const response = new Response(bytes.slice());
  // The mark of the order of bytes is a part of the text.
  const text = (): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (type === "text") return text();
  if (type === "json") return JSON.parse(text());
  if (type === "arrayBuffer") return await response.arrayBuffer();
  if (type === "stream") return response.body;
  throw new TypeError(
    'Unknown response type. Possible types are "text", "arrayBuffer", "json", and "stream".',
  );
}

async function toBuffer(value: unknown): Promise<ArrayBuffer> {
  const isText = value === null || (typeof value !== "object" && typeof value !== "function");
  const body = isText ? String(value) : value;
  const accepted = typeof body === "string" || body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body) || body instanceof ReadableStream;
  if (accepted) return await new Response(body as BodyInit).arrayBuffer();
  throw new TypeError(
    "KV put() accepts only strings, ArrayBuffers, ArrayBufferViews, and ReadableStreams as values.",
  );
}
