/**
 * The token of a session that is bound to a device: two cookies, read as one.
 *
 * The long cookie names the session, the short one is given for ten minutes to whoever proves the device. Nothing else of
 * the library knows of two.
 *
 * @module
 */

import type { RequestStore } from "../../core/contracts.ts";
import type { TokenCookies } from "../../core/session_strategy.ts";
import { SessionUnboundError } from "../../errors.ts";
import { readCookie } from "../../lib/cookie.ts";
import { findRunningRequest } from "../../lib/runtime.ts";
import { clearedCookieLines, ONE_COOKIE, sessionCookieLines } from "../../session/cookie.ts";
import type { SessionState } from "../../types/session.ts";
import type { User } from "../../types/user.ts";

/** Added to the name of the session cookie. */
export const SHORT = "-device";

/**
 * Milliseconds for which requests count that were sent before the registration was answered: a page loads what it shows
 * meanwhile. A copy of the cookie opened the session until then anyway.
 */
export const GRACE = 10_000;

/** Methods of requests that change nothing (RFC 9110, 9.2.1). */
export const SAFE: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "GET",
  "HEAD",
  "OPTIONS",
  "TRACE",
]);

// No token of a strategy has one.
const SEPARATOR = "~";

// Short cookies of one request: a browser has one.
const MOST = 8;

/** State of a request that came without the proof of its session's device. */
export const UNBOUND: SessionState = /* @__PURE__ */ Object.freeze({
  status: "none",
  unbound: true,
});

/** Options of a strategy of bound sessions. */
export interface BoundParts {
  /** Lifetime of the short cookie, in milliseconds. */
  life: number;
  /** Tests if a user must have a bound session. Default: nobody must. */
  required: ((user: User) => boolean) | undefined;
  /** Told of a new session that its browser may bind, and the secret of its challenges. */
  offer(store: RequestStore, secret: string): Promise<void>;
}

/** The cookies of a token whose long part is in these. */
export function boundCookies(long: TokenCookies): TokenCookies {
  return {
    read(header, name) {
      const found = long.read(header, name);
      if (found.reading.found !== "one") return found;
      const short = readCookie(header, name + SHORT);
      // One that a sibling host has planted takes nothing from the device's own.
      const shorts = short.found === "several" ? short.values.slice(0, MOST) : [];
      if (short.found === "one") shorts.push(short.value);
      // One cookie is never two.
      const value = [longOf(found.reading.value), ...shorts].join(SEPARATOR);
      return { reading: { found: "one", value }, names: found.names };
    },
    split: (name, token) => long.split(name, longOf(token)),
    alsoPossible: (name, token) => long.alsoPossible(name, longOf(token)),
  };
}

/** The part of a token that names the session. */
export function longOf(token: string): string {
  const end = token.indexOf(SEPARATOR);
  return end < 0 ? token : token.slice(0, end);
}

/** The parts that stand for the device, of which one may open the session; none, or one and what others have planted. */
export function shortsOf(token: string): string[] {
  const end = token.indexOf(SEPARATOR);
  return end < 0 ? [] : token.slice(end + 1).split(SEPARATOR, MOST);
}

/** Joins the two parts. */
export function joinToken(long: string, short: string): string {
  return long + SEPARATOR + short;
}

/** The request that runs, or undefined. */
export function runningStore(): RequestStore | undefined {
  return findRunningRequest() as RequestStore | undefined;
}

/** True for a request that changes nothing, and outside of requests. */
export function isSafe(): boolean {
  const store = runningStore();
  return store === undefined || SAFE.has(store.request.method);
}

/** Writes the line of the short cookie. */
export function shortLine({ auth }: RequestStore, token: string, life: number): string {
  const { cookie } = auth.settings;
  const place = { ...cookie, name: cookie.name + SHORT, tokens: ONE_COOKIE };
  // The browser asks for the next one while this one still opens the session.
  return sessionCookieLines(place, { token, milliseconds: life * 0.9 }, auth.origin)[0]!;
}

/** Removes the short cookie that came with a request. */
export function forgetShort(store: RequestStore | undefined): void {
  if (!store?.cookiesOut.isOpen) return;
  const { request, auth, cookiesOut } = store;
  const { cookie } = auth.settings;
  const header = request.headers.get("cookie") ?? "";
  for (const name of new Set([cookie.prefix + cookie.name, cookie.name])) {
    if (!header.includes(`${name}${SHORT}=`)) continue;
    for (const line of clearedCookieLines(cookie, name + SHORT, auth.origin)) cookiesOut.set(line);
  }
}

/** True for the state of a request that came without the proof of its session's device. */
export function isWithoutProof(state: SessionState | null): boolean {
  return state?.status === "none" && state.unbound === true;
}

/** True for a session that is bound to its device, and whose request has proved that. */
export function isBound(state: SessionState): boolean {
  return state.status === "valid" && state.token.includes(SEPARATOR);
}

/** Refuses a session that is not bound to its device. */
export function assertBound(state: SessionState): void {
  if (isBound(state)) return;
  throw new SessionUnboundError(
    "This needs a session that is bound to its device. Sign in with a browser that can do that",
  );
}
