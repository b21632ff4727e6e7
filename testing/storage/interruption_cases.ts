import assert from "node:assert/strict";
import { StorageUnavailableError } from "@framework/auth/storage";
import type { CompleteStorage } from "./complete_storage.ts";
import { account, HOUR, NOW, passkey, record, secret, session } from "./records.ts";
import { type InSuite, inSuite } from "./suites.ts";
import type { Loss, Trips } from "./trips.ts";

/** An operation that changes more than one row, or that must not happen twice, for the user of an id. */
export interface Interrupted {
  /** State before it. */
  prepare?: (storage: CompleteStorage, id: string) => Promise<unknown>;
  run: (storage: CompleteStorage, id: string) => Promise<unknown>;
  /** Reads whatever the operation changes; the last thing that is done with the user. */
  observe: (storage: CompleteStorage, id: string) => Promise<unknown>;
  /** True when the port says that it is safe to repeat. */
  isRepeatable: boolean;
}

/** Tells if the session is there. */
async function has(storage: CompleteStorage, id: string): Promise<boolean> {
  return await storage.readSession(`hash-of-${id}`) !== null;
}

async function createWithSession(storage: CompleteStorage, id: string): Promise<void> {
  await storage.createUser(record({ id, email: `${id}@example.com` }));
  await storage.insertSession(session(id, id));
}

/** Operations whose exchanges with the store are lost one after the other. */
export const INTERRUPTION_CASES: Record<string, InSuite<Interrupted>> = inSuite("interruptions", {
  "createUser()": {
    run: (storage, id) => storage.createUser(record({ id, email: `${id}@example.com` })),
    observe: async (storage, id) => (await storage.getUser(id))?.email ?? null,
    isRepeatable: false,
  },
  "insertSession() with a new owner, in place of another session": {
    async prepare(storage, id) {
      await createWithSession(storage, `old-${id}`);
    },
    run: (storage, id) =>
      storage.insertSession(session(id, id), {
        owner: record({ id }),
        replaces: `hash-of-old-${id}`,
      }),
    observe: async (storage, id) => [
      await storage.getUser(id) !== null,
      await has(storage, id),
      await has(storage, `old-${id}`),
    ],
    isRepeatable: false,
  },
  "insertSession() with a new owner and an account": {
    run: (storage, id) =>
      storage.insertSession(session(id, id), {
        owner: record({ id }),
        account: account("code", id),
      }),
    observe: async (storage, id) => [
      await storage.getUser(id) !== null,
      await has(storage, id),
      await storage.findAccount("code", `id-of-${id}`) !== null,
    ],
    isRepeatable: false,
  },
  "renewSession()": {
    prepare: createWithSession,
    run: (storage, id) =>
      storage.renewSession(id, { from: NOW, at: NOW + 1, expiresAt: NOW + 2 * HOUR }),
    async observe(storage, id) {
      const stored = await storage.readSession(`hash-of-${id}`);
      return [stored?.session.refreshedAt, stored?.session.expiresAt];
    },
    isRepeatable: true,
  },
  "deleteSessions()": {
    async prepare(storage, id) {
      await createWithSession(storage, id);
      await storage.insertSession(session(`other-${id}`, id));
    },
    run: (storage, id) => storage.deleteSessions(id),
    observe: async (storage, id) => [await has(storage, id), await has(storage, `other-${id}`)],
    isRepeatable: true,
  },
  "disableUser()": {
    prepare: createWithSession,
    run: (storage, id) => storage.disableUser(id, NOW),
    async observe(storage, id) {
      const isActive = await storage.getActiveUser(id) !== null;
      // A session that is left would be found again.
      await storage.enableUser(id, NOW + 1);
      return [isActive, await has(storage, id)];
    },
    isRepeatable: true,
  },
  "deleteUser()": {
    prepare: createWithSession,
    run: (storage, id) => storage.deleteUser(id),
    async observe(storage, id) {
      const isThere = await storage.getUser(id) !== null;
      if (!isThere) await storage.createUser(record({ id, email: `${id}@example.com` }));
      return [isThere, await has(storage, id)];
    },
    isRepeatable: true,
  },
  "takeSecret()": {
    prepare: (storage, id) => storage.putSecret(secret(id)),
    run: (storage, id) => storage.takeSecret("email", id, { now: NOW }),
    observe: async (storage, id) => await storage.readSecret("email", id, NOW) !== null,
    isRepeatable: false,
  },
  "redeemSecret() that proves a mailbox": {
    async prepare(storage, id) {
      await createWithSession(storage, id);
      await storage.insertPasskey(passkey(id, id));
      for (const purpose of ["email", "other"]) {
        await storage.putSecret(secret(id, { purpose, identifier: id, userId: id }));
      }
    },
    run: (storage, id) =>
      storage.redeemSecret({ purpose: "email", hash: id, identifier: id }, {
        now: NOW,
        userId: id,
        emailIdentity: `${id}@example.com`,
        ends: ["email"],
      }),
    observe: async (storage, id) => [
      (await storage.getUser(id))?.emailVerified?.getTime(),
      await storage.readSecret("email", id, NOW) !== null,
      await storage.readSecret("other", id, NOW) !== null,
      (await storage.listPasskeys(id)).length,
      await has(storage, id),
    ],
    isRepeatable: false,
  },
  "createUserWithPassword()": {
    run: (storage, id) =>
      storage.createUserWithPassword(record({ id, email: `${id}@example.com` }), "hash"),
    observe: async (storage, id) => [
      await storage.getUser(id) !== null,
      (await storage.readPassword(id))?.hash,
    ],
    isRepeatable: false,
  },
  "completeSignUp()": {
    prepare: (storage, id) =>
      storage.putSignUp({
        tokenHash: id,
        emailIdentity: `${id}@example.com`,
        email: `${id}@example.com`,
        name: null,
        passwordHash: "hash",
        browserHash: `browser-of-${id}`,
        callbackUrl: null,
        createdAt: NOW,
        expiresAt: NOW + HOUR,
      }, { keep: 5 }),
    run: (storage, id) =>
      storage.completeSignUp(id, {
        record: record({ id, email: `${id}@example.com`, emailVerified: new Date(NOW) }),
        hash: "hash",
      }),
    observe: async (storage, id) => [
      await storage.readSignUp(id, NOW) !== null,
      await storage.getUser(id) !== null,
      (await storage.readPassword(id))?.hash,
    ],
    isRepeatable: false,
  },
  "setPassword()": {
    async prepare(storage, id) {
      await storage.createUserWithPassword(record({ id, email: `${id}@example.com` }), "old");
      await storage.insertSession(session(id, id));
      await storage.putSecret(secret(id, { userId: id }));
    },
    run: (storage, id) => storage.setPassword({ userId: id, hash: "new", changedAt: NOW + 1 }),
    observe: async (storage, id) => [
      (await storage.readPassword(id))?.hash,
      await storage.credentialsCount(id, NOW),
      await has(storage, id),
      await storage.readSecret("email", id, NOW) !== null,
    ],
    isRepeatable: true,
  },
  "endEverything()": {
    async prepare(storage, id) {
      await createWithSession(storage, id);
      await storage.insertPasskey(passkey(id, id));
      await storage.putSecret(secret(id, { userId: id }));
    },
    run: (storage, id) => storage.endEverything(id, ["sessions", "links", "passkeys"], { at: NOW }),
    observe: async (storage, id) => [
      await has(storage, id),
      await storage.readSecret("email", id, NOW) !== null,
      (await storage.listPasskeys(id)).length,
    ],
    isRepeatable: true,
  },
});

