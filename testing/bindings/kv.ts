import { list } from "./kv_list.ts";
import type { KvEntry, KvNamespaceDouble, KvType, KvValueWithMetadata } from "./kv_types.ts";
import { checkKey, checkPut, expiryOf } from "./kv_checks.ts";

/**
 * Makes an empty key-value namespace in memory whose entries expire by the given clock.
 *
 * @param options `now`: milliseconds since 1970; `guard`: called before each use.
 * @see https://developers.cloudflare.com/kv/api/
 */
export function createKvNamespace(
  options: { now: () => number; guard?: () => void },
): KvNamespaceDouble {
  const entries = new Map<string, KvEntry>();
  const { now, guard } = options;

  function live(key: string): KvEntry | null {
    const entry = entries.get(key);
    if (entry === undefined) return null;
    if (entry.expiration !== undefined && entry.expiration * 1000 <= now()) {
      entries.delete(key);
      return null;
    }
    return entry;
  }

  async function getWithMetadata(
    key: string,
    type: KvType | { type?: KvType } = "text",
  ): Promise<KvValueWithMetadata> {
    guard?.();
    checkKey(key, "GET");
    const entry = live(key);
    const wanted = typeof type === "string" ? type : type.type ?? "text";
    const value = entry === null ? null : await read(entry.bytes, wanted);
    return { value, metadata: entry?.metadata ?? null, cacheStatus: null };
  }

  return {
    getWithMetadata,
    get: async (key, type) => (await getWithMetadata(key, type)).value,
    put: async (key, value, given = {}) => {
      guard?.();
      checkKey(key, "PUT");
      const bytes = new Uint8Array(await toBuffer(value));
      checkPut(bytes, given, now());
      // Metadata travels as JSON: what JSON cannot hold is lost here as on the platform.
      const metadata = given.metadata === undefined || given.metadata === null
        ? null
        : JSON.parse(JSON.stringify(given.metadata));
      entries.set(key, { bytes, metadata, expiration: expiryOf(given, now()) });
    },
    delete: async (key) => {
      guard?.();
      checkKey(key, "DELETE");
      await Promise.resolve(entries.delete(key));
    },
    list: async (given = {}) => {
      guard?.();
      for (const key of entries.keys()) live(key);
      return await Promise.resolve(list(entries, given));
    },
  };
}

async function read(bytes: Uint8Array<ArrayBuffer>, type: KvType): Promise<unknown> {
  const response = new Response(bytes.slice());
  if (type === "json") return await response.json();
  if (type === "arrayBuffer") return await response.arrayBuffer();
  return type === "stream" ? response.body : await response.text();
}

async function toBuffer(value: unknown): Promise<ArrayBuffer> {
  const body = typeof value === "object" && value !== null ? value : String(value);
  const accepted = typeof body === "string" || body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body) || body instanceof ReadableStream;
  if (accepted) return await new Response(body as BodyInit).arrayBuffer();
  throw new TypeError(
    "KV put() accepts only strings, ArrayBuffers, ArrayBufferViews, and ReadableStreams as values.",
  );
}
