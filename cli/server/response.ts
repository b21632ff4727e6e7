import { RequestError } from "@framework/auth";
import { type ServerResponse, validateHeaderName, validateHeaderValue } from "node:http";
import { logFailure } from "./log.ts";
import { describe, discardRest } from "./request.ts";

/** Milliseconds in which a client must take 64 KiB of an answer. */
const SEND_TIMEOUT = 60_000;
const PIECE = 64 * 1024;

/**
 * Headers that belong to one connection (RFC 9110, 7.6.1). Of an application they are those of another connection, as a
 * response that it passes on has them: written here, they would move the end of the body (request smuggling).
 */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Sends a response, as fast as the client takes it. A body that is longer or shorter than its Content-Length ends the
 * connection: everything behind it would be read as another response.
 *
 * @param response What the application answered.
 * @param outgoing The response as Node writes it.
 */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const { body } = response;
  const hasBody = outgoing.req.method !== "HEAD" && body !== null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    let rest = writeHead(response, outgoing);
    if (!hasBody) {
      await body?.cancel();
      return end(outgoing);
    }
    // What comes in parts may begin long before its first one.
    timer = setTimeout(() => outgoing.flushHeaders(), 20);
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer);
      rest -= part.value.length;
      if (rest < 0) await reader.cancel();
      if (rest < 0) throw new LengthError("longer");
      for (let at = 0; at < part.value.length; at += PIECE) {
        if (outgoing.destroyed) return await reader.cancel();
        if (!outgoing.write(part.value.subarray(at, at + PIECE))) await untilDrained(outgoing);
      }
    }
    if (rest > 0 && rest < Infinity) throw new LengthError("shorter");
    end(outgoing);
  } catch (error) {
    // What a client breaks off is no error of the application.
    if (!outgoing.destroyed && !(error instanceof RequestError)) {
      logFailure("response-failed", error, describe(outgoing.req));
    }
    if (!outgoing.headersSent) return refuse(outgoing, 500, "Something went wrong");
    // Only a broken connection tells that the body is no whole one.
    outgoing.destroy();
  } finally {
    clearTimeout(timer);
  }
}

class LengthError extends Error {
  override readonly name: string = "LengthError";
  constructor(difference: "longer" | "shorter") {
    super(`The body of a response is ${difference} than its Content-Length.`);
  }
}

/**
 * Sets status and headers.
 *
 * @returns Number of bytes that the body has to have; infinite when the headers do not tell.
 * @throws {TypeError} For a header that HTTP/1.1 cannot carry, before any is set.
 */
function writeHead({ status, headers, body }: Response, outgoing: ServerResponse): number {
  // That of Response.error().
  if (status < 200) throw new TypeError(`A response cannot have the status ${status}.`);
  const named = headers.get("connection")?.toLowerCase().split(",").map((name) => name.trim());
  const length = headers.get("content-length");
  const isLength = length !== null && /^\d+$/.test(length) && status !== 204 &&
    (body !== null || outgoing.req.method === "HEAD" || status === 304);
  const kept = [...headers].filter(([name]) =>
    !OF_CONNECTION.has(name) && !named?.includes(name) && (name !== "content-length" || isLength)
  );
  for (const [name, value] of kept) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  outgoing.statusCode = status;
  for (const [name, value] of kept) outgoing.appendHeader(name, value);
  return isLength ? Number(length) : Infinity;
}

/**
 * Answers without the application.
 *
 * @param outgoing The response as Node writes it, of which nothing is sent.
 * @param status Its status.
 * @param text Its body, a line.
 */
export function refuse(outgoing: ServerResponse, status: number, text: string): void {
  // Those of a response that failed before its first byte.
  for (const name of outgoing.getHeaderNames()) {
    if (name !== "connection") outgoing.removeHeader(name);
  }
  outgoing.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  end(outgoing, `${text}\n`);
}

function end(outgoing: ServerResponse, text?: string): void {
  discardRest(outgoing.req);
  outgoing.end(text);
}

/** Waits until the connection takes more, or has ended; ends one whose client takes nothing. */
function untilDrained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), SEND_TIMEOUT);
    const done = (): void => {
      clearTimeout(timer);
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.once("drain", done);
    outgoing.once("close", done);
  });
}
