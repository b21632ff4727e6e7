import { RequestError } from "@framework/auth";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FindAddress } from "./address.ts";

/** Milliseconds in which the next part of a body must come while the application waits for it. */
const BODY_TIMEOUT = 30_000;

/** Milliseconds in which a client must take 64 KiB of an answer. */
const SEND_TIMEOUT = 60_000;
const PIECE = 64 * 1024;

/** Headers by which proxies tell what a server cannot see. Those of Workers' own network are among them. */
const OF_PROXIES = /^(?:cf-.*|x-forwarded-.*|forwarded|x-real-ip|x-client-ip|true-client-ip)$/;

/** Response to what is no request of an application. */
export interface Refusal {
  status: 400 | 421 | 501;
  message: string;
}

/** Returns the address of the connection's other end; IPv4 in its own form. */
function peerOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, "") ?? "";
}

/**
 * Makes the web platform's request. What a client says about itself as a proxy would is not in it: the address of the
 * client is in `CF-Connecting-IP`, as on Workers, and nowhere else.
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
  const target = checkTarget(url);
  if (target !== null) return target;
  const given = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) given.set(name, String(value));
  }
  const address = findAddress(peerOf(incoming), hostOf(incoming), given);
  if (address === null) {
    return { status: 421, message: "This server does not answer for the host of the request." };
  }
  if (/^(?:CONNECT|TRACE|TRACK)$/i.test(method)) {
    return { status: 501, message: "This server has no such method." };
  }
  const headers = new Headers(given);
  for (const name of given.keys()) if (OF_PROXIES.test(name)) headers.delete(name);
  headers.set("cf-connecting-ip", address.client);
  headers.set("host", new URL(address.origin).host);
  const end = new AbortController();
  outgoing.once("close", () => end.abort());
  const body = method === "GET" || method === "HEAD" || !hasBody(incoming)
    ? null
    : bodyOf(incoming);
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
 * Refuses every target but a path (RFC 9112, 3.2.1): a whole address names another host than the Host header does, and
 * of a backslash and a NUL programs disagree about what they mean.
 */
function checkTarget(url: string): Refusal | null {
  const [path = ""] = url.split("?", 1);
  // deno-lint-ignore no-control-regex -- those are what is refused
  if (path.startsWith("/") && !/[\\\x00-\x20\x7f#]|%00/.test(path)) return null;
  return { status: 400, message: "The target of the request is not a path." };
}

/** The one Host header; more than one is refused (RFC 9112, 3.2). */
function hostOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  const count = names.filter((name) => name.toLowerCase() === "host").length;
  return count === 1 ? headers.host : undefined;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** The body, read from the connection when it is asked for. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let parts: AsyncIterator<Uint8Array> | undefined;
  return new ReadableStream({
    async pull(controller) {
      parts ??= incoming.iterator({ destroyOnReturn: false });
      const timer = setTimeout(() => incoming.destroy(), BODY_TIMEOUT);
      try {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
      } catch (cause) {
        // The client's fault, which nobody needs in the log.
        throw new RequestError(undefined, { cause });
      } finally {
        clearTimeout(timer);
      }
    },
    // The connection stays: the answer is still to be written to it.
    cancel() {},
  }, { highWaterMark: 0 });
}

/**
 * Sends a response, as fast as the client takes it.
 *
 * @param response What the application answered.
 * @param outgoing The response as Node writes it.
 */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  const reader = response.body?.getReader();
  // What comes in parts may begin long before its first one.
  const timer = reader && setTimeout(() => outgoing.flushHeaders(), 20);
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader!.read()) {
      clearTimeout(timer);
      for (let at = 0; at < part.value.length; at += PIECE) {
        if (outgoing.destroyed) return await reader!.cancel();
        if (!outgoing.write(part.value.subarray(at, at + PIECE))) await untilDrained(outgoing);
      }
    }
    outgoing.end();
  } catch {
    // The headers have gone: only a broken connection tells that the body is no whole one.
    outgoing.destroy();
  } finally {
    clearTimeout(timer);
  }
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
