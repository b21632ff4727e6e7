import { STATUS_CODES } from "node:http";
import { NotEmulatedError } from "../errors.ts";
import { cacheLifetime } from "./cache_lifetime.ts";

/** Response in a cache. */
export interface CacheEntry {
  status: number;
  headers: [string, string][];
  bytes: Uint8Array<ArrayBuffer>;
  /** Milliseconds since 1970 at which it is gone. */
  expiration: number;
}

/** Options of `match` and `delete`. */
export interface CacheQueryOptions {
  /** Takes a request of any method for a `GET`. */
  ignoreMethod?: boolean;
}

/** A cache with the platform's API. */
export interface Cache {
  match(
    request: Request | URL | string,
    options?: CacheQueryOptions,
  ): Promise<Response | undefined>;
  put(request: Request | URL | string, response: Response): Promise<void>;
  delete(request: Request | URL | string, options?: CacheQueryOptions): Promise<boolean>;
}

/** Store of a cache's responses, asked at each use. */
export interface CacheMedium {
  now(): number;
  /** Responses by their address. */
  entries: Map<string, CacheEntry>;
}

/**
 * Creates a cache that stores responses in memory; they expire by the clock of its medium.
 *
 * @param medium Returns the entries and the clock of whoever uses the cache now.
 * @see https://developers.cloudflare.com/workers/runtime-apis/cache/
 */
export function createCache(medium: () => CacheMedium): Cache {
  return {
    // deno-lint-ignore require-await -- a promise by contract.
    async match(given, options) {
      const ignoreMethod = readOptions(options);
      const { now, entries } = medium();
      const request = new Request(given);
      if (request.method !== "GET" && !ignoreMethod) return undefined;
      const entry = entries.get(keyOf(request));
      if (entry === undefined || entry.expiration <= now()) return undefined;
      return answer(request, entry);
    },
    async put(given, response) {
      const { now, entries } = medium();
      const request = new Request(given);
      if (request.method !== "GET") {
        throw new TypeError("Cannot cache response to non-GET request.");
      }
      if (response.status === 206) {
        throw new TypeError("Cannot cache response to a range request (206 Partial Content).");
      }
      if (response.headers.get("vary")?.includes("*")) {
        throw new TypeError("Cannot cache response with 'Vary: *' header.");
      }
      const time = now();
      const bytes = new Uint8Array(await response.arrayBuffer());
      const lifetime = cacheLifetime(request, response, time);
      // What may not be stored is dropped without a word.
      if (lifetime === null) return;
      const headers = new Headers(response.headers);
      if (lifetime.cacheControl !== undefined) {
        headers.delete("set-cookie");
        headers.set("cache-control", lifetime.cacheControl);
      }
      headers.set("content-length", String(bytes.length));
      for (const name of ["connection", "transfer-encoding"]) headers.delete(name);
      headers.set("age", String(Number(headers.get("age") ?? 0) || 0));
      headers.set("date", new Date(time).toUTCString());
      entries.set(keyOf(request), {
        status: response.status,
        headers: [...headers],
        bytes,
        expiration: time + lifetime.milliseconds,
      });
    },
    // deno-lint-ignore require-await -- a promise by contract.
    async delete(given, options) {
      const ignoreMethod = readOptions(options);
      const { now, entries } = medium();
      const request = new Request(given);
      if (request.method !== "GET" && !ignoreMethod) return false;
      const entry = entries.get(keyOf(request));
      entries.delete(keyOf(request));
      return entry !== undefined && entry.expiration > now();
    },
  };
}

/** True when other methods count as `GET`. Throws for the options that the platform refuses. */
function readOptions(options: CacheQueryOptions | null | undefined): boolean {
  const { ignoreMethod = false, ...rest } = options ?? {};
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined || !["ignoreSearch", "ignoreVary"].includes(name)) continue;
    throw new Error(`The '${name}' field on 'CacheQueryOptions' is not implemented.`);
  }
  return ignoreMethod;
}

/** A response whose headers cannot be changed, as of one that came over the network. */
function sealed(body: BodyInit | null, status: number, headers: HeadersInit): Response {
  const response = new Response(body, { status, statusText: STATUS_CODES[status] ?? "", headers });
  for (const name of ["append", "delete", "set"]) {
    Object.defineProperty(response.headers, name, {
      value: () => {
        throw new TypeError("Can't modify immutable headers.");
      },
    });
  }
  return response;
}

/** Address without its fragment. */
function keyOf({ url }: Request): string {
  return url.split("#", 1)[0]!;
}

/** Answers a request with a stored response, as its conditions and its range ask. */
function answer(request: Request, { status, headers: stored, bytes }: CacheEntry): Response {
  const headers = new Headers(stored);
  headers.set("cf-cache-status", "HIT");
  const range = request.headers.get("range");
  const asked = range === null ? undefined : readRange(range, bytes.length);
  if (asked === null) {
    return sealed(null, 416, {
      "content-range": `bytes */${bytes.length}`,
      "cf-cache-status": "HIT",
    });
  }
  if (isUnchanged(request.headers, headers)) return sealed(null, 304, headers);
  if (asked === undefined) {
    return sealed(bytes.slice(), status, headers);
  }
  const { start, end } = asked;
  headers.set("content-range", `bytes ${start}-${end}/${bytes.length}`);
  headers.set("content-length", String(end - start + 1));
  return sealed(bytes.slice(start, end + 1), 206, headers);
}

function isUnchanged(asked: Headers, stored: Headers): boolean {
  const tag = tagOf(stored.get("etag") ?? "");
  const known = asked.get("if-none-match");
  if (tag !== undefined && known !== null) {
    if (known.trim() === "*" || known.split(",").some((each) => tagOf(each) === tag)) return true;
  }
  const since = Date.parse(asked.get("if-modified-since") ?? "");
  return Date.parse(stored.get("last-modified") ?? "") <= since;
}

function tagOf(text: string): string | undefined {
  return /^(?:W\/)?"(.+)"$/.exec(text.trim())?.[1];
}

/** Reads a range of bytes: null when it lies outside, undefined when it is the whole. */
function readRange(text: string, size: number): { start: number; end: number } | undefined | null {
  const [, first = "", last = "", more] = /^bytes=(\d*)-(\d*)(,.*)?$/i.exec(text.trim()) ?? [];
  if (more !== undefined) throw new NotEmulatedError("caches", "global", "several ranges");
  if (first === "" && last === "") return /^bytes=$/i.test(text.trim()) ? undefined : null;
  if (first === "" && (Number(last) === 0 || Number(last) >= size)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start > end ? null : { start, end };
}
