/**
 * The session strategy that signs tokens.
 *
 * @module
 */

import type {
  MintOptions,
  ReadOptions,
  SessionStrategy,
  StrategyParts,
  TokenSource,
} from "../core/session_strategy.ts";
import { ConfigurationError, UserUnavailableError } from "../errors.ts";
import { createPurposeKey } from "../lib/keys.ts";
import { wrongOption } from "../lib/options.ts";
import { runMode } from "../lib/runtime.ts";
import { createSecret } from "../lib/secret.ts";
import type { SavedUser } from "../storage/records.ts";
import { savedUserGroup } from "../storage/saved_users.ts";
import { groupOf } from "../storage/storage.ts";
import type { RevocationStore, SessionState, ValidSession } from "../types/session.ts";
import { CHUNKED_COOKIES } from "./cookie.ts";
import { AFTER_EXCHANGE, createSessionId, sweepNowAndThen } from "./database_strategy.ts";
import {
  assertFits,
  claimsOfUser,
  createTokenSigner,
  customClaims,
  issueToken,
  MAX_SKEW,
  type OpenSession,
  readSessionClaims,
  stateOfToken,
  type TokenClaims,
  type TokenDraft,
} from "./jwt.ts";

/** Properties that a new token takes over from the previous one. */
type Reissued =
  & Pick<OpenSession, "claims" | "startedAt" | "tenantId" | "moved">
  & Partial<Pick<OpenSession, "replaced">>;

/** The name under which the token from before an exchange is ended: the session itself goes on. */
function beforeExchange(id: string): string {
  return `${id}.moved`;
}

/** A session that was made anew for a client. */
interface Made {
  /** Under its new token; null when the user is gone. */
  fresh: ValidSession | null;
  /** Source of the client's present token. */
  source: TokenSource;
}

// A server whose clock is ahead may have made sessions that begin later than now; they are to end as well.
const SKEW = MAX_SKEW * 1000;
const DAY = 24 * 60 * 60 * 1000;
// No token lasts longer, whatever the configuration was when it was made.
const MAX_LIFE = 401 * DAY;

function readRevocation(value: unknown): RevocationStore | null {
  if (value === undefined) return null;
  if (typeof value === "object" && value !== null && "isRevoked" in value) {
    return value as RevocationStore;
  }
  throw wrongOption("session.revocation", value, "what createSqlRevocationStore() returns");
}

/**
 * A secret for as long as this process runs, which is said once.
 *
 * @throws {ConfigurationError} Unless the process was started for development, see `runMode()`.
 */
export function developmentSecret(): string {
  if (runMode() !== "development") {
    throw new ConfigurationError(
      'The session strategy "jwt" needs `secret`: write secret: process.env.AUTH_SECRET, at least 32 bytes, as of ' +
        "openssl rand -hex 32. With NODE_ENV=development one is made",
      { field: "secret" },
    );
  }
  // deno-lint-ignore no-console -- whoever develops is to know why a restart signs everybody out
  console.info("auth: no `secret`: this process has made one, and a restart signs everybody out");
  return createSecret();
}

