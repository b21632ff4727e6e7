import { RequestError } from "@framework/auth";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FindAddress } from "./address.ts";

/** Milliseconds in which the next part of a body must come while the application waits for it. */
const BODY_TIMEOUT = 30_000;

/** Bytes and milliseconds for the part of a body that the application did not read. */
const MAX_REST = 16 * 1024 * 1024;
const REST_TIMEOUT = 10_000;

/**
 * Headers by which proxies tell what a server cannot see. Those of Workers' own network are among them. With underscores
 * too: they are others here, and the same to a program of CGI or WSGI to which the application may pass a request on.
 */
const OF_PROXIES =
  /^(?:cf[-_].*|x[-_]forwarded[-_].*|forwarded|x[-_]real[-_]ip|x[-_]client[-_]ip|true[-_]client[-_]ip)$/;

/** Names of requests as proxies give them: nothing that a page or a log would have to quote. */
const REQUEST_ID = /^[\w.:=-]{8,128}$/;

/** Number of headers that a request may not reach: Node drops those behind it. */
export const MAX_HEADERS = 1000;

/** Response to what is no request of an application. */
export interface Refusal {
  status: 400 | 421 | 431 | 501;
  message: string;
}

/** Returns what the log says of a request before the application has it: a query may hold tokens. */
export function describe({ method, url = "" }: IncomingMessage): { method: unknown; path: string } {
  return { method, path: url.split("?", 1)[0]! };
}

/** Returns the address of the connection's other end; IPv4 in its own form. */
function peerOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, "") ?? "";
}

/**
 * Makes the web platform's request. What a client says about itself as a proxy would is not in it: the address of the
 * client is in `CF-Connecting-IP`, as on Workers, and nowhere else; so is in `CF-Ray` what a trusted proxy calls the
 * request in `X-Request-Id`.
 *
 * @param incoming The request as Node read it.
 * @param outgoing Its response, whose end aborts the request's signal.
 * @param findAddress The rule of the server's own hosts.
 */
export function toRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  findAddress: FindAddress,
): Request | Refusal {
  const { method = "GET", url = "" } = incoming;
  const refusal = checkHead(incoming) ?? checkTarget(url);
  if (refusal !== null) return refusal;
  const given = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) given.set(name, String(value));
  }
  // Of several Node keeps the first. Who sends two keys is to be refused, as on Workers.
  if (given.has("authorization")) {
    given.set("authorization", valuesOf(incoming, "authorization").join(", "));
  }
  const peer = peerOf(incoming);
  const address = findAddress(peer, hostOf(incoming), given);
  if (address === null) {
    return { status: 421, message: "This server does not answer for the host of the request." };
  }
  if (/^(?:CONNECT|TRACE|TRACK)$/i.test(method)) {
    return { status: 501, message: "This server has no such method." };
  }
  const headers = new Headers(given);
  for (const name of given.keys()) if (OF_PROXIES.test(name)) headers.delete(name);
  headers.set("cf-connecting-ip", address.client);
  const name = given.get("x-request-id") ?? "";
  if (address.client !== peer && REQUEST_ID.test(name)) headers.set("cf-ray", name);
  headers.set("host", new URL(address.origin).host);
  const end = new AbortController();
  outgoing.once("close", () => end.abort());
  const body = method === "GET" || method === "HEAD" || !hasBody(incoming)
    ? null
    : bodyOf(incoming, outgoing);
  // Joined, not resolved: for "//evil.example/" a resolver would take the host out of the path.
  return new Request(`${address.origin}${url}`, {
    method,
    headers,
    body,
    signal: end.signal,
    redirect: "manual",
    duplex: "half",
  } as RequestInit);
}

/**
 * Refuses what the application would not see as it came: headers of which some may be missing, such as the line of the
 * proxy itself behind those of a client, and a body in a coding that nobody here decodes (RFC 9112, 6.1).
 */
