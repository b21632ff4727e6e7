/**
 * Bound sessions of signed tokens: the short cookie is the session's token itself, and the long one, which has the key of the
 * device, serves to refresh it alone.
 *
 * Nothing is stored but ids in the revocation store: of the session that a registration ends, of answered challenges, and of
 * wrong proofs.
 *
 * @module
 */

import type { RequestStore } from "../../core/contracts.ts";
import type {
  ReadOptions,
  SessionStrategyDefinition,
  StrategyParts,
} from "../../core/session_strategy.ts";
import { gateOf } from "../../core/request.ts";
import { ConfigurationError } from "../../errors.ts";
import { createPurposeKey } from "../../lib/keys.ts";
import { CHUNK_LENGTH, CHUNKED_COOKIES, sessionCookieLines } from "../../session/cookie.ts";
import { AFTER_EXCHANGE, createSessionId } from "../../session/database_strategy.ts";
import type { RevocationStore, SessionState, ValidSession } from "../../types/session.ts";
import type { DeviceKey } from "./binding.ts";
import { type Granted, type NamedSession, WRONG_PROOFS } from "./endpoints.ts";
import { CHALLENGE_LIFE } from "./proof.ts";
import type { BoundStrategy } from "./strategy.ts";
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
  SHORT,
  shortLine,
  shortsOf,
  UNBOUND,
} from "./token.ts";

const DAY = 24 * 60 * 60 * 1000;
const INVALID: SessionState = /* @__PURE__ */ Object.freeze({ status: "invalid" });

/** The claim of a long token that has the key, and that of a short one that has the end of the session in seconds. */
const KEY_CLAIM = "device_key";
const END_CLAIM = "device_end";

/** Name of the old session for the time in which requests that were under way still count. */
function graceName(id: string, time: number): string {
  return `${id}.grace.${Math.floor(time / (GRACE / 2))}`;
}

// Between the id of a binding, which the browser knows it by, and that of one of its tokens. No id has it.
const PART = ":";

/** Id of the binding of a session: the session has another one after each proof of a second factor. */
function bindingOf(id: string): string {
  return id.split(PART, 1)[0]!;
}

/** Name of a bound session that another one has taken the place of. */
function replacedName(id: string): string {
  return `${id}.replaced`;
}

/** The cookies that a bound session is given. */
interface Given {
  /** Lines of the long cookie; none where it stays. */
  lines: string[];
  /** Line of the short cookie. */
  line: string;
  /** The session. */
  state: ValidSession;
}

function readRevocations(value: unknown): Required<RevocationStore> {
  const store = Object(value) as Partial<RevocationStore>;
  if (typeof store.claim === "function") return value as Required<RevocationStore>;
  throw new ConfigurationError(
    "deviceBoundJwt() needs a revocation store with claim(): the token from before the registration is ended by it. " +
      "Write session: { …, revocation: createSqlRevocationStore(env.DB) }",
    { field: "session.revocation" },
  );
}

function keyOf({ claims }: ValidSession): DeviceKey | null {
  const { x, y } = Object(claims?.[KEY_CLAIM]) as Partial<DeviceKey>;
  return typeof x === "string" && typeof y === "string" ? { x, y } : null;
}

/** Id of the session of before, which is still to be ended; undefined for none. */
function leftOf({ claims }: ValidSession): string | undefined {
  const left = claims?.replaced_jti;
  return typeof left === "string" ? left : undefined;
}

