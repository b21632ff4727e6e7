// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

/**
 * Passwords and pending sign-ups of the memory storage.
 *
 * @module
 */

import { UserExistsError } from "../errors.ts";
import {
  addOwner,
  assertFree,
  copyUser,
  endInMemory,
  type MemoryState,
  ownerFor,
  raiseCredentials,
  removeFrom,
} from "./memory_state.ts";
import type { PasswordStorage, PendingSignUp } from "./passwords.ts";
import type { NewSessionRecord } from "./records.ts";

function newestFirst(a: PendingSignUp, b: PendingSignUp): number {
  return b.createdAt - a.createdAt || (a.tokenHash < b.tokenHash ? -1 : 1);
}

/** Makes the operations on passwords and pending sign-ups. No body waits, which is what makes it atomic. */
export function createMemoryPasswords(state: MemoryState): PasswordStorage {
  const { owners, passwords, signUps } = state;

  function find(tokenHash: string, now: number): PendingSignUp | null {
    const signUp = signUps.get(tokenHash);
    return signUp === undefined || signUp.expiresAt <= now ? null : signUp;
  }

  return {
    async findPassword(emailIdentity) {
      for (const [id, owner] of owners) {
        if (owner.emailIdentity !== emailIdentity) continue;
        const { user, credentialsAfter } = owner;
        return { user: copyUser(user), hash: passwords.get(id)?.hash ?? null, credentialsAfter };
      }
      return null;
    },
    async readPassword(userId) {
      const password = passwords.get(userId);
      return password === undefined ? null : { ...password };
    },
    async setPassword(password, options = {}) {
      const { exceptId, bySession = false, proofBegunAt = Infinity } = options;
      const { userId, changedAt } = password;
      const owner = ownerFor(state, userId, options);
      if (owner === undefined || owner.credentialsAfter > proofBegunAt) return false;
      const isStaying = (session: NewSessionRecord) =>
        session.userId === userId && session.id === exceptId;
      if (bySession && ![...state.sessions.values()].some(isStaying)) return false;
      raiseCredentials(owner, changedAt);
      passwords.set(userId, { ...password });
      endInMemory(state, userId, ["links", "knownBrowsers", "sessions"], exceptId);
      return true;
    },
    async replaceHash(userId, { from, to }) {
      const password = passwords.get(userId);
      if (password?.hash !== from) return false;
      password.hash = to;
      return true;
    },
    async createUserWithPassword(record, hash) {
      assertFree(state, record);
      const { user: { id: userId }, at } = record;
      if (owners.has(userId)) throw new UserExistsError();
      addOwner(state, record);
      passwords.set(userId, { userId, hash, changedAt: at });
    },
    async putSignUp(signUp, { keep }) {
      const { tokenHash, emailIdentity, createdAt } = signUp;
      if (!signUps.has(tokenHash)) signUps.set(tokenHash, { ...signUp });
      const others = [...signUps.values()].filter((one) =>
        one.emailIdentity === emailIdentity && one.tokenHash !== tokenHash
      );
      const stay = others.sort(newestFirst).slice(0, keep - 1);
      removeFrom(signUps, (one) => others.includes(one) && !stay.includes(one));
      removeFrom(signUps, ({ expiresAt }) => expiresAt <= createdAt);
    },
    async readSignUp(tokenHash, now) {
      const signUp = find(tokenHash, now);
      return signUp === null ? null : { ...signUp };
    },
    async readSignUpOfBrowser(browserHash, now) {
      const [newest] = [...signUps.values()]
        .filter((one) => one.browserHash === browserHash && one.expiresAt > now)
        .sort(newestFirst);
      return newest === undefined ? null : { ...newest };
    },
    async completeSignUp(tokenHash, { record, hash }) {
      const { user: { id: userId }, emailIdentity, at } = record;
      const signUp = find(tokenHash, at);
      if (signUp === null || signUp.emailIdentity !== emailIdentity) return "absent";
      removeFrom(signUps, (one) => one.emailIdentity === emailIdentity);
      const isTaken = [...owners].some(([id, owner]) =>
        id === userId || owner.emailIdentity === emailIdentity
      );
      if (isTaken) return "taken";
      addOwner(state, record);
      passwords.set(userId, { userId, hash, changedAt: at });
      return "made";
    },
  };
}