function checkHead({ rawHeaders, headers }: IncomingMessage): Refusal | null {
  if (rawHeaders.length >= 2 * MAX_HEADERS) {
    return { status: 431, message: `A request has fewer than ${MAX_HEADERS} headers.` };
  }
  const { "transfer-encoding": coding = "chunked" } = headers;
  if (coding.toLowerCase() === "chunked") return null;
  return { status: 501, message: "This server knows no transfer coding but chunked." };
}

/**
 * Refuses every target but a path (RFC 9112, 3.2.1): a whole address names another host than the Host header does, and
 * of a backslash and a NUL programs disagree about what they mean.
 */
function checkTarget(url: string): Refusal | null {
  const [path = ""] = url.split("?", 1);
  // deno-lint-ignore no-control-regex -- those are what is refused
  if (path.startsWith("/") && !/[\\\x00-\x20\x7f#]|%00/.test(path)) return null;
  return { status: 400, message: "The target of the request is not a path." };
}

/** All values of a header as they came. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) =>
    index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name
  );
}

/** The one Host header; more than one is refused (RFC 9112, 3.2). */
function hostOf(incoming: IncomingMessage): string | undefined {
  const [host, ...more] = valuesOf(incoming, "host");
  return more.length === 0 ? host : undefined;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Requests whose rest nobody may read any more: their response has been sent. */
const answered = new WeakSet<IncomingMessage>();

/**
 * The body, read from the connection when it is asked for. A client that waits for leave to send it (RFC 9110, 10.1.1) gets
 * it there, and the answer alone when nobody reads.
 */
function bodyOf(incoming: IncomingMessage, outgoing: ServerResponse): ReadableStream<Uint8Array> {
  let waits = incoming.headers.expect !== undefined && incoming.httpVersion !== "1.0";
  return new ReadableStream({
    async pull(controller) {
      if (answered.has(incoming)) {
        throw new TypeError("The body of a request cannot be read after its response was sent.");
      }
      if (waits && !outgoing.headersSent) outgoing.writeContinue();
      waits = false;
      const part = await readPart(incoming);
      if (part === null) controller.close();
      else controller.enqueue(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    },
    // The connection stays: the answer is still to be written to it.
    cancel() {},
  }, { highWaterMark: 0 });
}

/**
 * Reads the next part of a body; null behind the last one.
 *
 * @throws {RequestError} When the client breaks off, or sends nothing for too long: its fault, which nobody needs in the
 * log.
 */
function readPart(incoming: IncomingMessage): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const settle = (work: () => void): void => {
      // Behind the answer the rest flows past, also past a stream that has still asked for a part.
      if (!answered.has(incoming)) incoming.pause();
      clearTimeout(timer);
      for (const [event, listener] of listeners) incoming.off(event, listener);
      work();
    };
    const fail = (cause?: unknown): void => {
      settle(() => reject(new RequestError(undefined, { cause })));
    };
    const listeners = [
      ["data", (part: Uint8Array) => settle(() => resolve(part))],
      ["end", () => settle(() => resolve(null))],
      ["error", fail],
      ["close", () => fail()],
    ] as const;
    const timer = setTimeout(() => incoming.destroy(), BODY_TIMEOUT);
    if (incoming.readableEnded) return settle(() => resolve(null));
    if (incoming.destroyed) return fail();
    for (const [event, listener] of listeners) incoming.on(event, listener);
    incoming.resume();
  });
}

/**
 * Reads and drops what the application left of a body, because the connection's next request stands behind it. Who sends
 * too much or too slowly loses the connection.
 *
 * @param incoming A request that has its response.
 */
export function discardRest(incoming: IncomingMessage): void {
  answered.add(incoming);
  if (incoming.readableEnded || incoming.destroyed) return;
  let rest = MAX_REST;
  const timer = setTimeout(() => incoming.destroy(), REST_TIMEOUT);
  for (const event of ["end", "close"]) incoming.once(event, () => clearTimeout(timer));
  incoming.on("data", ({ length }: Uint8Array) => {
    rest -= length;
    if (rest < 0) incoming.destroy();
  });
  incoming.resume();
}
