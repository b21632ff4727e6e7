import {
  Agent,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { WorkerAddress } from "../emulator/runner.ts";
import { frontHeader, jobsPath } from "../emulator/shell.ts";
import { errorHeader, fromErrorHeader } from "../runtime/response_headers.ts";
import { asksForPage, escapeHtml, takesScript } from "./error_page.ts";
import { createHangWatch, type OpenRequest, type WorkerHang } from "./hang_watch.ts";
import { networkHost, scheduleOf } from "./host_check.ts";

/** Hop-by-hop headers (RFC 9110, section 7.6.1): they describe one connection, not the message. */
const perConnection = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Settings of requests to the worker. */
interface Front {
  /** True when browsers reach the server by https. */
  secure: boolean;
  /** Secret that the worker requires. */
  secret: string;
}

/** Additions of the development server to a response. */
export interface Addition {
  /** The error in the application's own terms, which takes the place of its stack; empty without an error. */
  message: string;
  /** Markup to put behind a page. */
  markup: string;
}

/** Forwards requests to the worker. */
export interface Proxy {
  /**
   * Forwards a request and its response. Rejects only while nothing has been sent: with a
   * {@linkcode WorkerHang} when the worker answers nothing at all.
   *
   * @param addition Makes what an answer tells besides, of the unexpected error's stack if there is one.
   */
  pass(
    request: IncomingMessage,
    response: ServerResponse,
    addition: (error: string | null) => Promise<Addition>,
  ): Promise<void>;
  /** Connects a client that asks for another protocol, as web sockets do, with the worker. */
  upgrade(request: IncomingMessage, client: Duplex, head: Uint8Array): void;
  close(): void;
}

/** Options for {@linkcode createProxy}. */
export interface ProxyOptions {
  /** True when browsers reach the server over https; the worker's `request.url` then says so. */
  secure: boolean;
  /**
   * Called for a cookie that the browser drops, because it is Secure and was sent over http from a
   * network address.
   */
  onDroppedCookie?(details: { name: string; host: string }): void;
  /** Called for a worker that answers nothing, after its open requests were given up. */
  onHang?(reason: WorkerHang): void;
}

/**
 * Creates a proxy to one start of the worker; its connections end with it.
 *
 * @param target The emulator's address, and what it demands.
 * @param options The server that the proxy is behind.
 */
export function createProxy(target: WorkerAddress, options: ProxyOptions): Proxy {
  const { secure, onDroppedCookie, onHang } = options;
  const { hostname, port } = new URL(target.url);
  const control = new URL(target.control);
  const front: Front = { secure, secret: target.secret };
  // A worker that refuses a request without reading its body closes the connection, and the next
  // request on it would fail.
  const agent = new Agent({ keepAlive: false });
  const hangs = createHangWatch({ url: target.url, onHang: (reason) => onHang?.(reason) });
  return {
    pass: (incoming, response, addition) =>
      new Promise((resolve, reject) => {
        const isPage = asksForPage(incoming);
        const { url = "/" } = incoming;
        const jobs = scheduleOf(url) === null ? undefined : {
          hostname: control.hostname,
          port: control.port,
          path: jobsPath + new URL(`http://localhost${url}`).search,
        };
        const outgoing = httpRequest({
          ...(jobs ?? { hostname, port, path: url }),
          agent,
          method: incoming.method,
          // Compressed bodies cannot be appended to.
          headers: {
            ...requestHeaders(incoming, front),
            ...(isPage ? { "accept-encoding": "identity" } : {}),
          },
        });
        const open: OpenRequest = {
          name: `${incoming.method} ${url.split("?", 1)[0]}`,
          isBegun: false,
          isLeft: false,
          taken: 0,
          fail(reason) {
            reject(reason);
            outgoing.destroy(reason);
          },
        };
        hangs.add(open);
        outgoing.on("response", (answer) => {
          open.isBegun = true;
          answer.on("end", () => hangs.remove(open));
          const host = secure ? null : networkHost(incoming.headers.host);
          const dropped = host === null ? undefined : secureCookie(answer);
          if (host !== null && dropped !== undefined) onDroppedCookie?.({ name: dropped, host });
          const error = answer.headers[errorHeader];
          const tells = typeof error === "string" && isReadableJson(answer);
          const grows = isPage && takesScript(answer);
          const without = [errorHeader];
          if (grows || tells) without.push("content-length");
          if (tells) without.push("content-encoding");
          response.writeHead(
            answer.statusCode ?? 502,
            answer.statusMessage,
            responseHeaders(answer, without),
          );
          answer.on("error", () => response.destroy());
          if (tells) {
            void withMessage(answer, async (stack) => (await addition(stack)).message).then(
              (body) => response.end(body),
              () => response.destroy(),
            );
            return;
          }
          if (grows && typeof error === "string") {
            const stack = fromErrorHeader(error);
            void explainedPage(answer, stack, addition(stack)).then(
              (body) => response.end(body),
              () => response.destroy(),
            );
            return;
          }
          answer.pipe(response, { end: !grows });
          if (!grows) return;
          const added = addition(null);
          answer.on("end", () => void added.then(({ markup }) => response.end(markup)));
        });
        // Also when the browser disconnects before the worker has answered.
        response.on("close", () => {
          open.isLeft = true;
          outgoing.destroy();
          resolve();
        });
        outgoing.on("error", (error) => {
          if (!open.isLeft) hangs.remove(open);
          // What was sent else is an answer about the failure.
          if (open.isBegun) response.destroy();
          else reject(error);
        });
        incoming.on("data", (part: Uint8Array) => open.taken += part.length);
        incoming.pipe(outgoing);
      }),
    upgrade(incoming, client, head) {
      const worker = connect(Number(port), hostname, () => {
        worker.write(upgradeHead(incoming, front));
        worker.write(head);
        worker.pipe(client).pipe(worker);
      });
      worker.on("error", () => client.destroy());
      client.on("error", () => worker.destroy());
    },
    close() {
      hangs.close();
      agent.destroy();
    },
  };
}

/**
 * Returns the browser's headers, in particular Host, from which the worker's `request.url` is made.
 * Headers that only the emulator or the platform may set are removed: a page could otherwise choose
 * its own URL or client address.
 */
function requestHeaders(
  incoming: IncomingMessage,
  front: Front,
): Record<string, string | string[]> {
  const { rawHeaders, socket, headers: { host = "localhost" } } = incoming;
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of pairs(rawHeaders)) {
    const key = name.toLowerCase();
    if (perConnection.has(key) || key.startsWith("mf-") || key.startsWith("cf-")) continue;
    const before = headers[key];
    headers[key] = before === undefined ? value : [before, value].flat();
  }
  headers[frontHeader] = front.secret;
  if (front.secure) headers["mf-original-url"] = `https://${host}${incoming.url}`;
  headers["cf-connecting-ip"] = socket.remoteAddress ?? "127.0.0.1";
  return headers;
}

