/**
 * The library in Nuxt.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestInfo } from "../core/client_address.ts";
import type { RequestStore } from "../core/contracts.ts";
import { currentRequest, findRequest, finishResponse, TARGETED } from "../core/request.ts";
import { type AuthError, RequestError } from "../errors.ts";
import { isWorkerPlatform, processEnvironment, runMode, waitUntil } from "../lib/runtime.ts";
import type { Auth } from "../session/context_auth.ts";
import { getSession, getUser } from "../session/operations.ts";
import { settingsOf } from "../session/settings_of.ts";
import type { Session } from "../types/session.ts";
import type { User } from "../types/user.ts";
import { isAnswer, refuseForms } from "./door.ts";
import { beforeHeaders, endpointBody, isCut, refusalOf, send, toRequest } from "./node_exchange.ts";
import { checkAtStart, sayBaseUrl } from "./production.ts";

/** The part of an event of h3 that is needed here. */
export interface NuxtEvent {
  /** The request and the response of Node, or what Nitro has in their place. */
  readonly node: { readonly req: IncomingMessage; readonly res: ServerResponse };
  /** Data that middleware gives to handlers and pages. */
  readonly context: object;
}

/** The part of `event.context` that is the library's. */
export interface NuxtContext {
  /** The signed-in user, or null. Null in a cached handler, whose answer is for everybody. */
  readonly user: User | null;
  /** The session, or null. */
  readonly session: Session | null;
}

/** The part of the handshake of a WebSocket, as crossws tells it, that is needed here. */
export interface NuxtHandshake {
  /** Its whole address. */
  readonly url: string;
  /** Its headers. */
  readonly headers: Headers;
}

/** The hooks of a WebSocket, of which one is needed here. */
export interface NuxtSocketHooks {
  /** Decides about the handshake. */
  upgrade?(handshake: NuxtHandshake): unknown;
}

/** The part of Nitro's application that is needed here. */
export interface NuxtNitroApp {
  /** The application of h3. */
  readonly h3App: {
    handler(event: NuxtEvent): unknown;
    /** WebSockets. */
    readonly websocket?: {
      /** Finds the hooks of the path of a handshake, or of a socket that is open. */
      resolve?(asked: NuxtHandshake): NuxtSocketHooks | Promise<NuxtSocketHooks>;
    };
  };
  /** Hooks of Nitro. */
  readonly hooks: { hook(name: "request", listener: (event: NuxtEvent) => void): unknown };
}

/** Options of {@linkcode nuxtAuth}. */
export interface NuxtAuthOptions {
  /** `createError` of h3, so that errors reach Nuxt's own error page. */
  createError(
    error: { status: number; statusText: string; message: string; data: { code: string } },
  ): Error;
}

/** A request without a connection: one of the server to itself, and every one on platforms that have none. */
interface NitroRequest extends IncomingMessage {
  __unenv__?: { _platform?: { cloudflare?: { env: unknown } }; waitUntil?: typeof waitUntil };
  body?: BodyInit | null;
}

/** A request that is being answered, in which the server may make others. */
interface Outer {
  /** The event of whoever sent it. */
  sender: NuxtEvent;
  request: Request;
  /** Undefined for an endpoint of the library. */
  store?: RequestStore;
  /** Offer to bind a session that a request within has begun. Default: none. */
  offer?: string | undefined;
}

/** Headers that tell who sends a request, and what proxies say about that. */
const SENDER = [
  ...["host", "origin", "sec-fetch-site", "cf-connecting-ip"],
  ...["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"],
];

function isMade(request: IncomingMessage): request is NitroRequest {
  return "__unenv__" in request;
}

/** A request of the server to itself, as if it had come from whoever sent the one in which it was made. */
function sentBy(
  sender: IncomingMessage,
  request: IncomingMessage,
  addressHeader: string,
): IncomingMessage {
  const headers = { ...request.headers };
  for (const name of [...SENDER, addressHeader]) headers[name] = sender.headers[name];
  return Object.create(request, { headers: { value: headers }, socket: { value: sender.socket } });
}

