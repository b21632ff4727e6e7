// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

/**
 * Sealed values of the memory storage.
 *
 * @module
 */

import { keyOf, type MemoryState } from "./memory_state.ts";
import type { SealedStorage, SealedTokensKey } from "./sealed.ts";

function compareAccounts(a: SealedTokensKey, b: SealedTokensKey): number {
  if (a.provider !== b.provider) return a.provider < b.provider ? -1 : 1;
  if (a.providerAccountId === b.providerAccountId) return 0;
  return a.providerAccountId < b.providerAccountId ? -1 : 1;
}

/** Makes the operations on sealed values. No body waits, which is what makes it atomic. */
export function createMemorySealed({ factors, accounts }: MemoryState): SealedStorage {
  return {
    async pageFactorSecrets(after, limit) {
      return [...factors.values()]
        .filter(({ userId }) => userId > after)
        .sort((a, b) => a.userId < b.userId ? -1 : 1)
        .slice(0, limit)
        .map(({ userId, secret }) => ({ userId, secret }));
    },
    async swapFactorSecret(userId, { from, to }) {
      const factor = factors.get(userId);
      if (factor?.secret !== from) return false;
      factor.secret = to;
      return true;
    },
    async pageSealedTokens(after, limit) {
      return [...accounts.values()]
        .filter((account) => compareAccounts(account, after) > 0)
        .sort(compareAccounts)
        .slice(0, limit)
        .map(({ provider, providerAccountId, userId, accessToken, refreshToken, updatedAt }) => (
          { provider, providerAccountId, userId, accessToken, refreshToken, updatedAt }
        ));
    },
    async swapSealedTokens({ provider, providerAccountId }, { from, accessToken, refreshToken }) {
      const account = accounts.get(keyOf(provider, providerAccountId));
      if (account?.updatedAt !== from) return false;
      Object.assign(account, { accessToken, refreshToken, updatedAt: from + 1 });
      return true;
    },
  };
}