const LOSSES: Readonly<Record<Loss, string>> = {
  before: "was lost before the store was asked",
  after: "was lost after the store did its work",
  all: "and all after it were lost",
};
const MOST_TRIPS = 100;

/**
 * Runs an operation once for each of its exchanges with the store, of which that one is lost, or that one and all after it. It has happened as a whole
 * or not at all, whoever called it is told so, and what may be repeated has one result.
 */
export async function interrupt(
  { prepare, run, observe, isRepeatable }: Interrupted,
  { storage, trips }: { storage: CompleteStorage; trips: Trips },
): Promise<void> {
  let round = 0;
  const nextId = async () => {
    const id = `user${round++}`;
    await prepare?.(storage, id);
    return id;
  };
  const look = async (id: string) =>
    JSON.stringify(await observe(storage, id) ?? null).replaceAll(id, "user");

  const before = await look(await nextId());
  const doneFor = await nextId();
  await run(storage, doneFor);
  const after = await look(doneFor);
  assert.notEqual(before, after);

  for (const when of Object.keys(LOSSES) as Loss[]) {
    for (let at = 0;; at++) {
      assert.ok(at < MOST_TRIPS, `it asks the store more than ${MOST_TRIPS} times`);
      const id = await nextId();
      trips.lose(at, when);
      const outcome: { error?: unknown } = await run(storage, id).then(
        () => ({}),
        (error: unknown) => ({ error }),
      );
      const where = `exchange ${at + 1} ${LOSSES[when]}`;
      if (!trips.heal()) {
        assert.ok(at > 0, "it asks the store nothing by trip()");
        assert.deepEqual(outcome, {});
        break;
      }
      const failed = "error" in outcome;
      if (failed) {
        assert.ok(
          outcome.error instanceof StorageUnavailableError,
          `${where}, and it threw ${outcome.error} instead of a StorageUnavailableError`,
        );
        if (isRepeatable) await run(storage, id);
      }
      const found = await look(id);
      const allowed = failed && !isRepeatable ? [before, after] : [after];
      assert.ok(
        allowed.includes(found),
        `${where}: found ${found}, which is neither ${allowed.join(" nor ")}`,
      );
    }
  }
}