/**
 * The address of a connection. That of Nuxt's development server to the application has none, since it is no network's: it is
 * this machine's own, by the name that its proxy gives to it, and by no other that a client writes there.
 */
function peerOf({ socket, headers }: IncomingMessage): string | undefined {
  if (socket.remoteAddress !== undefined || runMode() !== "development") {
    return socket.remoteAddress;
  }
  return headers["x-forwarded-for"] === "::1" ? "::1" : "127.0.0.1";
}

const CREDENTIALS = ["cookie", "authorization"];

function isSame(outer: Request, request: Request): boolean {
  return CREDENTIALS.every((name) => request.headers.get(name) === outer.headers.get(name));
}

/** Header by which a browser is offered to bind a session to its device. */
const OFFER = "secure-session-registration";

/** Headers that a session has beside it, or takes away. */
const DECISIVE = [
  ...["cache-control", "vary", "content-length", "etag", "last-modified", "clear-site-data"],
  ...TARGETED,
];

/** Adds the headers of a session beside the application's own, by which it depends what is stored. Returns the cookies. */
function addSession(store: RequestStore, outgoing: ServerResponse, isStream: boolean): string[] {
  const given = new Response(isStream ? "" : null);
  for (const name of DECISIVE) {
    const value = outgoing.getHeader(name);
    if (value !== undefined) given.headers.set(name, String(value));
  }
  const { headers, ok, status } = finishResponse(given, store);
  // A browser that asked ahead of a visit is to ask again.
  if (!ok) outgoing.statusCode = status;
  const cookies = headers.getSetCookie();
  headers.delete("set-cookie");
  headers.delete("content-type");
  for (const name of TARGETED) outgoing.removeHeader(name);
  for (const [name, value] of headers) outgoing.setHeader(name, value);
  if (cookies.length > 0) outgoing.appendHeader("set-cookie", cookies);
  return cookies;
}

/**
 * The bindings of a worker where a request does not bring them: a handshake, or Nuxt's own for its error page. Nitro leaves
 * them with the first request of all. By another name no bundler looks for the module.
 */
async function bindings(): Promise<unknown> {
  const name = "cloudflare:workers";
  return (globalThis as { __env__?: unknown }).__env__ ?? (await import(name)).env;
}

/**
 * Calls a function when the headers are about to go: before a body of which more may come, or with all of it. What Nitro has
 * in the place of a response has them until it ends.
 */
function whenSent(outgoing: ServerResponse, settle: (isStream: boolean) => void): void {
  beforeHeaders(outgoing, () => settle(true));
  const { end } = outgoing;
  outgoing.end = function settled(...rest: unknown[]) {
    settle(false);
    return end.apply(outgoing, rest as Parameters<typeof end>);
  } as typeof end;
}

