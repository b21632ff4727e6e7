/**
 * The session strategy whose sessions are bound to the device of the browser that signed in.
 *
 * A session has two cookies: the long one names it, the short one is given for ten minutes to whoever proves the device.
 * They are read as one token, so that nothing else of the library knows of two.
 *
 * @module
 */

import type { RequestStore, StrategyExtras } from "../../core/contracts.ts";
import type {
  ReadOptions,
  SessionStrategy,
  StrategyParts,
  TokenCookies,
} from "../../core/session_strategy.ts";
import { SessionUnboundError } from "../../errors.ts";
import { readCookie } from "../../lib/cookie.ts";
import { hashText } from "../../lib/hash.ts";
import { findRunningRequest } from "../../lib/runtime.ts";
import { createSecret } from "../../lib/secret.ts";
import { clearedCookieLines } from "../../session/cookie.ts";
import { createStrategy } from "../../session/database_strategy.ts";
import { deviceBindingGroup, type DeviceBindingStorage } from "../../storage/device_bindings.ts";
import { groupOf, type Storage } from "../../storage/storage.ts";
import type { SessionState, ValidSession } from "../../types/session.ts";
import type { User } from "../../types/user.ts";
import { isInGrace, isUnbound, opens, writeBinding } from "./binding.ts";

/** Added to the name of the session cookie. */
export const SHORT = "-device";

/** Methods of requests that change nothing (RFC 9110, 9.2.1). */
export const SAFE: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "GET",
  "HEAD",
  "OPTIONS",
  "TRACE",
]);

// Of 32 bytes, base64url.
const SECRET_LENGTH = 43;

// No token of the database strategy has one.
const SEPARATOR = "~";

const UNBOUND: SessionState = Object.freeze({ status: "none", unbound: true });

const COOKIES: TokenCookies = {
  read(header, name) {
    const long = readCookie(header, name);
    if (long.found === "none") return { reading: long, names: [] };
    // Several of the name are none: one of them was planted, and the device is asked again.
    const short = readCookie(header, name + SHORT);
    const reading = long.found === "one" && short.found === "one"
      ? { found: "one", value: long.value + SEPARATOR + short.value } as const
      : long;
    return { reading, names: [name] };
  },
  split: (name, token) => [[name, longOf(token)]],
  alsoPossible: () => [],
};

/** The part of a token that names the session. */
export function longOf(token: string): string {
  const end = token.indexOf(SEPARATOR);
  return end < 0 ? token : token.slice(0, end);
}

/** The part that stands for the device; empty for none. */
function shortOf(token: string): string {
  const start = token.indexOf(SEPARATOR) + 1;
  return start === 0 || token.length - start !== SECRET_LENGTH ? "" : token.slice(start);
}

/** True for a request that changes nothing, and outside of requests. */
function isSafe(): boolean {
  const { request } = (findRunningRequest() as RequestStore | undefined) ?? {};
  return request === undefined || SAFE.has(request.method);
}

