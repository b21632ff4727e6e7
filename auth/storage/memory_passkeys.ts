// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

import { countWaysIn, type MemoryState, ownerFor } from "./memory_state.ts";
import type { PasskeyRecord, PasskeyStorage } from "./passkey_storage.ts";

/** The operations on passkeys. No body waits, which is what makes it atomic. */
export function createMemoryPasskeys(state: MemoryState): PasskeyStorage {
  const { passkeys } = state;

  function findOwn(userId: string, id: string): PasskeyRecord | undefined {
    const passkey = passkeys.get(id);
    return passkey?.userId === userId ? passkey : undefined;
  }

  return {
    preparePasskey: (passkey) => ({ prepared: passkey }),
    async insertPasskey(passkey, options) {
      if (passkeys.has(passkey.id)) return false;
      if (ownerFor(state, passkey.userId, options) === undefined) return false;
      passkeys.set(passkey.id, structuredClone(passkey));
      return true;
    },
    async getPasskey(id) {
      return structuredClone(passkeys.get(id) ?? null);
    },
    async listPasskeys(userId) {
      return [...passkeys.values()]
        .filter((passkey) => passkey.userId === userId)
        .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
        .map((passkey) => structuredClone(passkey));
    },
    async renamePasskey(userId, id, name) {
      const passkey = findOwn(userId, id);
      if (passkey === undefined) return false;
      passkey.name = name;
      return true;
    },
    async advancePasskey(id, { from, to, backedUp, at }) {
      const passkey = passkeys.get(id);
      if (passkey?.counter !== from) return false;
      Object.assign(passkey, { counter: to, backedUp, lastUsedAt: at });
      return true;
    },
    async deletePasskey(userId, id, { lastWayIn }) {
      if (findOwn(userId, id) === undefined) return "absent";
      if (lastWayIn && countWaysIn(state, userId) === 1) return "last";
      passkeys.delete(id);
      return "deleted";
    },
  };
}
