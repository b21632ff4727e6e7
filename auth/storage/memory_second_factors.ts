// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

/**
 * Second factors of the memory storage.
 *
 * @module
 */

import { NEVER } from "./first_proof.ts";
import { activeOwner, keyOf, type MemoryState, removeFrom } from "./memory_state.ts";
import {
  type KnownRecovery,
  RECOVERY_PURPOSE,
  type SecondFactorStorage,
  STEP_PURPOSE,
  type TrustedBrowserRecord,
} from "./second_factors.ts";
import { UNSENT } from "./secrets.ts";

function newestFirst(a: TrustedBrowserRecord, b: TrustedBrowserRecord): number {
  return b.createdAt - a.createdAt || (a.idHash < b.idHash ? -1 : 1);
}

/** Makes the operations on second factors. No body waits, which is what makes it atomic. */
export function createMemorySecondFactors(state: MemoryState): SecondFactorStorage {
  const {
    owners,
    sessions,
    devices,
    secrets,
    factors,
    recoveryCodes,
    trustedBrowsers,
    sessionFactors,
  } = state;

  function putCodes(userId: string, codes: readonly string[], createdAt: number): void {
    removeFrom(recoveryCodes, (code) => code.userId === userId);
    for (const hash of codes) recoveryCodes.set(hash, { hash, userId, createdAt });
  }

  function endSecrets(userId: string, purposes: readonly string[]): void {
    removeFrom(secrets, (one) => one.userId === userId && purposes.includes(one.purpose));
  }

  function drop(userId: string): boolean {
    endSecrets(userId, [STEP_PURPOSE, RECOVERY_PURPOSE]);
    removeFrom(recoveryCodes, (code) => code.userId === userId);
    removeFrom(trustedBrowsers, (browser) => browser.userId === userId);
    removeFrom(sessionFactors, (factor) => factor.userId === userId);
    return factors.delete(userId);
  }

  /** The user who is not disabled, and whose password is no newer; undefined when the waiting sign-in is over. */
  function waitingOwner(userId: string, step: string, at: { passwordAt: number; now: number }) {
    const waits = secrets.get(keyOf(STEP_PURPOSE, step));
    if (waits?.userId !== userId || waits.expiresAt <= at.now) return undefined;
    const owner = activeOwner(state, userId);
    return owner !== undefined && owner.credentialsAfter <= at.passwordAt ? owner : undefined;
  }

  function findRecovery(userId: string, { hash, payload, now }: KnownRecovery) {
    const found = secrets.get(keyOf(RECOVERY_PURPOSE, hash));
    const isKnown = found?.userId === userId && found.payload === payload && found.expiresAt > now;
    return isKnown ? found : undefined;
  }

  /** Time at which the codes of a user that are left were made; 0 for none. */
  function codesMadeAt(userId: string): number {
    const theirs = [...recoveryCodes.values()].filter((code) => code.userId === userId);
    return Math.max(0, ...theirs.map(({ createdAt }) => createdAt));
  }

  return {
    async readFactor(userId) {
      const factor = factors.get(userId);
      return factor === undefined ? null : { ...factor };
    },
    async putFactor({ userId, secret, lastStep, createdAt, codes, replaces }) {
      const before = factors.get(userId);
      if (activeOwner(state, userId) === undefined) return false;
      if (before?.secret === secret) return true;
      if ((before?.createdAt ?? null) !== replaces) return false;
      factors.set(userId, { userId, secret, lastStep, tries: 0, triesSince: 0, createdAt });
      removeFrom(trustedBrowsers, (browser) => browser.userId === userId);
      endSecrets(userId, [RECOVERY_PURPOSE]);
      putCodes(userId, codes, createdAt);
      return true;
    },
    async tryCode(userId, { at, since, max }) {
      const factor = factors.get(userId);
      if (factor === undefined) return null;
      const isOver = factor.triesSince <= since;
      if (!isOver && factor.tries >= max) return null;
      factor.tries = isOver ? 1 : factor.tries + 1;
      if (isOver) factor.triesSince = at;
      return { ...factor };
    },
    async takeStep(userId, step, secret) {
      const factor = factors.get(userId);
      if (factor?.secret !== secret) return false;
      factor.tries = Math.max(0, factor.tries - 1);
      if (factor.lastStep >= step) return false;
      factor.lastStep = step;
      return true;
    },
    async countRecoveryCodes(userId) {
      return [...recoveryCodes.values()].filter((code) => code.userId === userId).length;
    },
    async takeRecoveryCode(userId, hash) {
      return recoveryCodes.get(hash)?.userId === userId && recoveryCodes.delete(hash);
    },
    async recoveryCodesMadeAt(userId) {
      return codesMadeAt(userId);
    },
    async replaceRecoveryCodes(userId, { codes, at, replaces }) {
      if (recoveryCodes.get(codes[0]!)?.userId === userId) return true;
      const present = codesMadeAt(userId);
      if (!factors.has(userId) || present !== 0 && present !== replaces) return false;
      putCodes(userId, codes, at);
      return true;
    },
    async dropFactor(userId) {
      return drop(userId);
    },
    async putTrustedBrowser(browser, { keep }) {
      const { userId, createdAt: now } = browser;
      removeFrom(trustedBrowsers, ({ expiresAt }) => expiresAt <= now);
      if (!factors.has(userId)) return;
      trustedBrowsers.set(browser.idHash, { ...browser });
      const theirs = [...trustedBrowsers.values()].filter((one) => one.userId === userId);
      for (const { idHash } of theirs.sort(newestFirst).slice(keep)) trustedBrowsers.delete(idHash);
    },
    async listTrustedBrowsers(userId, now) {
      const after = owners.get(userId)?.credentialsAfter ?? 0;
      return [...trustedBrowsers.values()]
        .filter((one) => one.userId === userId && one.expiresAt > now)
        .filter(({ createdAt }) => after === 0 || after >= NEVER || createdAt > after)
        .sort(newestFirst)
        .map((one) => ({ ...one }));
    },
    async dropTrustedBrowsers(userId, idHash) {
      return removeFrom(
        trustedBrowsers,
        (one) => one.userId === userId && (idHash === undefined || one.idHash === idHash),
      );
    },
    async replaceToken(id, { from, to, bound, before: { sessionId, expiresAt } }) {
      if (sessions.get(to)?.id === id) return true;
      const session = sessions.get(from);
      if (session?.id !== id || session.refreshedAt >= session.expiresAt) return false;
      const end = Math.min(session.expiresAt, expiresAt);
      const before = { ...session, id: sessionId, refreshedAt: end, expiresAt: end };
      session.tokenHash = to;
      sessions.set(to, session).set(from, before);
      const device = devices.get(session);
      if (bound && device !== undefined) devices.set(before, device);
      const proved = sessionFactors.get(id);
      if (proved !== undefined) sessionFactors.set(sessionId, { ...proved, sessionId, expiresAt });
      return true;
    },
    async putSessionFactor(factor) {
      removeFrom(sessionFactors, ({ expiresAt }) => expiresAt <= factor.at);
      if (owners.has(factor.userId)) sessionFactors.set(factor.sessionId, { ...factor });
    },
    async readSessionFactor(sessionId, userId) {
      const factor = sessionFactors.get(sessionId);
      return factor?.userId === userId ? { ...factor } : null;
    },
    async putRecovery({ userId, hash, payload, step, provedAt, createdAt, expiresAt }) {
      const owner = waitingOwner(userId, step, { passwordAt: provedAt, now: createdAt });
      if (!owner?.user.emailVerified || !factors.has(userId)) return false;
      const key = keyOf(RECOVERY_PURPOSE, hash);
      const before = secrets.get(key);
      const stays = before !== undefined && before.expiresAt > createdAt;
      if (stays && before.payload !== payload) return false;
      const own = { purpose: RECOVERY_PURPOSE, hash, identifier: userId, userId, payload };
      secrets.set(key, { ...UNSENT, ...own, createdAt, expiresAt });
      return true;
    },
    async cancelRecovery(userId, { until, ...known }) {
      const found = findRecovery(userId, known);
      if (found === undefined) return false;
      Object.assign(found, { payload: null, createdAt: known.now, expiresAt: until });
      endSecrets(userId, [STEP_PURPOSE]);
      return true;
    },
    async takeRecovery(userId, { step, ...known }) {
      const found = findRecovery(userId, known);
      if (found === undefined) return false;
      const at = { passwordAt: found.createdAt, now: known.now };
      if (waitingOwner(userId, step, at) === undefined) return false;
      drop(userId);
      return true;
    },
  };
}