/**
 * The library in Nuxt: a plugin of Nitro that answers everything below `/auth` and puts the session around all other
 * requests, in whose server routes and middleware `getUser()` and all other operations know the request; pages find `user`
 * and `session` in the context of `useRequestEvent()`. What `requireAuth()` and the like throw is answered with a redirect,
 * or with Nuxt's own error 401 or 403.
 *
 * Forms of other sites are refused by the own origin, which is `baseUrl`.
 *
 * A request of the server to itself, as `$fetch("/api/me")` in a page, counts as sent by whoever sent the one in which it
 * is made: from the same address, and from the same site. With the cookies of the visitor it is the visitor's, and cookies
 * of its answer reach the browser; without them it is nobody's.
 *
 * WebSockets of `defineWebSocketHandler()`: the handshake of a page of another site is answered with 403, and in `upgrade` all
 * operations know the request; what they throw is the answer. No cookie goes with a handshake.
 *
 * Whatever is cached (`defineCachedEventHandler()`, `swr`, `isr`) is for everybody: there `user` is null, and `getUser()` and
 * all other operations throw an `OutsideRequestError`.
 *
 * @param auth What `createAuth()` returned. Options that are a function of the environment are given the bindings of a
 * worker, and on servers the variables of the process.
 * @param options `createError` of h3.
 * @returns The plugin. In production it throws a `ConfigurationError` for wrong options, and without `baseUrl` or
 * `allowedHosts`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getUser } from "@framework/auth";
 * import { nuxtAuth, type NuxtEvent } from "@framework/auth/nuxt";
 * import { equal } from "node:assert/strict";
 * import { createServer } from "node:http";
 *
 * const auth = createAuth({ database: createMemoryStorage(), baseUrl: "https://app.example" });
 * // In an application: export default nuxtAuth(auth, { createError }), in server/plugins/auth.ts.
 * const createError = ({ message }: { message: string }) => new Error(message);
 * const plugin = nuxtAuth(auth, { createError });
 *
 * // As Nitro does it.
 * const h3App = {
 *   handler({ node }: NuxtEvent): unknown {
 *     return node.res.end(`Hello ${getUser()?.name ?? "stranger"}`);
 *   },
 * };
 * plugin({ h3App, hooks: { hook() {} } });
 * const server = createServer((req, res) => h3App.handler({ node: { req, res }, context: {} }));
 * await new Promise<void>((resolve) => server.listen(0, resolve));
 * const { port } = server.address() as { port: number };
 * equal(await (await fetch(`http://localhost:${port}/`)).text(), "Hello stranger");
 * server.close();
 * ```
 */
