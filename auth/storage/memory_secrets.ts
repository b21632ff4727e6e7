// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

import { activeOwner, keyOf, type MemoryState, proveMailbox, removeFrom } from "./memory_state.ts";
import {
  type SecretRecord,
  type SecretStorage,
  type StoredSecret,
  UNSENT,
} from "./secret_storage.ts";
import type { SentSecretStorage } from "./sent_secret_storage.ts";

/** The operations on one-time secrets. No body waits, which is what makes it atomic. */
export function createMemorySecrets(
  state: MemoryState,
): SecretStorage & SentSecretStorage {
  const { owners, secrets } = state;

  function find(purpose: string, hash: string, now: number): StoredSecret | null {
    const secret = secrets.get(keyOf(purpose, hash));
    return secret === undefined || secret.expiresAt <= now ? null : secret;
  }

  function store(secret: SecretRecord): void {
    if (secret.userId !== null && !owners.has(secret.userId)) return;
    secrets.set(keyOf(secret.purpose, secret.hash), { ...UNSENT, ...secret, attempts: 0 });
  }

  return {
    async putSecret(secret) {
      store(secret);
    },
    async putNewestSecret(secret, { keep }) {
      store(secret);
      const { purpose, hash, identifier } = secret;
      const staying = [...secrets.values()]
        .filter((one) => one.purpose === purpose && one.identifier === identifier)
        .filter((one) => one.hash !== hash)
        .sort((a, b) => b.createdAt - a.createdAt || (a.hash < b.hash ? -1 : 1))
        .slice(0, keep - 1);
      removeFrom(
        secrets,
        (one) =>
          one.purpose === purpose && one.identifier === identifier && one.hash !== hash &&
          !staying.includes(one),
      );
    },
    async readSecret(purpose, hash, now) {
      const secret = find(purpose, hash, now);
      return secret === null ? null : { ...secret };
    },
    async takeSecret(purpose, hash, { now, identifier }) {
      const secret = find(purpose, hash, now);
      if (secret === null) return null;
      if (identifier !== undefined && secret.identifier !== identifier) return null;
      secrets.delete(keyOf(purpose, hash));
      return secret;
    },
    async countAttempt(purpose, hash, { now, max }) {
      const secret = find(purpose, hash, now);
      if (secret === null || secret.attempts >= max) return null;
      secret.attempts++;
      return { ...secret };
    },
    async redeemSecret({ purpose, hash, identifier }, options) {
      const { now, userId, emailIdentity, keepOwn = false, ends, usedAs } = options;
      const secret = find(purpose, hash, now);
      if (secret === null) return "absent";
      secrets.delete(keyOf(purpose, hash));
      removeFrom(secrets, (one) => ends.includes(one.purpose) && one.identifier === identifier);
      if (userId !== null && activeOwner(state, userId) === undefined) return "absent";
      const outcome = userId === null || emailIdentity === null
        ? "absent"
        : proveMailbox(state, userId, { emailIdentity, at: now, keepOwn });
      if (usedAs !== undefined) {
        secrets.set(keyOf(usedAs, hash), { ...secret, purpose: usedAs, payload: null });
      }
      return outcome === "absent" ? "redeemed" : outcome;
    },
  };
}