function upgradeHead(incoming: IncomingMessage, front: Front): string {
  const headers = {
    ...requestHeaders(incoming, front),
    connection: "Upgrade",
    upgrade: incoming.headers.upgrade ?? "websocket",
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${each}`)
  );
  return [`${incoming.method} ${incoming.url} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}

function responseHeaders(
  { rawHeaders }: IncomingMessage,
  without: string[],
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of pairs(rawHeaders)) {
    const key = name.toLowerCase();
    if (perConnection.has(key) || without.includes(key)) continue;
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

/** Decoders of the emulator's content encodings. */
const decoders: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
};

function encodingOf({ headers }: IncomingMessage): string {
  return headers["content-encoding"] ?? "identity";
}

function isReadableJson(answer: IncomingMessage): boolean {
  const type = answer.headers["content-type"] ?? "";
  return type.startsWith("application/json") && Object.hasOwn(decoders, encodingOf(answer));
}

/**
 * Returns the body of an unexpected error, with positions in the application's files in place of
 * the built worker's.
 */
async function withMessage(
  answer: IncomingMessage,
  explain: (stack: string) => Promise<string>,
): Promise<string> {
  const bytes = await buffer(answer);
  const body = JSON.parse(new TextDecoder().decode(decoders[encodingOf(answer)]!(bytes)));
  return JSON.stringify({ ...body, message: await explain(String(body.message)) });
}

/** A page that failed: where it shows the error's stack, with places in the application's files. */
async function explainedPage(
  answer: IncomingMessage,
  stack: string,
  added: Promise<Addition>,
): Promise<string> {
  const page = new TextDecoder().decode(await buffer(answer));
  const { message, markup } = await added;
  // The two ways in which pages are escaped: by the runtime, and by JSX.
  const escaped = [escapeHtml(stack), stack.replace(/[&<>"']/g, (found) => entities[found]!)];
  const shown = escaped.reduce(
    (text, each) => text.replaceAll(each, () => escapeHtml(message)),
    page,
  );
  return shown + markup;
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Name of the first cookie that the answer sets and that is Secure; one that is taken away is not set. */
function secureCookie({ headers }: IncomingMessage): string | undefined {
  const line = headers["set-cookie"]?.find((line) =>
    /;\s*secure\s*(?:;|$)/i.test(line) && !/;\s*max-age=0\s*(?:;|$)/i.test(line)
  );
  return line?.split("=", 1)[0];
}

function* pairs(rawHeaders: readonly string[]): Generator<[string, string]> {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    yield [rawHeaders[index]!, rawHeaders[index + 1]!];
  }
}
