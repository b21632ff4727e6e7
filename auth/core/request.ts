/**
 * The request of the caller, its events and its response.
 *
 * @module
 */

import { HeadersSentError, OutsideRequestError } from "../errors.ts";
import { mediaType } from "../lib/body.ts";
import { findRunningRequest } from "../lib/runtime.ts";
import type { SessionState, ValidSession } from "../types/session.ts";
import type {
  AccountGuard,
  ApiKeyGate,
  EndpointModule,
  Entry,
  Gate,
  RequestAuth,
  RequestStore,
  Settings,
} from "./contracts.ts";

/** The request in which the caller runs, or undefined. */
export function findRequest(): RequestStore | undefined {
  // `runWithRequest()` is given nothing else.
  return findRunningRequest() as RequestStore | undefined;
}

/**
 * The request in which the caller runs.
 *
 * @param operation Who asks, for the message.
 * @throws {OutsideRequestError} When there is none.
 */
export function currentRequest(operation: string): RequestStore {
  const store = findRequest();
  if (store === undefined) {
    throw new OutsideRequestError(
      `Cannot call ${operation}() here: there is no request. Call it inside auth.run(). Where that cannot be ` +
        "around the work, as in a server component of Next.js, ask readAuth(auth, request, env).",
    );
  }
  return store;
}

/**
 * True for a request that a browser sends ahead of a visit: a prefetch or a prerender (`Sec-Purpose`, Fetch, 2.2.10). It
 * renews no session and sets no cookie. Browsers send GET ahead and nothing else: what changes something is no prefetch,
 * whatever its header says.
 *
 * @param request The request.
 * @example
 * ```ts
 * import { isPrefetch } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * const headers = { "sec-purpose": "prefetch;prerender" };
 * equal(isPrefetch(new Request("https://app.example/", { headers })), true);
 * equal(isPrefetch(new Request("https://app.example/")), false);
 * ```
 */
export function isPrefetch({ method, headers }: Request): boolean {
  // HEAD too: it tells what GET would.
  return (method === "GET" || method === "HEAD") &&
    !!headers.get("sec-purpose")?.startsWith("prefetch");
}

/**
 * The answer to a request ahead of a visit that must not be used: the browser drops it, and asks again when the visit
 * comes.
 *
 * @example
 * ```ts
 * import { refusePrefetch } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * equal(refusePrefetch().status, 503);
 * ```
 */
export function refusePrefetch(): Response {
  return new Response(null, { status: 503, headers: { "cache-control": "no-store" } });
}

/** Adds a name to Vary unless it is there. */
function addVary(headers: Headers, name: string): void {
  const names = headers.get("vary")?.toLowerCase().split(",").map((part) => part.trim()) ?? [];
  if (!names.includes("*") && !names.includes(name.toLowerCase())) headers.append("vary", name);
}

/** Headers by which an application tells caches of its own host what Cache-Control tells all. */
export const TARGETED: readonly string[] = [
  "cdn-cache-control",
  "cloudflare-cdn-cache-control",
  "surrogate-control",
];

/** Adds the cookies of a request, and what keeps caches from giving to others what is about whoever asked. */
export function addSessionHeaders(
  headers: Headers,
  lines: readonly string[],
  settings: Settings,
): void {
  const own = lines.length > 0 ? null : headers.get("cache-control");
  if (own === null) headers.set("cache-control", "no-store");
  // Caches in front of the application would follow these in its place (RFC 9213, 2.2).
  if (own === null || OWN_ONLY.test(own)) {
    for (const name of TARGETED) headers.delete(name);
  }
  addVary(headers, "Cookie");
  if (settings.bearer) addVary(headers, "Authorization");
  if (settings.tenancy?.vary) addVary(headers, settings.tenancy.vary);
  for (const line of lines) headers.append("set-cookie", line);
  // What was loaded ahead of a visit may show who was signed in before.
  if (lines.length > 0) headers.append("clear-site-data", '"prefetchCache", "prerenderCache"');
}

/** Directives by which no cache gives a response to anybody else (RFC 9111, 5.2.2). */
const OWN_ONLY = /(?:^|[\s,])(?:no-store|no-cache|private)(?=$|[\s,])/i;

/**
 * Decides what a body that may still be streamed can ask. True when the response is to count as one about somebody: who
 * is signed in may be asked later, and nothing says how long a cache may keep it. Where the application lets caches keep
 * it, nobody is told any more who is signed in.
 */
function isForSomebody({ body, headers }: Response, auth: RequestAuth): boolean {
  // A body whose length is known is made: nobody can ask anything in it any more.
  if (body === null || headers.has("content-length")) return false;
  const policy = headers.get("cache-control");
  const isVersioned = headers.has("etag") || headers.has("last-modified");
  if (policy === null && !isVersioned) return auth.presented.found !== "none";
  // Caches keep what has a version without being told so (RFC 9111, 4.2.2).
  if (policy === null || !OWN_ONLY.test(policy)) auth.refuseLater(policy ?? "none, with a version");
  return false;
}