export function nuxtAuth<Env>(
  auth: Auth<Env>,
  { createError }: NuxtAuthOptions,
): (nitro: NuxtNitroApp) => void {
  const outers = new AsyncLocalStorage<Outer>();

  /** An error for Nuxt's own page, which looks for what Nitro places into the context only when it takes up the request. */
  function refusal(
    { context }: { context: { nitro?: object } },
    { code, message, status: own }: AuthError,
    status = own,
  ): Error {
    context.nitro ??= { errors: [] };
    return createError({ status, statusText: code, message, data: { code } });
  }

  /** The environment, and the connection of whoever sent a request. */
  async function hostOf(event: NuxtEvent): Promise<{ env: Env; info: RequestInfo }> {
    const { req } = event.node;
    const made = isMade(req) ? req.__unenv__ : undefined;
    const env = isWorkerPlatform()
      ? made?._platform?.cloudflare?.env ?? await bindings()
      : processEnvironment();
    return {
      env: env as Env,
      info: {
        // Of a request that Nitro made the socket is made up, too.
        clientAddress: isMade(req) ? undefined : peerOf(req),
        waitUntil: made?.waitUntil ?? waitUntil,
      },
    };
  }

  async function serve(event: NuxtEvent, next: (event: NuxtEvent) => unknown): Promise<unknown> {
    const { req, res } = event.node;
    const isRead = req.method === "GET" || req.method === "HEAD";
    if (isRead && req.url?.startsWith("/_nuxt/")) return await next(event);

    const outer = isMade(req) ? outers.getStore() : undefined;
    const { sender } = outer ?? { sender: event };
    const { env, info } = await hostOf(sender);
    const { basePath, address: { trustedProxies } } = settingsOf(auth, env);
    const header = trustedProxies?.header ?? "x-real-ip";
    const incoming = outer ? sentBy(sender.node.req, req, header) : req;
    const isOwn = `${req.url}/`.replace("?", "/").startsWith(`${basePath}/`);
    const body = !isOwn ? null : isMade(req) ? req.body : endpointBody(req);
    let request: Request;
    try {
      request = toRequest(incoming, res, body);
    } catch {
      const { status } = refusalOf(incoming);
      throw refusal(event, new RequestError("The request is none of the web platform"), status);
    }
    const own: Outer = { sender, request };

    /** Has the answer to the browser be as private as that to a request of the same visitor within, with its cookies and offer. */
    function hand(cookies: readonly string[], offer?: string): void {
      const store = outer?.store;
      if (!store?.cookiesOut.isOpen || store.isShared || !isSame(outer!.request, request)) return;
      // The answer of an endpoint is always about somebody.
      if (own.store?.auth.consulted() ?? true) store.auth.load().catch(() => {});
      if (!CREDENTIALS.some((name) => request.headers.has(name))) return;
      for (const line of cookies) store.cookiesOut.set(line);
      outer!.offer = offer ?? outer!.offer;
    }

    let thrown: unknown;
    let isSettled = false;
    let isServed = false;
    const work = {
      ...info,
      async next() {
        const store = own.store = currentRequest("nuxtAuth");
        function settle(isStream: boolean): void {
          if (isSettled) return;
          isSettled = true;
          const cookies = addSession(store, res, isStream);
          if (cookies.length === 0) return hand(cookies);
          const offer = own.offer ?? store.auth.settings.strategy.offerOf?.(store);
          if (offer !== undefined) res.setHeader(OFFER, offer);
          hand(cookies, offer);
        }
        whenSent(res, settle);
        try {
          refuseForms(auth, request, env, info);
          await next(event);
          // Nitro's own response takes a stream as it is, and never ends.
          if (isMade(req)) settle(true);
          isServed = true;
          return new Response();
        } catch (error) {
          throw thrown = error;
        }
      },
    };
    const response = await outers.run(own, () => auth.fetch(request, env, work));
    sayBaseUrl(auth, env, request.url);
    if (isServed || res.headersSent) return;
    isSettled = true;
    hand(response.headers.getSetCookie(), response.headers.get(OFFER) ?? undefined);
    for (const name of response.headers.keys()) if (name !== "set-cookie") res.removeHeader(name);
    // Caches in front of the application would follow these in the place of the refusal's own.
    for (const name of TARGETED) res.removeHeader(name);
    if (!isAnswer(thrown) || response.status < 400 || response.status >= 500) {
      return await send(response, res);
    }
    response.headers.delete("content-type");
    response.headers.forEach((value, name) => res.appendHeader(name, value));
    throw refusal(event, thrown, response.status);
  }

  /** Asks the application about a handshake, in a request, unless a page of another site makes it. */
  async function admit(
    handshake: NuxtHandshake & { readonly _req?: IncomingMessage },
    upgrade: NuxtSocketHooks["upgrade"],
  ): Promise<unknown> {
    const { url, headers, _req: req } = handshake;
    if (isCut(req)) return new Response(null, { status: 431 });
    let request: Request;
    try {
      request = new Request(url, { headers });
    } catch {
      // As by the Host "user@app.example". What is thrown here nobody catches, and the connection would stay for ever.
      return new Response(null, { status: 400 });
    }
    const env = (isWorkerPlatform() ? await bindings() : processEnvironment()) as Env;
    const info = { clientAddress: req && peerOf(req), waitUntil };
    let answer: unknown;
    const response = await auth.run(request, env, info, async () => {
      answer = await upgrade?.(handshake);
      return new Response();
    });
    return response.ok ? answer : response;
  }

  return ({ h3App, hooks }) => {
    checkAtStart(auth);
    const { handler, websocket } = h3App;
    h3App.handler = (event) => serve(event, handler);
    const resolve = websocket?.resolve;
    if (resolve !== undefined) {
      websocket!.resolve = async (asked) => {
        const found = await resolve(asked);
        return { ...found, upgrade: (handshake) => admit(handshake, found.upgrade) };
      };
    }
    hooks.hook("request", ({ context }) => {
      const store = findRequest();
      if (store === undefined) return;
      let cache: unknown;
      Object.defineProperties(context, {
        user: {
          configurable: true,
          enumerable: true,
          get: () => store.isShared ? null : getUser(),
        },
        session: {
          configurable: true,
          enumerable: true,
          get: () => store.isShared ? null : getSession(),
        },
        // Nitro says so when it begins an answer that it keeps for everybody.
        cache: {
          configurable: true,
          enumerable: true,
          get: () => cache,
          set(value) {
            cache = value;
            store.isShared = true;
          },
        },
      });
    });
  };
}
