/**
 * Request bodies: form fields, size limits, discarding the rest.
 *
 * @module
 */

import { ConfigurationError, RequestError } from "../errors.ts";
import { isWorkerPlatform } from "./runtime.ts";

/** The media type of the body, lower case and without parameters; null when none is given. */
export function mediaType({ headers }: { headers: Headers }): string | null {
  const [type] = headers.get("content-type")?.split(";", 1) ?? [];
  return type?.trim().toLowerCase() ?? null;
}

/**
 * Tests if Content-Length bounds the body. In workers it does except with chunked encoding: workerd
 * then passes on a Content-Length next to it that means nothing (RFC 9112, 6.3).
 */
function isMeasured({ headers }: Request): boolean {
  return headers.get("content-length") !== null && isWorkerPlatform() &&
    headers.get("transfer-encoding") === null;
}

/**
 * The bytes of a body. What is longer than the limit is not read to its end, and is null.
 *
 * @throws What the platform throws when the other side goes away.
 */
export async function readLimited(
  { body }: Request | Response,
  limit: number,
): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  // In workers an iterator costs twice as much.
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    length += read.value.length;
    if (length > limit) {
      await reader.cancel();
      return null;
    }
    chunks.push(read.value);
  }
  // Most bodies come in one piece.
  return chunks.length === 1 ? chunks[0]! : new Uint8Array(await new Blob(chunks).arrayBuffer());
}

const MAX_BYTES = 32 * 1024;
const FORMATS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "application/json",
  "application/x-www-form-urlencoded",
]);
const utf8 = /* @__PURE__ */ new TextDecoder();

/** The text of a body; null when it is too long. */
async function readWithin(request: Request): Promise<string | null> {
  if (Number(request.headers.get("content-length")) > MAX_BYTES) return null;
  // To count costs ten times as much.
  if (isMeasured(request)) return await request.text();
  const bytes = await readLimited(request, MAX_BYTES);
  return bytes && utf8.decode(bytes);
}

async function receive(request: Request): Promise<string> {
  if (request.bodyUsed) {
    throw new ConfigurationError(
      "The body of this request has been read already: call auth.handle() before anything else reads it",
    );
  }
  const text = await readWithin(request).catch((cause) => {
    throw new RequestError("The body ended early", { cause });
  });
  // A request that a program has made may announce what it likes.
  if (text === null || text.length > MAX_BYTES) {
    throw new RequestError(undefined, { code: "PAYLOAD_TOO_LARGE" });
  }
  // What stands in the place of bytes that are no UTF-8. Nobody types it.
  if (text.includes("\uFFFD")) throw new RequestError("The body is not UTF-8");
  return text;
}

const received = /* @__PURE__ */ new WeakMap<Request, Promise<string>>();

/**
 * Waits until the fields of a request are here, before anybody asks who sends it: a body whose last byte is held back would
 * keep what was right at its first one. What is wrong with it is said by {@linkcode readFields}.
 */
export async function receiveFields(request: Request): Promise<void> {
  const type = mediaType(request);
  if (type !== null && !FORMATS.has(type)) return;
  const receiving = received.get(request) ?? receive(request);
  received.set(request, receiving);
  await receiving.catch(() => {});
}

function parseJson(text: string): Map<string, string> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new RequestError("The body is not JSON", { cause });
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new RequestError("The body must be a JSON object");
  }
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== "string") {
      throw new RequestError("Every value of the body must be a string");
    }
    fields.set(name, value);
  }
  return fields;
}

/** Fields of a form or an address. Two values for one name are read differently by different programs. */
export function readPairs(pairs: URLSearchParams, what: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (fields.has(name)) throw new RequestError(`The ${what} was sent twice`);
    fields.set(name, value);
  }
  return fields;
}

/**
 * Reads the fields of a form or of a flat JSON object of texts. They come as a map, so that no name can
 * be one that objects have already.
 *
 * @param options `optional`: a request without a body has no fields.
 * @throws {ConfigurationError} When something else has read the body.
 * @throws {RequestError} 413 above 32 KiB, 415 for other types, 400 for what is malformed.
 */
