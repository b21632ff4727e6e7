/**
 * Bound sessions in a database, whose row has the key and the hashes of the short cookies.
 *
 * @module
 */

import type { RequestStore, StrategyExtras } from "../../core/contracts.ts";
import type { ReadOptions, SessionStrategy, StrategyParts } from "../../core/session_strategy.ts";
import { hashText } from "../../lib/hash.ts";
import { createSecret, isSecret } from "../../lib/secret.ts";
import { ONE_COOKIE } from "../../session/cookie.ts";
import { createStrategy } from "../../session/database_strategy.ts";
import {
  type BindableSession,
  deviceBindingGroup,
  type DeviceBindingStorage,
} from "../../storage/device_bindings.ts";
import { groupOf, type Storage } from "../../storage/storage.ts";
import type { SessionState, ValidSession } from "../../types/session.ts";
import {
  type Binding,
  graceUntil,
  isInGrace,
  isUnbound,
  opens,
  readBinding,
  type ShortCookie,
  writeBinding,
} from "./binding.ts";
import {
  type DeviceEndpointOptions,
  type Granted,
  type NamedSession,
  WRONG_PROOFS,
} from "./endpoints.ts";
import {
  assertBound,
  boundCookies,
  type BoundParts,
  forgetShort,
  GRACE,
  isSafe,
  joinToken,
  longOf,
  runningStore,
  shortLine,
  shortsOf,
  UNBOUND,
} from "./token.ts";

// Of 32 bytes, base64url.
const SECRET_LENGTH = 43;

/** A session strategy whose sessions are bound to devices. */
export type BoundStrategy =
  & SessionStrategy
  & StrategyExtras
  & Pick<DeviceEndpointOptions, "find">;

/** True for a session with a key, whatever the request has proved. */
function hasKey(state: SessionState): state is ValidSession {
  return state.status === "valid" && state.device !== undefined;
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

/** Parts of the sessions that the database has. */
interface StoredParts {
  bindings(): DeviceBindingStorage;
  endOf(session: BindableSession["session"]): number;
  life: number;
}

/** Finds the session of a long cookie, and its binding. */
async function findStored(
  store: RequestStore,
  long: string,
  { bindings, endOf, life }: StoredParts,
): Promise<NamedSession | null> {
  const { settings: { now, storage } } = store.auth;
  if (!isSecret(long)) return null;
  const hash = await hashText(long);

  async function read(): Promise<[BindableSession, Binding] | null> {
    const stored = await bindings().readBindable(hash);
    const binding = readBinding(stored?.device ?? null);
    if (stored === null || binding === null) return null;
    return endOf(stored.session) > now() ? [stored, binding] : null;
  }

  const found = await read();
  if (found === null) return null;
  const [{ session: { id, userId, createdAt, refreshedAt, expiresAt } }, binding] = found;
  const { key, secret, provedAt } = binding;

  /**
   * Changes the binding as it is at that moment, however many requests do so at once.
   *
   * @param make Makes the new one of the one that was read; null to leave it.
   * @returns The new one; null when it was left, or the session is gone.
   */
  async function change(make: (binding: Binding) => Binding | null): Promise<Binding | null> {
    // Each round somebody has written, and what is written ends soon: the session by its third wrong proof.
    let known = found;
    for (let round = 0; round < 20 && known !== null; round++) {
      const made = make(known[1]);
      if (made === null) return null;
      if (await bindings().changeDevice(id, { from: known[0].device, to: writeBinding(made) })) {
        return made;
      }
      known = await read();
    }
    return null;
  }

  /** Gives a short cookie, once the binding knows it. */
  async function give(
    make: (known: Binding, cookie: ShortCookie) => Binding | null,
  ): Promise<Granted | null> {
    const short = createSecret();
    const cookie = [await hashText(short), now() + life] as const;
    const made = await change((known) => make(known, cookie));
    return made && { id, line: shortLine(store, short, life) };
  }

  return {
    id,
    userId,
    startedAt: createdAt,
    secrets: [secret],
    key,
    provedAt,
    replaced: !(refreshedAt < expiresAt),
    bind: (key) =>
      give((known, cookie) =>
        known.key === null ? { ...known, key, cookies: [cookie, graceUntil(now() + GRACE)] } : null
      ),
    // None that is older than one that was answered.
    refresh: (time) =>
      give((known, cookie) =>
        time > known.provedAt
          ? { ...known, provedAt: time, cookies: [cookie, known.cookies[0]!] }
          : null
      ),
    async refuse() {
      const made = await change((known) => ({ ...known, wrong: known.wrong + 1 }));
      return made && made.wrong >= WRONG_PROOFS && await storage.deleteSession(hash);
    },
  };
}

/** Creates the strategy: that of the database, whose bound sessions count with the short cookie alone. */
export function createBoundStrategy(
  parts: StrategyParts,
  { life, required, offer }: BoundParts,
): BoundStrategy {
  const { storage, now, logger, times } = parts;
  let opened: Storage | undefined;
  const bindings = () => groupOf(storage!(), deviceBindingGroup);
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

    const isDue = now() - state.device!.refreshedAt >= times.updateAge && how.mayRenew?.();
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
    const shorts = how.source === "cookie"
      ? shortsOf(token).filter(({ length }) => length === SECRET_LENGTH)
      : [];
    if (text === null) return judgeWithout(state, how, token);
    const tryFrom = (index: number): SessionState | Promise<SessionState> => {
      const short = shorts[index];
      if (short === undefined) {
        return index === 0 || isUnbound(text) ? judgeWithout(state, how, token) : UNBOUND;
      }
      const check = (hash: string) =>
        opens(text, hash, now())
          ? letIn(state, how, { token: joinToken(longOf(token), short), bound: true })
          : tryFrom(index + 1);
      const hash = hashText(short);
      return typeof hash === "string" ? check(hash) : hash.then(check);
    };
    return tryFrom(0);
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
    const found = inner.read(longOf(token), { ...how, mayRenew: undefined });
    return found instanceof Promise
      ? found.then((known) => judge(known, how, token))
      : judge(found, how, token);
  }

  return {
    ...inner,
    cookies: boundCookies(ONE_COOKIE),
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
        const isKept = await bindings().changeDevice(minted.id, { from: null, to });
        if (isKept) await offer(store, secret);
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
      forgetShort(runningStore());
      await inner.end(longOf(token));
    },
    assertBound,
    find: (store, long) => findStored(store, long, { bindings, endOf: inner.endOf!, life }),
  };
}
