/**
 * Handler for Node's own servers, Express and Connect.
 *
 * @module
 */

import type { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestStore } from "../core/contracts.ts";
import {
  findRunningRequest,
  processEnvironment,
  runWithRequest,
  waitUntil,
} from "../lib/runtime.ts";
import { errorResponse } from "../pages/trouble.ts";
import type { Auth } from "../session/context_auth.ts";
import { settingsOf } from "../session/settings_of.ts";
import { isAnswer } from "./door.ts";
import { checkAtStart, sayBaseUrl } from "./production.ts";

/** The application's own work, of `node:http`. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Handler of a request: a listener of `node:http`, or middleware of Express and Connect. */
export interface NodeAuth {
  /** Answers what is below `/auth`; for everything else reads the session, and hands the request on. */
  (
    request: IncomingMessage,
    response: ServerResponse,
    next?: (error?: unknown) => void,
  ): Promise<void>;
  /** Error handler of Express and Connect, the last of all: it answers what `requireAuth()` and its like throw. */
  errors(
    error: unknown,
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => void,
  ): void;
}

/** As `auth` checks it by the header itself: what is more than a name and a port would take the path's place. */
const HOST = /^[\w.:[\]-]+$/;

/** Path and query. Express takes its own part off `url` where a router is mounted, and keeps all of it. */
function targetOf(incoming: IncomingMessage & { originalUrl?: string }): string {
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
 * The request of the web platform, aborted when the client hangs up.
 *
 * @throws {TypeError} For what is none there: TRACE, or a whole address in the place of a path.
 */
export function toRequest(
  incoming: IncomingMessage,
  outgoing: EventEmitter,
  body: BodyInit | null = null,
): Request {
  const { method = "GET", headers: given, socket } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    // Of HTTP/2 `:path` and the like are no headers.
    if (value !== undefined && !name.startsWith(":")) headers.set(name, String(value));
  }
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
    `${scheme}://${base}${targetOf(incoming)}`,
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

function addHeaders(response: Response, outgoing: ServerResponse): void {
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
}

/** Pairs of names and values, of whatever `writeHead()` takes for headers. */
function pairsOf(given: unknown): [string, unknown][] {
  if (!Array.isArray(given)) return Object.entries(Object(given));
  if (given.every(Array.isArray)) return given as [string, unknown][];
  return given.flatMap((name, index) => index % 2 === 0 ? [[String(name), given[index + 1]]] : []);
}

/** Calls a function once, when the headers are about to go, those that `writeHead()` is given among them. */
export function beforeHeaders(outgoing: ServerResponse, settle: () => void): void {
  const { writeHead } = outgoing;
  outgoing.writeHead = function write(status: number, ...rest: unknown[]) {
    outgoing.writeHead = writeHead;
    const message = typeof rest[0] === "string" ? [rest[0]] : [];
    const replaced = new Set<string>();
    for (const [name, value] of pairsOf(rest[message.length])) {
      const texts = [value].flat().map(String);
      if (replaced.has(name.toLowerCase())) outgoing.appendHeader(name, texts);
      else outgoing.setHeader(name, value as string);
      replaced.add(name.toLowerCase());
    }
    settle();
    return writeHead.call(outgoing, status, ...message as []);
  } as typeof writeHead;
}

/**
 * Keeps the headers of the session, whatever the application writes afterwards. At the last moment, since there a cache
 * must not store what carries a cookie, nor give anybody what depends on who asked (CVE-2025-48947); the application's own
 * Cache-Control stands where there is no cookie, as in {@linkcode finishResponse}.
 */
function keepHeaders({ headers }: Response, outgoing: ServerResponse): void {
  addHeaders({ headers } as Response, outgoing);
  const cookies = headers.getSetCookie();
  const vary = headers.get("vary")?.split(", ") ?? [];
  beforeHeaders(outgoing, () => {
    const given = [outgoing.getHeader("set-cookie") ?? []].flat().map(String);
    outgoing.setHeader("set-cookie", [
      ...given,
      ...cookies.filter((line) => !given.includes(line)),
    ]);
    if (cookies.length > 0) outgoing.setHeader("cache-control", "no-store");
    else if (given.length === 0) outgoing.removeHeader("set-cookie");
    const known = String(outgoing.getHeader("vary") ?? "").toLowerCase().split(/\s*,\s*/);
    const missing = vary.filter((name) =>
      !known.includes("*") && !known.includes(name.toLowerCase())
    );
    if (missing.length > 0) outgoing.appendHeader("vary", missing);
  });
}

/** Sends a response, as fast as the connection takes it. */
export async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status;
  addHeaders(response, outgoing);
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

/**
 * The handler for `node:http`, `node:https`, Express and Connect: it answers everything below `/auth`, and reads the
 * session for all other requests, in which `getUser()`, `requireAuth()` and the like know the request.
 *
 * The headers of the session are written before the application's own work begins: sign in and out through `/auth`.
 * In Express it may stand before body parsers, whose bodies then reach the handlers alone, or after them: a form or JSON
 * that was parsed is taken as it is.
 *
 * With `NODE_ENV=production`, whatever is missing is said when this is called.
 *
 * @param auth What `createAuth()` returned. Options that are a function of the environment are given the variables of
 * the process.
 * @param listener The application's own work, for `createServer()`; what it throws of the library's errors is answered.
 * Default: the `next` of Express and Connect, or 404.
 * @throws {ConfigurationError} In production, for wrong options and without `baseUrl` or `allowedHosts`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getUser } from "@framework/auth";
 * import { nodeAuth } from "@framework/auth/node";
 * import { equal } from "node:assert/strict";
 * import { createServer } from "node:http";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const server = createServer(nodeAuth(auth, (request, response) => {
 *   response.setHeader("content-type", "text/plain; charset=utf-8"); // else a name could be a script
 *   response.end(`Hello ${getUser()?.name ?? "stranger"}`);
 * }));
 * await new Promise<void>((resolve) => server.listen(0, resolve));
 * const { port } = server.address() as { port: number };
 * equal(await (await fetch(`http://localhost:${port}/`)).text(), "Hello stranger");
 * server.close();
 * ```
 *
 * @example Express
 * ```ts ignore
 * const accounts = nodeAuth(auth);
 * app.use(accounts, express.json());
 * app.get("/account", (_req, res) => {
 *   const { name, email } = requireAuth();
 *   res.type("text").send(`Hello ${name ?? email}`); // as HTML, a name could be a script
 * });
 * app.use(accounts.errors); // the last
 * ```
 */
export function nodeAuth<Env>(auth: Auth<Env>, listener?: NodeListener): NodeAuth {
  checkAtStart(auth);
  const env = processEnvironment() as Env;

  /** Answers an error of the library; whatever else is somebody else's. */
  async function refuse(
    thrown: unknown,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    running = findRunningRequest(),
  ): Promise<boolean> {
    if (!isAnswer(thrown) || outgoing.headersSent) return false;
    const store = running as RequestStore | undefined;
    const error = await store?.auth.settings.strategy.refusalFor?.(store, thrown) ?? thrown;
    await send(errorResponse(error, toRequest(incoming, outgoing)), outgoing);
    return true;
  }

  const handler = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    next?: (error?: unknown) => void,
  ): Promise<void> => {
    let running: ReturnType<typeof findRunningRequest>;
    try {
      const info = { clientAddress: incoming.socket.remoteAddress, waitUntil };
      const { basePath } = settingsOf(auth, env);
      const path = targetOf(incoming).split("?")[0]!;
      const isOwn = path === basePath || path.startsWith(`${basePath}/`);
      const body = isOwn ? endpointBody(incoming) : null;
      let request: Request;
      try {
        request = toRequest(incoming, outgoing, body);
      } catch {
        // What is no request of the web platform: TRACE, or a whole address in the place of a path.
        outgoing.statusCode = 400;
        return void outgoing.end("Bad request");
      }
      const own = await auth.handle(request, env, info);
      sayBaseUrl(auth, env, request.url);
      if (own !== null) return await send(own, outgoing);
      const response = await auth.run(request, env, info, async ({ auth: { getUser } }) => {
        // Asked here, so that the headers keep caches from storing what is about somebody.
        await getUser();
        running = findRunningRequest();
        return new Response();
      });
      if (running === undefined || !response.ok) return await send(response, outgoing);
      keepHeaders(response, outgoing);
      const work = listener ? () => listener(incoming, outgoing) : next;
      if (work === undefined) {
        outgoing.statusCode = 404;
        outgoing.end();
      } else await runWithRequest(running, () => work());
    } catch (error) {
      if (await refuse(error, incoming, outgoing, running)) return;
      if (next !== undefined) return next(error);
      // deno-lint-ignore no-console -- nobody else would tell of it
      console.error(error);
      if (outgoing.headersSent) return void outgoing.destroy();
      outgoing.statusCode = 500;
      outgoing.end("Something went wrong");
    }
  };

  return Object.assign(handler, {
    errors(
      error: unknown,
      incoming: IncomingMessage,
      outgoing: ServerResponse,
      next: (error?: unknown) => void,
    ) {
      refuse(error, incoming, outgoing).then((done) => done || next(error), next);
    },
  });
}