export async function readFields(
  request: Request,
  options: { optional: boolean },
): Promise<ReadonlyMap<string, string>> {
  const type = mediaType(request);
  const isJson = type === "application/json";
  const isKnown = type !== null && FORMATS.has(type);
  const { optional } = options;
  const text = isKnown || (optional && type === null)
    ? await (received.get(request) ?? receive(request))
    : null;
  if (optional && text === "") return new Map();
  if (text === null || !isKnown) {
    throw new RequestError(undefined, { code: "UNSUPPORTED_MEDIA_TYPE" });
  }
  return isJson ? parseJson(text) : readPairs(new URLSearchParams(text), "field of the form");
}

/** Maximum number of bytes read from a body that is discarded. */
const MAX_DISCARDED: number = 16 * 1024 * 1024;

/**
 * Reads a body to its end, and keeps nothing of it. What is longer than 16 MiB, or slower than the timeout, is
 * cancelled.
 *
 * @param timeout Milliseconds.
 * @throws What the platform throws when the other side goes away.
 */
async function discard(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  timeout: number = 5000,
): Promise<void> {
  const giveUp = (): Promise<void> => reader.cancel().catch(() => {});
  const timer = setTimeout(giveUp, timeout);
  try {
    let left = MAX_DISCARDED;
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      left -= read.value.length;
      if (left < 0) return await giveUp();
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads what was left of the body of a request that was refused, before the answer is given: a server that answers
 * and hangs up while the client still sends makes the client see a broken connection in the place of the
 * answer. What is longer than 16 MiB, or slower than five seconds, is not waited for, and nothing of a client that itself
 * waits for leave to send (`Expect: 100-continue`).
 *
 * @param request The request.
 * @param response The answer. After a success nothing is read: it may be made of the body while it is sent.
 * @param timeout Milliseconds to wait. Default: 5,000.
 *
 * @example
 * ```ts
 * import { drainBody } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * const request = new Request("https://app.example/", { method: "POST", body: "unwanted" });
 * await drainBody(request, new Response("Forbidden", { status: 403 }));
 * equal(request.bodyUsed, true);
 * ```
 */
export async function drainBody(
  request: Request,
  response: Response,
  timeout: number = 5000,
): Promise<void> {
  if (response.ok) return;
  try {
    if (request.headers.has("expect")) return;
    if (Number(request.headers.get("content-length")) > MAX_DISCARDED) return;
    await discard(request.body!.getReader(), timeout);
  } catch {
    // There is no body, or somebody else reads it. A request that a server makes only when it is looked at may be none.
  }
}

/**
 * Limits the body of a request, whoever reads it and however: what announces more is refused at once, and what
 * announces nothing, or comes from a program that may announce what it likes, is counted while it is read. In
 * workers a request that announces its length is returned as it came, with the platform's own stream, which
 * lets no more come and whose length R2 knows.
 *
 * @param request The request. Where its body is counted, read that of the result instead.
 * @param limit The most bytes that the body may have.
 * @returns The request whose body is to be read. Reading more than the limit rejects with the same error.
 * @throws {RequestError} `PAYLOAD_TOO_LARGE` (413) when more is announced.
 *
 * @example
 * ```ts
 * import { limitBody } from "@framework/auth/convention";
 * import { equal, rejects } from "node:assert/strict";
 *
 * const post = (body: string) => new Request("https://app.example/", { method: "POST", body });
 * equal(await limitBody(post("short"), 1024).text(), "short");
 * await rejects(limitBody(post("x".repeat(2000)), 1024).text(), { code: "PAYLOAD_TOO_LARGE" });
 * ```
 */
export function limitBody(request: Request, limit: number): Request {
  if (request.body === null) return request;
  if (Number(request.headers.get("content-length")) > limit) throw tooLarge();
  if (isMeasured(request)) return request;
  const reader = request.body.getReader();
  let length = 0;
  const counted = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      length += value.length;
      if (length <= limit) return controller.enqueue(value);
      // The client would not see the answer while it sends.
      await discard(reader);
      controller.error(tooLarge());
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return new Request(request, { body: counted, duplex: "half" } as RequestInit);
}

function tooLarge(): RequestError {
  return new RequestError(undefined, { code: "PAYLOAD_TOO_LARGE" });
}
