import { Buffer } from "node:buffer";
import type { SqlDatabase } from "@framework/auth/storage";
import { firstBehind } from "./key_range.ts";
import { freeRows } from "./row_locks.ts";

/** Table of the namespaces. */
export const KV_TABLES = `
CREATE TABLE IF NOT EXISTS framework_kv (
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  value BLOB NOT NULL,
  metadata TEXT,
  expires_at INTEGER,
  PRIMARY KEY (namespace, key)
);
CREATE INDEX IF NOT EXISTS framework_kv_expiry ON framework_kv (expires_at)
  WHERE expires_at IS NOT NULL;`;

type KvType = "text" | "json" | "arrayBuffer" | "stream";

/** Way to read a value: its form, or that with the seconds for which the platform may keep it at hand. */
type KvReadOptions = KvType | { type?: KvType; cacheTtl?: number };

/** Options for writing. */
interface KvPutOptions {
  /** Seconds since 1970. */
  expiration?: number;
  /** Seconds from now, at least 60. */
  expirationTtl?: number;
  metadata?: unknown;
}

/** Key-value namespace with the platform's API. */
interface Kv {
  /** Several keys give a map. */
  get(key: string | string[], type?: KvReadOptions): Promise<unknown>;
  getWithMetadata(key: string | string[], type?: KvReadOptions): Promise<unknown>;
  put(
    key: string,
    value: string | ArrayBuffer | ArrayBufferView | ReadableStream,
    options?: KvPutOptions,
  ): Promise<void>;
  delete(key: string): Promise<void>;
  list(options?: {
    prefix?: string | null;
    limit?: number;
    cursor?: string | null;
  }): Promise<{
    keys: { name: string; expiration?: number; metadata?: unknown }[];
    list_complete: boolean;
    cursor?: string;
    cacheStatus: null;
  }>;
}

interface Row {
  key: string;
  value: Uint8Array<ArrayBuffer>;
  metadata: string | null;
  // deno-lint-ignore camelcase -- a column
  expires_at: number | null;
}

const MAX_KEYS = 1000;
const MAX_KEY_BYTES = 512;
const MAX_VALUE_BYTES = 25 * 1024 * 1024;
const MAX_METADATA_BYTES = 1024;
const MIN_TTL_SECONDS = 60;
const MIN_CACHE_SECONDS = 30;
const MAX_BULK_KEYS = 100;

/**
 * Creates a namespace in the database, with the platform's limits and messages. What is written can be read at once, by
 * every process.
 *
 * @param database The database of the server.
 * @param namespace Name of the namespace.
 * @see https://developers.cloudflare.com/kv/api/
 */
