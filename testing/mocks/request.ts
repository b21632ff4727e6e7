import { ORIGIN, resolveAddress } from "../context/fetch.ts";

/** What `createMockRequest` takes besides the path. */
export interface MockRequestInit {
  /** Default: `POST` with a body, else `GET`. */
  method?: string;
  /** Default: none; `content-type: application/json` with a body that becomes JSON. */
  headers?: HeadersInit;
  /** What `fetch` takes, or a plain object or list, which becomes JSON. */
  body?: BodyInit | object | null;
}

/**
 * Makes a request for a handler, a loader or a middleware that is called directly.
 *
 * @param path Path with query, relative to `http://localhost`, and a path also when it begins with `//`; or an absolute address.
 * @param init Method, headers and body.
 * @example
 * ```ts
 * import { createMockRequest } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * const request = createMockRequest("/api/items", { body: { name: "one" } });
 * assert.equal(request.method, "POST");
 * assert.equal(request.headers.get("content-type"), "application/json");
 * assert.deepEqual(await request.json(), { name: "one" });
 * ```
 */
export function createMockRequest(path: string, init: MockRequestInit = {}): Request {
  const headers = new Headers(init.headers);
  const given = init.body ?? null;
  const body = isPlain(given) ? JSON.stringify(given) : given as BodyInit | null;
  if (isPlain(given) && !headers.has("content-type")) {
    headers.set("content-type", "application/json");
  }
  const method = init.method ?? (body === null ? "GET" : "POST");
  return new Request(resolveAddress(path, ORIGIN), { method, headers, body });
}

function isPlain(body: BodyInit | object | null): boolean {
  if (typeof body !== "object" || body === null) return false;
  const prototype = Object.getPrototypeOf(body);
  return Array.isArray(body) || prototype === Object.prototype || prototype === null;
}