/** The storage, whose sessions are read with their bindings by the same one statement. */
function withBindings(storage: Storage): Storage {
  const bindings = groupOf(storage, deviceBindingGroup);
  function withBinding(
    found: Awaited<ReturnType<DeviceBindingStorage["readBindable"]>>,
  ): Awaited<ReturnType<Storage["readSession"]>> {
    if (found === null) return null;
    const { session, device: text } = found;
    session.device = { text, refreshedAt: session.refreshedAt };
    return found;
  }

  function readSession(tokenHash: string): ReturnType<Storage["readSession"]> {
    const found = bindings.readBindable(tokenHash);
    return found !== null && "then" in found
      ? Promise.resolve(found).then(withBinding)
      : withBinding(found);
  }

  return new Proxy(storage, {
    get(target, operation) {
      if (operation === "readSession") return readSession;
      const value: unknown = Reflect.get(target, operation);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Removes the short cookie that came with a request. */
function forgetShort({ request, auth, cookiesOut }: RequestStore): void {
  const { cookie } = auth.settings;
  const header = request.headers.get("cookie") ?? "";
  for (const name of new Set([cookie.prefix + cookie.name, cookie.name])) {
    if (!header.includes(`${name}${SHORT}=`) || !cookiesOut.isOpen) continue;
    for (const line of clearedCookieLines(cookie, name + SHORT, auth.origin)) cookiesOut.set(line);
  }
}

/** True for the state of a request that came without the proof of its session's device. */
export function isWithoutProof(state: SessionState | null): boolean {
  return state?.status === "none" && state.unbound === true;
}

/** True for a session with a key, whatever the request has proved. */
function hasKey(state: SessionState): state is ValidSession {
  return state.status === "valid" && state.device !== undefined;
}

/** True for a session that is bound to its device, and whose request has proved that. */
export function isBound(state: SessionState): boolean {
  return hasKey(state) && state.token.includes(SEPARATOR);
}

/** Parts of the strategy. */
export interface BoundParts {
  /** Tests if a user must have a bound session. Default: nobody must. */
  required: ((user: User) => boolean) | undefined;
  /** Told of a new session that its browser may bind, and the secret of its challenges. */
  offer(store: RequestStore, secret: string): void;
}

/** Creates the strategy: that of the database, whose bound sessions count with the short cookie alone. */
export function createBoundStrategy(
  parts: StrategyParts,
  { required, offer }: BoundParts,
): SessionStrategy & StrategyExtras {
  const { storage, now, logger, times } = parts;
  let opened: Storage | undefined;
  const inner = createStrategy("database", {
    ...parts,
    storage: storage && (() => opened ??= withBindings(storage())),
  });

  /** A session that counts, whose end is moved only now: a cookie that was copied moves none. */
  function letIn(
    state: ValidSession,
    how: ReadOptions,
    { token, bound }: { token: string; bound: boolean },
  ): SessionState | Promise<SessionState> {
    function settle(known: SessionState): SessionState {
      if (known.status !== "valid") return known;
      known.session.bound = bound;
      if (bound) known.token = token;
      else known.device = undefined;
      return known;
    }

    const isDue = how.renew && now() - state.device!.refreshedAt >= times.updateAge;
    if (!isDue) return settle(state);
    return Promise.resolve(inner.read(longOf(token), how)).then(settle);
  }

  function judge(
    state: SessionState,
    how: ReadOptions,
    token: string,
  ): SessionState | Promise<SessionState> {
    if (state.status !== "valid") return state;
    const text = state.device?.text ?? null;
    // A token in a header has no device.
    const short = how.source === "cookie" ? shortOf(token) : "";
    if (text === null || short === "") return judgeWithout(state, how, token);
    const check = (hash: string) =>
      opens(text, hash, now())
        ? letIn(state, how, { token, bound: true })
        : isUnbound(text)
        ? judgeWithout(state, how, token)
        : UNBOUND;
    const hash = hashText(short);
    return typeof hash === "string" ? check(hash) : hash.then(check);
  }

  /** A session whose request came without a short cookie. */
  function judgeWithout(
    state: ValidSession,
    how: ReadOptions,
    token: string,
  ): SessionState | Promise<SessionState> {
    // Whatever is not false is a yes, a promise among it.
    if (required !== undefined && required(state.session.user) !== false) return UNBOUND;
    const text = state.device?.text ?? null;
    if (isUnbound(text)) return letIn(state, how, { token, bound: false });
    if (how.source !== "cookie" || !isInGrace(text!, now()) || !isSafe()) return UNBOUND;
    // It keeps its binding: nothing makes an unbound session of it.
    state.session.bound = false;
    return state;
  }

  function read(token: string, how: ReadOptions): SessionState | Promise<SessionState> {
    const found = inner.read(longOf(token), { ...how, renew: false });
    return found instanceof Promise
      ? found.then((known) => judge(known, how, token))
      : judge(found, how, token);
  }

  return {
    ...inner,
    cookies: COOKIES,
    read,
    update: read,
    async begin(mint) {
      const { replaces } = mint;
      const minted = await inner.begin({
        ...mint,
        replaces: replaces === undefined ? undefined : longOf(replaces),
      });
      minted.session.bound = false;
      const { store } = mint as { store?: RequestStore };
      if (store === undefined) return minted;
      forgetShort(store);
      if (!store.auth.origin().startsWith("https:")) return minted;
      const secret = createSecret();
      const to = writeBinding({ cookies: [], provedAt: 0, wrong: 0, secret, key: null });
      try {
        const bindings = groupOf(storage!(), deviceBindingGroup);
        if (await bindings.changeDevice(minted.id, { from: null, to })) offer(store, secret);
      } catch (error) {
        // A session without a device is what every other browser has.
        logger.error("device-binding-failed", { error });
      }
      return minted;
    },
    // A session with a key never becomes one without.
    exchange: (state, userAgent) =>
      hasKey(state) ? Promise.resolve(state) : inner.exchange(state, userAgent),
    async end(token) {
      const store = findRunningRequest() as RequestStore | undefined;
      if (store !== undefined) forgetShort(store);
      await inner.end(longOf(token));
    },
    assertBound(state) {
      if (isBound(state)) return;
      throw new SessionUnboundError(
        "This needs a session that is bound to its device. Sign in with a browser that can do that",
      );
    },
  };
}