/** Creates the strategy of signed tokens, which are verified without a lookup. */
export function createJwtStrategy(parts: StrategyParts): SessionStrategy {
  const { cookieName: audience, hostOnly, hostOnlySince, times, secrets, storage, now, logger } =
    parts;
  const revocation = readRevocation(parts.revocation);
  if (secrets.length === 0) secrets.push(developmentSecret());
  const { jwt } = parts.callbacks;
  const { maxAge, updateAge, absoluteMaxAge } = times;
  const signer = createTokenSigner(
    secrets.map((secret) => createPurposeKey(secret, "session-jwt")),
  );

  function readOpened(claims: TokenClaims | null): OpenSession | "expired" | null {
    return claims === null
      ? null
      : readSessionClaims(claims, { audience, absoluteMaxAge, now: now() });
  }

  /** Milliseconds since a token was made. */
  function ageOf({ claims: { iat } }: OpenSession): number {
    return now() - iat * 1000;
  }

  function issue(draft: TokenDraft): Promise<ValidSession> {
    return issueToken(draft, { signer, audience, hostOnly, times, jwt, now: now() });
  }

  /** Reissues the token of a session with the user's present data. Null when the user is gone. */
  async function reissue(open: Reissued): Promise<ValidSession | null> {
    const { claims, startedAt, tenantId, moved, replaced } = open;
    const draft = { id: claims.jti, startedAt, userId: claims.sub, tenantId, moved, replaced };
    if (storage === null) {
      return await issue({ ...draft, claims, told: { trigger: "update" } });
    }
    const user = await storage().getActiveUser(claims.sub);
    if (user === null) return null;
    const fresh = { ...customClaims(claims), ...claimsOfUser(user) };
    return await issue({ ...draft, claims: fresh, told: { trigger: "update", user } });
  }

  /**
   * Session of a client that keeps its token and expiry, with fresh data of the user, in the claims
   * too.
   */
  function underOldToken(open: OpenSession, token: string, fresh: ValidSession): ValidSession {
    const { iat, exp } = open.claims;
    const { session, ...state } = stateOfToken(open, token, hostOnly);
    return {
      ...state,
      session: { ...session, user: fresh.session.user },
      claims: { ...fresh.claims!, iat, exp },
    };
  }

  /** Gives a client what was made for it, where that is possible. */
  function handOver(open: OpenSession, token: string, made: Made): SessionState {
    const { fresh, source } = made;
    if (fresh === null) return { status: "invalid" };
    if (source !== "cookie") return underOldToken(open, token, fresh);
    assertFits(fresh);
    return { ...fresh, renewed: true };
  }

  async function renew(
    open: OpenSession,
    token: string,
    source: TokenSource,
  ): Promise<SessionState> {
    let fresh: ValidSession | null = null;
    try {
      if (open.moved === 1) {
        await revocation?.revoke(beforeExchange(open.claims.jti), forgottenAt(open));
      }
      const age = ageOf(open);
      // Not before: what the browser has sent at the same time has the token of before.
      const isOver = open.replaced !== undefined && age >= AFTER_EXCHANGE;
      if (isOver) await revocation?.revoke(open.replaced!, forgottenAt(open));
      const replaced = isOver ? undefined : open.replaced;
      fresh = await reissue({ ...open, moved: open.moved && 0, replaced });
      return handOver(open, token, { fresh, source });
    } catch (error) {
      // The token is valid; that its end could not be moved is no reason to refuse it. But users whose
      // data outgrow a token must not keep the roles of before by it.
      logger.error("session-renewal-failed", { error });
      return fresh === null
        ? stateOfToken(open, token, hostOnly)
        : underOldToken(open, token, fresh);
    }
  }

  async function askAbout(
    { claims: { jti: id, sub: userId }, startedAt, moved }: OpenSession,
    store: RevocationStore,
  ): Promise<boolean> {
    if (await store.isRevoked({ id, userId, startedAt })) return true;
    // Only a token from before the move can have been exchanged.
    return moved === undefined && startedAt < hostOnlySince &&
      await store.isRevoked({ id: beforeExchange(id), userId, startedAt });
  }

  /**
   * By then every token of the session has expired, also one that a request renews at this moment, and one
   * that was made when maxAge was longer.
   */
  function forgottenAt({ expiresAt }: OpenSession): number {
    return Math.max(expiresAt, now() + maxAge) + DAY;
  }

  async function readRevocable(
    open: OpenSession,
    token: string,
    { store, how }: { store: RevocationStore; how: ReadOptions },
  ): Promise<SessionState> {
    if (await askAbout(open, store)) return { status: "invalid" };
    return await readOpen(open, token, how);
  }

  function readOpen(open: OpenSession, token: string, how: ReadOptions) {
    const age = ageOf(open);
    const isLeft = open.moved === 1 || open.replaced !== undefined;
    const isDue = age >= updateAge ||
      isLeft && how.source === "cookie" && age >= AFTER_EXCHANGE;
    return isDue && how.mayRenew?.()
      ? renew(open, token, how.source)
      : stateOfToken(open, token, hostOnly);
  }

  function saveOwner({ userId, owner, save }: MintOptions): Promise<SavedUser | null> {
    if (storage === null) {
      return Promise.resolve({ user: owner?.user ?? { id: userId }, created: false });
    }
    if (owner !== undefined || save !== undefined) {
      const record = owner ?? { user: { id: userId }, emailIdentity: null, at: now() };
      const conditions = owner === undefined ? { ...save, existing: true } : save;
      return groupOf(storage(), savedUserGroup).saveUser(record, conditions);
    }
    return storage().getActiveUser(userId).then((user) => user && { user, created: false });
  }

  async function end(token: string): Promise<void> {
    const open = await signer.open(token, readOpened);
    if (revocation === null || open === null || open === "expired") return;
    await revocation.revoke(open.claims.jti, forgottenAt(open));
    if (open.replaced !== undefined) await revocation.revoke(open.replaced, forgottenAt(open));
  }

  return {
    name: "jwt",
    cookies: CHUNKED_COOKIES,
    revocable: revocation !== null,
    read(token, how) {
      return signer.open(token, (claims): SessionState | Promise<SessionState> => {
        const open = readOpened(claims);
        if (open === null) return { status: "invalid" };
        if (open === "expired") return { status: "expired" };
        return revocation === null
          ? readOpen(open, token, how)
          : readRevocable(open, token, { store: revocation, how });
      });
    },
    async update(token, { source }) {
      const open = await signer.open(token, readOpened);
      if (open === null) return { status: "invalid" };
      if (open === "expired") return { status: "expired" };
      if (revocation !== null && await askAbout(open, revocation)) return { status: "invalid" };
      return handOver(open, token, { fresh: await reissue(open), source });
    },
    async exchange(state) {
      const { claims, startedAt, tenantId } = state;
      try {
        const moved = revocation === null ? 0 : 1;
        const fresh = await reissue({ claims: claims!, startedAt, tenantId, moved });
        if (fresh === null) return { status: "invalid" };
        assertFits(fresh);
        const session = { ...state.session, expires: fresh.session.expires };
        return { ...state, session, token: fresh.token, claims: fresh.claims, renewed: true };
      } catch (error) {
        logger.error("session-renewal-failed", { error });
        return state;
      }
    },
    async replace({ id, claims, startedAt, tenantId }, as) {
      const { id: jti, replaced } = as ?? { id: createSessionId(), replaced: id };
      // The session may be the one that was spared when the others ended, which is told by its id.
      const validFrom = jti === id ? 0 : await revocation?.validFrom(claims!.sub) ?? 0;
      const fresh = await reissue({
        claims: { ...claims!, ...as?.claims, jti },
        startedAt: Math.max(startedAt, validFrom),
        tenantId,
        moved: undefined,
        replaced,
      });
      if (fresh !== null && as === undefined) assertFits(fresh);
      return fresh;
    },
    async begin(mint) {
      const { tenantId, account, profile, replaces, waitUntil } = mint;
      // Both before the user is read: who is shut out after that ends this session too.
      const at = now();
      // A clock that stands still or goes back must not put the new session among those that were ended.
      const validFrom = await revocation?.validFrom(mint.userId) ?? 0;
      // All sessions have ended since the check of the credentials began: it may be of the old password. A database knows that
      // by itself.
      const { proofBegunAt = Infinity } = mint.save ?? {};
      if (storage === null && validFrom - SKEW > proofBegunAt) throw new UserUnavailableError();
      const saved = await saveOwner(mint);
      if (saved === null) throw new UserUnavailableError();
      const { user, created } = saved;
      const state = await issue({
        id: createSessionId(),
        startedAt: Math.max(at, validFrom),
        userId: user.id,
        tenantId,
        claims: claimsOfUser(user),
        told: {
          user,
          trigger: created ? "signUp" : "signIn",
          ...(account !== undefined && { account }),
          ...(profile !== undefined && { profile }),
        },
      });
      assertFits(state);
      if (replaces !== undefined) await end(replaces);
      if (storage !== null) sweepNowAndThen(storage(), { now: now(), waitUntil });
      return { ...state, created, lifetime: state.session.expires.getTime() - now() };
    },
    end,
    endOf: null,
    async endAll(userId, { except } = {}) {
      if (revocation === null) {
        throw new ConfigurationError(
          "Cannot end the sessions of a user: nobody remembers which tokens are over. Write " +
            "session: { …, revocation: createSqlRevocationStore(env.DB) }.",
          { field: "session.revocation" },
        );
      }
      await revocation.revokeUser(userId, {
        before: now() + SKEW,
        until: now() + MAX_LIFE,
        ...(except !== undefined && { except: { id: except.id, startedAt: except.startedAt } }),
      });
    },
  };
}