/**
 * Gives a response the cookies of its request. What carries a cookie, or depends on who asked, must not
 * be kept for somebody else (CVE-2025-48947): with a cookie it is never stored; without one the
 * application's own Cache-Control stands, and where there is none the response is not stored either. The
 * same goes for what may be streamed to somebody with a session, who may be asked for when the headers have gone.
 *
 * A browser that asked ahead of a visit is given no cookie: it asks again when the visit comes. Whoever is given one
 * forgets the pages that were loaded ahead (Clear Site Data, 3.1).
 */
export function finishResponse(
  response: Response,
  { request, auth, cookiesOut }: RequestStore,
): Response {
  const lines = cookiesOut.close();
  // It would be shown without its cookie.
  if (lines.length > 0 && isPrefetch(request)) {
    // What the application streams is not read by anybody. A body that somebody reads already cannot be cancelled.
    response.body?.cancel().catch(() => {});
    return refusePrefetch();
  }
  const { settings } = auth;
  // A switched protocol has no headers left to add to.
  if (response.status === 101) return response;
  const isAsked = lines.length > 0 || auth.consulted() || isForSomebody(response, auth);
  // Where a header or a cookie names the tenant, every response is for one tenant.
  if (!isAsked && !settings.tenancy?.vary) return response;
  try {
    addSessionHeaders(response.headers, lines, settings);
    return response;
  } catch {
    // Headers that cannot be changed, as of what fetch() gave: all of them or none.
    const copy = new Response(response.body, response);
    addSessionHeaders(copy.headers, lines, settings);
    return copy;
  }
}

/** True for a session that holds and is this user's. */
export function isOf(state: SessionState, userId: string): state is ValidSession {
  return state.status === "valid" && state.session.user.id === userId;
}

/** Ends the session of this request, whose cookie the browser need not send any more. */
export async function forgetOwn(auth: RequestAuth): Promise<void> {
  try {
    await auth.end();
  } catch (error) {
    // After the headers the cookie stays until the next request. It opens nothing.
    if (!(error instanceof HeadersSentError)) throw error;
  }
}

/**
 * Guard of an application's accounts; undefined where no method can be guessed at. One that can write to owners goes
 * before the others, wherever it stands in the list: they all know the same browsers.
 */
export function guardOf({ modules }: Pick<Settings, "modules">): AccountGuard | undefined {
  const guards = modules.flatMap((module) => "guard" in module && module.guard || []);
  return guards.find(({ tells }) => tells) ?? guards[0];
}

/** Gate of an application's sessions; undefined where no second factor is asked for. */
export function gateOf({ modules }: Pick<Settings, "modules">): Gate | undefined {
  return modules.find((module): module is EndpointModule => "gate" in module)?.gate;
}

/**
 * Requires the second factor of a request that acts in a tenant, where it is required of its user there.
 *
 * @throws {SecondFactorRequiredError} When this session has not proved it.
 */
export async function enterTenant(store: RequestStore, entry: Entry): Promise<void> {
  const { auth, auth: { settings }, request } = store;
  const state = await auth.load();
  const gate = state.status === "valid" ? gateOf(settings) : undefined;
  const refusal = await gate?.enters(state as ValidSession, entry, settings);
  if (refusal) throw refusal(!prefersJson(request));
}

/** Gate of an application's API keys; undefined where there are none. */
export function keysOf({ modules }: Pick<Settings, "modules">): ApiKeyGate | undefined {
  return modules.find((module): module is EndpointModule => "keys" in module)?.keys;
}

/** Account tag of an event; empty without an identifier. */
export async function accountOf(
  settings: Settings,
  identifier: string | null | undefined,
): Promise<{ account?: string }> {
  const guard = guardOf(settings);
  return identifier && guard ? { account: await guard.tag(settings, identifier) } : {};
}

/**
 * Quality of a type in an Accept header: the weight of its most specific range (RFC 9110, 12.5.1).
 */
function quality(ranges: readonly string[], type: string, wildcard: string): number {
  let best = 0;
  let specificity = -1;
  for (const range of ranges) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const rank = ["*/*", wildcard, type].indexOf(name);
    if (rank <= specificity) continue;
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    const value = Number(weight?.slice(2) ?? 1);
    specificity = rank;
    best = value >= 0 && value <= 1 ? value : 0;
    // Who names a type and takes any other means the named one, as axios and Angular do.
    if (rank === 0) best *= 0.999;
  }
  return best;
}

/**
 * Tells if the client would rather have JSON than HTML, by its Accept header (RFC 9110, 12.5.1). Who
 * accepts anything gets HTML.
 *
 * @param request The request.
 *
 * @example
 * ```ts
 * import { prefersJson } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * const from = (accept: string) => new Request("https://app.example/", { headers: { accept } });
 * equal(prefersJson(from("application/json")), true);
 * equal(prefersJson(from("text/html, application/json;q=0.9")), false);
 * ```
 */
export function prefersJson(request: Request): boolean {
  const accept = request.headers.get("accept") ?? "*/*";
  // As fetch() and curl have it.
  if (accept === "*/*") return mediaType(request) === "application/json";
  if (!/json|application\/\*/i.test(accept)) return false;
  // More ranges than any client sends; what follows is not read.
  const ranges = accept.split(",", 32);
  return quality(ranges, "application/json", "application/*") >
    quality(ranges, "text/html", "text/*");
}
