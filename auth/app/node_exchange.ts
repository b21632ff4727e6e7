/**
 * Requests and responses of Node, as those of the web platform and back.
 *
 * @module
 */

import type { EventEmitter } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** As `auth` checks it by the header itself: what is more than a name and a port would take the path's place. */
const HOST = /^[\w.:[\]-]+$/;

/** Path and query. Express takes its own part off `url` where a router is mounted, and keeps all of it. */
export function targetOf(incoming: IncomingMessage & { originalUrl?: string }): string {
  return incoming.originalUrl ?? incoming.url ?? "/";
}

/**
 * The body of a request for an endpoint: from the connection, or written anew from what a parser of Express that was there
 * before has made of it.
 *
 * @throws {Error} When nothing of it is left.
 */
export function endpointBody(incoming: IncomingMessage & { body?: unknown }): BodyInit | null {
  const { method = "GET", body, readableDidRead } = incoming;
  if (method === "GET" || method === "HEAD") return null;
  if (!readableDidRead) return bodyOf(incoming);
  if (typeof body === "string" || body instanceof Uint8Array) return body as BodyInit;
  const type = incoming.headers["content-type"]?.split(";", 1).join().trim().toLowerCase();
  if (type === "application/json" && body !== undefined) return JSON.stringify(body);
  if (type === "application/x-www-form-urlencoded" && Object(body) === body) {
    // Several values of one name are a list; what has names in it, as of "a[b]=1", is no field of an endpoint.
    const fields = Object.entries(body as object)
      .flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
      .filter(([, value]) => typeof value === "string");
    return new URLSearchParams(fields).toString();
  }
  throw new Error(
    "The body has been read already, and nothing of it is left: place nodeAuth() before the parser that read it",
  );
}

/**
 * True when headers may be missing: Node drops those behind `maxHeadersCount` of its server. A client that fills it would
 * hide what a proxy has written behind its own, such as the one X-Forwarded-For that is to be believed.
 */
export function isCut(incoming?: Partial<IncomingMessage>): boolean {
  const { server } = Object(incoming?.socket) as { server?: Server };
  const limit = 2 * (server?.maxHeadersCount ?? 1000);
  return limit > 0 && (incoming?.rawHeaders?.length ?? 0) >= limit;
}

/** The response to what {@linkcode toRequest} refuses. */
export function refusalOf(incoming: IncomingMessage): Response {
  return isCut(incoming)
    ? new Response("Too many headers", { status: 431 })
    : new Response("Bad request", { status: 400 });
}

/**
 * The request of the web platform, aborted when the client hangs up.
 *
 * @throws {TypeError} For what is none there: TRACE, or a whole address in the place of a path. For headers of which some
 * may be missing.
 */
export function toRequest(
  incoming: IncomingMessage,
  outgoing: EventEmitter,
  body: BodyInit | null = null,
): Request {
  const { method = "GET", headers: given, rawHeaders, socket } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    // Of HTTP/2 `:path` and the like are no headers, and `:authority` is what Host was.
    const header = name === ":authority" ? "host" : name;
    if (value !== undefined && !header.startsWith(":")) headers.set(header, String(value));
  }
  if (given.authorization !== undefined) {
    const all = rawHeaders.filter((_, index) =>
      index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === "authorization"
    );
    // Of several Node keeps the first: who sends two keys is to be refused. The one may be what a middleware has put there.
    if (all.length > 1) headers.set("authorization", all.join(", "));
  }
  // Node has given leave to send the body by itself, and what is on its way is read before a refusal.
  headers.delete("expect");
  const target = targetOf(incoming);
  if (isCut(incoming)) throw new TypeError("Headers may be missing");
  if (!target.startsWith("/")) throw new TypeError(`${target} is no path`);
  const host = headers.get("host") ?? "";
  const scheme = "encrypted" in socket && socket.encrypted ? "https" : "http";
  // Joined, not resolved: for "//evil.example/" a resolver would take the host out of the path.
  const base = HOST.test(host) && URL.canParse(`${scheme}://${host}`) ? host : "localhost";
  // Who hangs up leaves the queue of password hashes.
  const end = new AbortController();
  outgoing.once("close", () => end.abort());
  const init = { method, headers, signal: end.signal, duplex: "half" };
  // What was written anew has another length, and is not compressed.
  if (body !== null && !(body instanceof ReadableStream)) {
    headers.delete("content-length");
    headers.delete("content-encoding");
  }
  return new Request(
    `${scheme}://${base}${target}`,
    { ...init, body } as RequestInit,
  );
}