/** Creates the strategy over that of signed tokens. */
export function createBoundJwtStrategy(
  definition: SessionStrategyDefinition,
  parts: StrategyParts,
  { life, required, offer }: BoundParts,
): BoundStrategy {
  const { now, logger, times, cookieName } = parts;
  const { jwt: _jwt, ...callbacks } = parts.callbacks;
  const revocations = readRevocations(parts.revocation);
  // A token of one of these is none of another: each has the name of its cookie in it.
  const inner = definition.create(parts);
  const short = definition.create({
    ...parts,
    cookieName: cookieName + SHORT,
    times: { ...times, maxAge: life, updateAge: Infinity },
  });
  const long = definition.create({
    ...parts,
    cookieName: `${cookieName}${SHORT}-key`,
    // The key is none of the application's claims.
    callbacks,
  });
  const unrevoked = definition.create({ ...parts, revocation: undefined });
  const challengeKeys = parts.secrets.map((secret) => createPurposeKey(secret, "device-challenge"));
  const asked: ReadOptions = { source: "cookie", waitUntil() {} };

  /** The long cookie of a bound session is the session's id and the token. A check compares the id alone. */
  function keyTokenOf(token: string): string | null {
    const [id, ...rest] = longOf(token).split(".");
    return rest.length === 3 ? longOf(token).slice(id!.length + 1) : null;
  }

  function forgottenAt(): number {
    return now() + times.maxAge + DAY;
  }

  async function secretsOf(id: string): Promise<[string, ...string[]]> {
    const made = await Promise.all(challengeKeys.map((key) => key.sign(id)));
    return made as [string, ...string[]];
  }

  /** The session as the application sees it: it ends with its long cookie, not with the short one. */
  function settle(state: ValidSession, token: string): ValidSession {
    const end = state.claims?.[END_CLAIM];
    if (typeof end === "number") state.session.expires = new Date(end * 1000);
    state.session.bound = true;
    state.token = token;
    return state;
  }

  function settleUnbound(state: SessionState): SessionState {
    if (state.status !== "valid") return state;
    // Whatever is not false is a yes, a promise among it.
    if (required !== undefined && required(state.session.user) !== false) return UNBOUND;
    state.session.bound = false;
    return state;
  }

  /** A token from before a registration: it counts for some seconds, to read. */
  async function judgeEnded(token: string, source: ReadOptions["source"]): Promise<SessionState> {
    const state = await unrevoked.read(longOf(token), asked);
    if (state.status !== "valid" || source !== "cookie") return INVALID;
    const { id, startedAt, session: { user } } = state;
    const isMarked = (name: string, userId: string) =>
      revocations.isRevoked({ id: name, userId, startedAt });
    if (!await isMarked(`${id}.bound`, "")) return INVALID;
    // Not "invalid", which would take the cookie of the bound session away.
    if (shortsOf(token).length > 0 || !isSafe()) return UNBOUND;
    if (!await isMarked(graceName(id, now()), "")) return UNBOUND;
    // All sessions of the user have ended meanwhile.
    return await isMarked(`${id}.of`, user.id) ? UNBOUND : settleUnbound(state);
  }

  async function readUnbound(token: string, how: ReadOptions): Promise<SessionState> {
    const state = await inner.read(longOf(token), how);
    return state.status === "invalid" ? await judgeEnded(token, how.source) : settleUnbound(state);
  }

  /** A bound session whose request came without a short cookie that counts. */
  async function readWithout(keyToken: string): Promise<SessionState> {
    const state = await long.read(keyToken, asked);
    return state.status === "valid" ? UNBOUND : state;
  }

  async function read(token: string, how: ReadOptions): Promise<SessionState> {
    // A token in a header has no device.
    if (how.source !== "cookie") return await readUnbound(token, how);
    const keyToken = keyTokenOf(token);
    if (keyToken === null) return await readUnbound(token, how);
    for (const part of shortsOf(token)) {
      const state = await short.read(part, { ...how, mayRenew: undefined });
      // Of another session: whoever can plant the short cookie signs nobody in as somebody else.
      if (state.status === "valid" && token.startsWith(`${state.id}.`)) {
        return settle(state, joinToken(longOf(token), part));
      }
    }
    return await readWithout(keyToken);
  }

  /** Makes the next short token of a session, and a long one where that is due or there is none yet. */
  async function give(
    store: RequestStore,
    state: ValidSession,
    { id, key, isDue, replaced }: {
      id: string;
      key: DeviceKey;
      isDue: boolean;
      /** Id of the session that ends with it. Default: none. */
      replaced?: string | undefined;
    },
  ): Promise<Given | null> {
    const claims = { [KEY_CLAIM]: key };
    const named = isDue ? await long.replace!(state, { id, claims, replaced }) : state;
    if (named === null) return null;
    const end = Math.ceil(named.session.expires.getTime() / 1000);
    const fresh = await short.replace!(state, {
      id,
      claims: { [KEY_CLAIM]: undefined, [END_CLAIM]: end },
    });
    if (fresh === null) return null;
    const value = `${id}.${named.token}`;
    if (Math.max(value.length, fresh.token.length) > CHUNK_LENGTH) {
      logger.error("device-binding-failed", {
        error: new RangeError("The token of a bound session must fit into one cookie"),
      });
      return null;
    }
    const { auth: { settings: { cookie }, origin } } = store;
    const milliseconds = named.session.expires.getTime() - now();
    return {
      lines: isDue ? sessionCookieLines(cookie, { token: value, milliseconds }, origin) : [],
      line: shortLine(store, fresh.token, life),
      state: settle(fresh, joinToken(value, fresh.token)),
    };
  }

  /** Gives the browser the long cookie, where there is a new one. The short one goes with the answer. */
  function grant({ cookiesOut }: RequestStore, { state: { id }, lines, line }: Given): Granted {
    for (const one of lines) cookiesOut.set(one);
    return { id: bindingOf(id), line };
  }

  async function refuse(id: string): Promise<boolean | null> {
    for (let count = 1; count <= WRONG_PROOFS; count++) {
      if (!await revocations.claim(`${bindingOf(id)}.wrong.${count}`, forgottenAt())) continue;
      if (count < WRONG_PROOFS) return false;
      await revocations.revoke(id, forgottenAt());
      return true;
    }
    return null;
  }

  /** Binds a session: under a new id, since its token of before is ended. */
  async function bind(
    store: RequestStore,
    state: ValidSession,
    key: DeviceKey,
  ): Promise<Granted | null> {
    const until = forgottenAt();
    if (!await revocations.claim(`${state.id}.bound`, until)) return null;
    const id = createSessionId();
    const given = await give(store, state, { id, key, isDue: true });
    if (given === null) return null;
    const { settings } = store.auth;
    // Before anybody has the new token.
    const kept = { from: state.id, to: id, userId: state.session.user.id };
    await gateOf(settings)?.keep(kept, settings);
    for (const ahead of [0, GRACE / 2]) {
      await revocations.revoke(graceName(state.id, now() + ahead), until);
    }
    await revocations.revoke(state.id, until);
    return grant(store, given);
  }

  /**
   * Gives a bound session another token and another id, of the same binding. Null when another request of its browser was
   * faster, or it is over.
   */
  async function replace(state: ValidSession): Promise<ValidSession | null> {
    const keyToken = keyTokenOf(state.token);
    const store = runningStore();
    const named = keyToken === null ? null : await long.read(keyToken, asked);
    const key = named?.status === "valid" ? keyOf(named) : null;
    if (store === undefined || named?.status !== "valid" || key === null) return null;
    const id = bindingOf(named.id) + PART + createSessionId();
    const given = await give(store, named, { id, key, isDue: true, replaced: named.id });
    if (given === null || !await revocations.claim(replacedName(named.id), forgottenAt())) {
      return null;
    }
    store.cookiesOut.set(grant(store, given).line);
    return given.state;
  }

  async function find(store: RequestStore, token: string): Promise<NamedSession | null> {
    const keyToken = keyTokenOf(token);
    const state = await (keyToken === null ? inner.read(token, asked) : long.read(keyToken, asked));
    if (state.status !== "valid") return null;
    const { startedAt, claims, session: { user: { id: userId } } } = state;
    const id = bindingOf(state.id);
    const key = keyToken === null ? null : keyOf(state);
    // A key that cannot be read opens nothing, and none is taken in its place.
    if (keyToken !== null && key === null) return null;
    return {
      id,
      userId,
      startedAt,
      secrets: await secretsOf(id),
      key,
      provedAt: 0,
      // The answer to it would give the short cookie of what is over.
      replaced: key !== null &&
        await revocations.isRevoked({ id: replacedName(state.id), userId: "", startedAt }),
      bind: (key) => bind(store, state, key),
      async refresh(time) {
        if (!await revocations.claim(`${id}.proof.${time}`, time + 2 * CHALLENGE_LIFE)) return null;
        const age = now() - claims!.iat * 1000;
        const before = leftOf(state);
        // Not before: what the browser has sent at the same time has the token of before.
        const isOver = before !== undefined && age >= AFTER_EXCHANGE;
        if (isOver) await revocations.revoke(before, forgottenAt());
        const given = await give(store, state, {
          id: state.id,
          key: key!,
          isDue: isOver || age >= times.updateAge,
          replaced: isOver ? undefined : before,
        });
        return given && grant(store, given);
      },
      refuse: () => refuse(state.id),
    };
  }

  async function end(token: string): Promise<void> {
    const keyToken = keyTokenOf(token);
    await (keyToken === null ? inner.end(longOf(token)) : long.end(keyToken));
    for (const part of shortsOf(token)) await short.end(part);
  }

  /** The session with its user as stored now. */
  async function update(token: string, how: ReadOptions): Promise<SessionState> {
    const keyToken = how.source === "cookie" ? keyTokenOf(token) : null;
    const before = await read(token, how);
    if (before.status !== "valid") return before;
    if (keyToken === null) return settleUnbound(await inner.update(longOf(token), how));
    const state = await long.read(keyToken, asked);
    const key = state.status === "valid" ? keyOf(state) : null;
    const store = runningStore();
    if (store === undefined || state.status !== "valid" || key === null) return before;
    const given = await give(store, state, {
      id: state.id,
      key,
      isDue: true,
      replaced: leftOf(state),
    });
    if (given === null) return INVALID;
    store.cookiesOut.set(grant(store, given).line);
    return given.state;
  }

  return {
    ...inner,
    cookies: boundCookies(CHUNKED_COOKIES),
    read,
    update,
    async begin(mint) {
      const { replaces } = mint;
      const minted = await inner.begin({ ...mint, replaces: undefined });
      if (replaces !== undefined) await end(replaces);
      minted.session.bound = false;
      const { store } = mint as { store?: RequestStore };
      forgetShort(store);
      if (store?.auth.origin().startsWith("https:")) {
        await offer(store, (await secretsOf(minted.id))[0]);
      }
      return minted;
    },
    // A session with a key never becomes one without; and its token is another one in ten minutes.
    exchange: (state, userAgent) =>
      shortsOf(state.token).length === 0
        ? inner.exchange(state, userAgent)
        : Promise.resolve(state),
    replace: (state) => shortsOf(state.token).length === 0 ? inner.replace!(state) : replace(state),
    async end(token) {
      forgetShort(runningStore());
      await end(token);
    },
    assertBound,
    find,
  };
}
