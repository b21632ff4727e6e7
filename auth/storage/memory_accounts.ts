// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

import type { AccountStorage } from "./account_storage.ts";
import type { LinkedAccountStorage } from "./linked_account_storage.ts";
import {
  copyUser,
  countWaysIn,
  keyOf,
  type MemoryState,
  proveMailbox,
  saveAccount,
} from "./memory_state.ts";
import type { AccountRecord } from "./storage.ts";

function compare(a: AccountRecord, b: AccountRecord): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  if (a.provider !== b.provider) return a.provider < b.provider ? -1 : 1;
  return a.providerAccountId < b.providerAccountId ? -1 : 1;
}

/** The operations on accounts. No body waits, which is what makes it atomic. */
export function createMemoryAccounts(
  state: MemoryState,
): AccountStorage & LinkedAccountStorage {
  const { owners, accounts } = state;

  return {
    async findAccount(provider, providerAccountId) {
      const account = accounts.get(keyOf(provider, providerAccountId));
      return account === undefined ? null : { ...account };
    },
    async linkAccount(account, options) {
      return saveAccount(state, account, options);
    },
    async listAccounts(userId) {
      return [...accounts.values()]
        .filter((account) => account.userId === userId)
        .sort(compare)
        .map((account) => ({ ...account }));
    },
    async unlinkAccount(userId, provider, providerAccountId, { lastWayIn }) {
      const key = keyOf(provider, providerAccountId);
      if (accounts.get(key)?.userId !== userId) return "absent";
      if (lastWayIn && countWaysIn(state, userId) === 1) return "last";
      accounts.delete(key);
      return "unlinked";
    },
    async swapAccountTokens(provider, providerAccountId, { from, at, ...tokens }) {
      const account = accounts.get(keyOf(provider, providerAccountId));
      if (account?.updatedAt !== from) return false;
      Object.assign(account, tokens, { updatedAt: Math.max(at, from + 1) });
      return true;
    },
    async getUserByEmail(emailIdentity) {
      for (const owner of owners.values()) {
        if (owner.emailIdentity !== emailIdentity) continue;
        return owner.disabled ? null : copyUser(owner.user);
      }
      return null;
    },
    async proveEmail(userId, options) {
      return proveMailbox(state, userId, options);
    },
  };
}
