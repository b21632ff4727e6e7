// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

/**
 * API keys of the memory storage.
 *
 * @module
 */

import type { ApiKeyOwner, ApiKeyRecord, ApiKeyStorage } from "./api_keys.ts";
import { activeOwner, copyUser, type MemoryState, removeFrom } from "./memory_state.ts";

function isOwned(key: ApiKeyRecord, owner: ApiKeyOwner): boolean {
  return "userId" in owner ? key.userId === owner.userId : key.tenantId === owner.tenantId;
}

/** Makes the operations on API keys. No body waits, which is what makes it atomic. */
export function createMemoryApiKeys(state: MemoryState): ApiKeyStorage {
  const { apiKeys } = state;
  return {
    async insertApiKey(key, { max }) {
      if (activeOwner(state, key.userId ?? key.createdBy!) === undefined) return false;
      const owner = key as ApiKeyOwner & ApiKeyRecord;
      const theirs = [...apiKeys.values()].filter((one) =>
        key.userId === null ? one.tenantId === owner.tenantId : one.userId === owner.userId
      );
      if (theirs.length >= max) return false;
      apiKeys.set(key.id, structuredClone(key));
      return true;
    },
    async readApiKey(id) {
      const key = apiKeys.get(id);
      if (key === undefined) return null;
      if (key.userId === null) return { key: structuredClone(key), user: null };
      const owner = activeOwner(state, key.userId);
      return owner === undefined ? null : { key: structuredClone(key), user: copyUser(owner.user) };
    },
    async listApiKeys(owner, { createdBy } = {}) {
      return [...apiKeys.values()]
        .filter((key) => isOwned(key, owner))
        .filter((key) => createdBy === undefined || key.createdBy === createdBy)
        .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
        .map((key) => structuredClone(key));
    },
    async rotateApiKey(owner, id, { from, to, until }) {
      const key = apiKeys.get(id);
      if (key === undefined || !isOwned(key, owner)) return false;
      if (key.hash === from) {
        Object.assign(key, { hash: to, previousHash: from, previousUntil: until });
      }
      return key.hash === to;
    },
    async touchApiKey(id, at) {
      const key = apiKeys.get(id);
      if (key !== undefined) key.lastUsedAt = at;
    },
    async dropApiKeys(owner, id) {
      return removeFrom(
        apiKeys,
        (key) => isOwned(key, owner) && (id === undefined || key.id === id),
      );
    },
  };
}