/** The body, read from the connection when it is asked for. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let parts: AsyncIterator<Uint8Array> | undefined;
  return new ReadableStream({
    async pull(controller) {
      parts ??= incoming[Symbol.asyncIterator]();
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    // The connection stays: the answer is still to be written to it.
    cancel() {},
  }, { highWaterMark: 0 });
}

/** Waits until the connection takes more, or has ended. */
function untilDrained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.once("drain", done);
    outgoing.once("close", done);
  });
}

/** Headers of what the application began to say, and does not say any more. */
const CONTENT = /^(?:content-.*|transfer-encoding|etag|last-modified|accept-ranges)$/;

/** Puts headers in the place of the application's own: cookies beside them, and names of Vary among them. */
export function putHeaders({ headers }: Pick<Response, "headers">, outgoing: ServerResponse): void {
  for (const [name, value] of headers) {
    if (name === "set-cookie") outgoing.appendHeader(name, value);
    else if (name !== "vary") outgoing.setHeader(name, value);
    else {
      const names = [outgoing.getHeader(name) ?? [], value].flat().join(", ").split(/\s*,\s*/);
      outgoing.setHeader(name, [...new Set(names)].join(", "));
    }
  }
}

/** Pairs of names and values, of whatever `writeHead()` takes for headers. */
function pairsOf(given: unknown): [string, unknown][] {
  if (!Array.isArray(given)) return Object.entries(Object(given));
  if (given.every(Array.isArray)) return given as [string, unknown][];
  return given.flatMap((name, index) => index % 2 === 0 ? [[String(name), given[index + 1]]] : []);
}

/** Puts what `writeHead()` is given beside the headers that are there, or nothing of it: a length alone would be a wrong one. */
function setAll(given: unknown, outgoing: ServerResponse): void {
  const before = Object.entries(outgoing.getHeaders());
  const replaced = new Set<string>();
  try {
    for (const [name, value] of pairsOf(given)) {
      if (replaced.has(name.toLowerCase())) {
        outgoing.appendHeader(name, [value].flat().map(String));
      } else outgoing.setHeader(name, value as string);
      replaced.add(name.toLowerCase());
    }
  } catch (error) {
    for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
    for (const [name, value] of before) outgoing.setHeader(name, value!);
    throw error;
  }
}

/** Calls a function once, when the headers are about to go, those that `writeHead()` is given among them. */
export function beforeHeaders(outgoing: ServerResponse, settle: () => void): void {
  const { writeHead } = outgoing;
  outgoing.writeHead = function write(status: number, ...rest: unknown[]) {
    const message = typeof rest[0] === "string" ? [rest[0]] : [];
    // What fails here, such as a header with a line end, may be tried anew.
    setAll(rest[message.length], outgoing);
    outgoing.writeHead = writeHead;
    settle();
    return writeHead.call(outgoing, status, ...message as []);
  } as typeof writeHead;
}

/** Sends a response, as fast as the connection takes it. */
export async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status;
  for (const name of outgoing.getHeaderNames()) if (CONTENT.test(name)) outgoing.removeHeader(name);
  putHeaders(response, outgoing);
  const reader = response.body?.getReader();
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader!.read()) {
      if (outgoing.destroyed) return await reader!.cancel();
      if (!outgoing.write(part.value)) await untilDrained(outgoing);
    }
    outgoing.end();
  } catch (error) {
    // The headers have gone: only a broken connection tells that the body is no whole one.
    outgoing.destroy(error as Error);
  }
}