export function createKv(database: SqlDatabase, namespace: string): Kv {
  async function readOne(
    name: string,
    type: KvReadOptions = "text",
  ): Promise<{ value: unknown; metadata: unknown; cacheStatus: null }> {
    const key = String(name);
    checkKey(key, "GET");
    const wanted = readWanted(type, "GET");
    const row = await database.prepare(
      "SELECT value, metadata FROM framework_kv WHERE namespace = ?1 AND key = ?2 " +
        "AND (expires_at IS NULL OR expires_at > ?3)",
    ).bind(namespace, key, seconds()).first<Row>();
    if (row === null) return { value: null, metadata: null, cacheStatus: null };
    const value = await readValue(row.value, wanted);
    return { value, metadata: readMetadata(row) ?? null, cacheStatus: null };
  }

  async function readSeveral(
    names: string[],
    type: KvReadOptions = "text",
  ): Promise<Map<string, { value: unknown; metadata: unknown } | null>> {
    const keys = names.map(String);
    const wanted = readWanted(type, "GET_BULK");
    checkBulk(keys, wanted);
    const found = new Map<string, { value: unknown; metadata: unknown } | null>(
      keys.map((key) => [key, null]),
    );
    const places = [...found.keys()].map((_, index) => `?${index + 3}`).join(", ");
    const { results } = await database.prepare(
      "SELECT key, value, metadata FROM framework_kv WHERE namespace = ?1 " +
        `AND (expires_at IS NULL OR expires_at > ?2) AND key IN (${places})`,
    ).bind(namespace, seconds(), ...found.keys()).all<Row>();
    const size = results.reduce((sum, row) => sum + row.value.length, 0);
    if (size > MAX_VALUE_BYTES) throw failure("GET_BULK", 413, TOO_LARGE);
    for (const row of results) {
      // Unlike of one key, the mark of the order of bytes is not a part of the text.
      const value = await readValue(withoutMark(row.value), wanted).catch(() => {
        const what = "At least one of the requested keys corresponds to a non-json value";
        throw failure("GET_BULK", 400, what);
      });
      found.set(row.key, { value, metadata: readMetadata(row) ?? null });
    }
    return found;
  }

  return {
    getWithMetadata: async (key, type) =>
      Array.isArray(key) ? await readSeveral(key, type) : await readOne(key, type),
    async get(key, type) {
      if (!Array.isArray(key)) return (await readOne(key, type)).value;
      const found = await readSeveral(key, type);
      return new Map([...found].map(([name, entry]) => [name, entry?.value ?? null]));
    },
    async put(name, value, given) {
      const key = String(name);
      checkKey(key, "PUT");
      const options = readPut(given);
      const bytes = await toBytes(value);
      const metadata = options.metadata === undefined || options.metadata === null
        ? null
        : JSON.stringify(options.metadata) ?? null;
      checkPut({ ...options, bytes, metadata });
      const expiry = options.expirationTtl === undefined
        ? options.expiration ?? null
        : seconds() + options.expirationTtl;
      await database.prepare(
        "INSERT INTO framework_kv (namespace, key, value, metadata, expires_at) VALUES (?1, ?2, ?3, ?4, ?5) " +
          "ON CONFLICT (namespace, key) DO UPDATE SET value = ?3, metadata = ?4, expires_at = ?5",
      ).bind(namespace, key, bytes, metadata, expiry).run();
    },
    async delete(name) {
      const key = String(name);
      checkKey(key, "DELETE");
      await database.prepare("DELETE FROM framework_kv WHERE namespace = ?1 AND key = ?2")
        .bind(namespace, key).run();
    },
    async list(options) {
      const { prefix, limit: given, cursor } = options ?? {};
      // The platform treats zero and negative numbers as no limit.
      const asked = toInteger(given);
      const limit = asked > 0 ? asked : MAX_KEYS;
      if (limit > MAX_KEYS) {
        throw new Error(
          `KV GET failed: 400 Invalid key_count_limit of ${limit}. Please specify an integer less than ${MAX_KEYS}.`,
        );
      }
      const start = String(prefix ?? "");
      checkLength(start, "GET");
      const after = cursor ? Buffer.from(cursor, "base64").toString() : "";
      const end = firstBehind(start);
      const { results } = await database.prepare(
        "SELECT key, metadata, expires_at FROM framework_kv WHERE namespace = ?1 AND key >= ?2 AND key > ?3 " +
          `AND (expires_at IS NULL OR expires_at > ?4) ${end === null ? "" : "AND key < ?6 "}` +
          "ORDER BY key LIMIT ?5",
      ).bind(namespace, start, after, seconds(), limit + 1, ...(end === null ? [] : [end])).all<
        Row
      >();
      const keys = results.slice(0, limit).map((row) => ({
        name: row.key,
        ...(row.expires_at === null ? {} : { expiration: row.expires_at }),
        ...(row.metadata === null ? {} : { metadata: readMetadata(row) }),
      }));
      if (results.length <= limit) return { keys, list_complete: true, cacheStatus: null };
      const last = Buffer.from(keys.at(-1)!.name).toString("base64");
      return { keys, list_complete: false, cursor: last, cacheStatus: null };
    },
  };
}

/**
 * Deletes keys that have expired, the oldest first, at most 500.
 *
 * @param database The database of the server.
 */
export async function sweepKv(database: SqlDatabase): Promise<void> {
  const place = database.dialect === undefined ? "rowid" : "ctid";
  const oldest =
    `SELECT ${place} FROM framework_kv WHERE expires_at <= ?1 ORDER BY expires_at LIMIT 500`;
  await database.prepare(
    `DELETE FROM framework_kv WHERE ${freeRows(database, place, oldest)}`,
  ).bind(seconds()).run();
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

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

function readMetadata({ metadata }: Pick<Row, "metadata">): unknown {
  return metadata === null ? undefined : JSON.parse(metadata);
}

async function readValue(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<unknown> {
  const response = new Response(bytes);
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

/** Refuses the keys and the type that the platform refuses in a read of several. */
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

function checkPut(
  { bytes, metadata, expiration, expirationTtl }: {
    bytes: Uint8Array;
    metadata: string | null;
    expiration?: number;
    expirationTtl?: number;
  },
): void {
  const now = seconds();
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
  const kept = Buffer.byteLength(metadata ?? "");
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
