import assert from "node:assert/strict";
import { UserExistsError } from "../errors/storage_errors.ts";
import type { NewSessionRecord, Storage, UserRecord } from "../storage/storage.ts";
import type { User } from "../users/user.ts";

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 60 * 60 * 1000;

function record(user: User, at = NOW): UserRecord {
  return { user, emailIdentity: user.email?.toLowerCase() ?? null, at };
}

function session(
  id: string,
  userId: string,
  changes: Partial<NewSessionRecord> = {},
): NewSessionRecord {
  return {
    id,
    userId,
    tokenHash: `hash-of-${id}`,
    userAgent: "Test/1.0",
    createdAt: NOW,
    authenticatedAt: NOW,
    refreshedAt: NOW,
    expiresAt: NOW + HOUR,
    ...changes,
  };
}

/** Checks one behaviour of an empty storage. */
export type StorageCase = (storage: Storage) => Promise<void>;

/** What every storage does, whatever it is made of. */
export const STORAGE_CASES: Record<string, StorageCase> = {
  "getUser() gives back what createUser() stored": async (storage) => {
    const user: User = {
      id: "ada",
      email: "Ada@example.com",
      name: "Ada",
      image: "https://example.com/ada.png",
      emailVerified: new Date(NOW),
      role: "admin",
      roles: ["editor", "author"],
    };
    await storage.createUser(record(user));
    assert.deepEqual(await storage.getUser("ada"), user);
    assert.equal(await storage.getUser("nobody"), null);
  },
  "getUser() gives null for what was left out": async (storage) => {
    await storage.createUser(record({ id: "plain" }));
    assert.deepEqual(await storage.getUser("plain"), {
      id: "plain",
      email: null,
      name: null,
      image: null,
      emailVerified: null,
    });
  },
  "createUser() throws when the id or the mailbox is taken": async (storage) => {
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    await assert.rejects(storage.createUser(record({ id: "ada" })), UserExistsError);
    await assert.rejects(
      storage.createUser(record({ id: "eve", email: "ADA@example.com" })),
      UserExistsError,
    );
    assert.equal(await storage.getUser("eve"), null);
  },
  "createUser() lets two users be without an address": async (storage) => {
    await storage.createUser(record({ id: "one" }));
    await storage.createUser(record({ id: "two" }));
    assert.equal((await storage.getUser("two"))?.id, "two");
  },
  // Tracks: F08
  "createUser() makes one of 20 users with one mailbox at once": async (storage) => {
    const attempts = Array.from(
      { length: 20 },
      (_, index) => storage.createUser(record({ id: `u${index}`, email: "one@example.com" })),
    );
    const settled = await Promise.allSettled(attempts);
    assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
  },
  "readSession() gives the session with its owner": async (storage) => {
    await storage.createUser(record({ id: "ada", name: "Ada" }));
    const inserted = await storage.insertSession(session("s1", "ada"));
    assert.equal(inserted?.user.name, "Ada");
    assert.equal(inserted?.created, false);
    assert.deepEqual(await storage.readSession("hash-of-s1"), {
      user: { id: "ada", email: null, name: "Ada", image: null, emailVerified: null },
      session: {
        id: "s1",
        userId: "ada",
        createdAt: NOW,
        authenticatedAt: NOW,
        refreshedAt: NOW,
        expiresAt: NOW + HOUR,
      },
    });
    assert.equal(await storage.readSession("s1"), null);
  },
  "insertSession() stores nothing when there is no such user": async (storage) => {
    assert.equal(await storage.insertSession(session("s1", "nobody")), null);
    assert.equal(await storage.readSession("hash-of-s1"), null);
  },
  "insertSession() makes the owner when the id is new": async (storage) => {
    const owner = record({ id: "ada", email: "ada@example.com", role: "admin", roles: ["a"] });
    const inserted = await storage.insertSession(session("s1", "ada"), { owner });
    assert.equal(inserted?.created, true);
    assert.equal(inserted?.user.role, "admin");
    assert.deepEqual((await storage.getUser("ada"))?.roles, ["a"]);
  },
  "insertSession() updates e-mail, name and image of a known owner, never roles": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada", name: "Ada", role: "member", roles: ["a"] }));
    const owner = record({
      id: "ada",
      email: "ada@example.com",
      image: "https://example.com/a.png",
      role: "admin",
      roles: ["root"],
    });
    const inserted = await storage.insertSession(session("s1", "ada"), { owner });
    assert.equal(inserted?.created, false);
    assert.deepEqual(await storage.getUser("ada"), {
      id: "ada",
      email: "ada@example.com",
      name: "Ada",
      image: "https://example.com/a.png",
      emailVerified: null,
      role: "member",
      roles: ["a"],
    });
  },
  "insertSession() does not carry the proof of one address over to another": async (storage) => {
    const proved = { id: "ada", email: "ada@example.com", emailVerified: new Date(NOW) };
    await storage.createUser(record(proved));
    await storage.insertSession(session("s1", "ada"), {
      owner: record({ id: "ada", email: "ADA@example.com" }),
    });
    assert.deepEqual((await storage.getUser("ada"))?.emailVerified, new Date(NOW));
    await storage.insertSession(session("s2", "ada"), {
      owner: record({ id: "ada", email: "other@example.com" }),
    });
    assert.equal((await storage.getUser("ada"))?.emailVerified, null);
  },
  "insertSession() stores nothing when the owner's mailbox is another user's": async (storage) => {
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    const owner = record({ id: "eve", email: "ada@example.com" });
    await assert.rejects(storage.insertSession(session("s1", "eve"), { owner }), UserExistsError);
    assert.equal(await storage.getUser("eve"), null);
    assert.equal(await storage.readSession("hash-of-s1"), null);
  },
  "insertSession() ends the session that it replaces": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    await storage.insertSession(session("s2", "ada"), { replaces: "hash-of-s1" });
    assert.equal(await storage.readSession("hash-of-s1"), null);
    assert.equal((await storage.readSession("hash-of-s2"))?.session.id, "s2");
  },
  "insertSession() leaves the old session when there is no new one": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    await storage.insertSession(session("s2", "nobody"), { replaces: "hash-of-s1" });
    assert.equal((await storage.readSession("hash-of-s1"))?.session.id, "s1");
  },
  "renewSession() moves the end once for one state": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    const renewal = { from: NOW, at: NOW + 1000, expiresAt: NOW + 2 * HOUR };
    assert.equal(await storage.renewSession("s1", renewal), true);
    assert.equal(await storage.renewSession("s1", renewal), false);
    const stored = await storage.readSession("hash-of-s1");
    assert.equal(stored?.session.refreshedAt, NOW + 1000);
    assert.equal(stored?.session.expiresAt, NOW + 2 * HOUR);
    assert.equal(stored?.session.createdAt, NOW);
  },
  // Tracks: R036, F04
  "renewSession() is done by one of 50 at once": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    const renewals = Array.from({ length: 50 }, (_, index) =>
      storage.renewSession("s1", {
        from: NOW,
        at: NOW + 1 + index,
        expiresAt: NOW + 2 * HOUR,
      }));
    const won = (await Promise.all(renewals)).filter(Boolean);
    assert.equal(won.length, 1);
  },
  "renewSession() does not revive a session that has ended": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    const at = NOW + HOUR;
    const renewal = { from: NOW, at, expiresAt: at + HOUR };
    assert.equal(await storage.renewSession("s1", renewal), false);
  },
  // Tracks: R037, F05
  "renewSession() does not revive a session that is deleted at the same time": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    for (let round = 0; round < 25; round++) {
      const id = `s${round}`;
      await storage.insertSession(session(id, "ada"));
      const renewal = { from: NOW, at: NOW + 1, expiresAt: NOW + 2 * HOUR };
      const both = [
        () => storage.deleteSession(`hash-of-${id}`),
        () => storage.renewSession(id, renewal),
      ];
      if (round % 2 === 1) both.reverse();
      await Promise.all(both.map((one) => one()));
      assert.equal(await storage.readSession(`hash-of-${id}`), null);
    }
  },
  "deleteSession() tells whether there was one": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    assert.equal(await storage.deleteSession("hash-of-s1"), true);
    assert.equal(await storage.deleteSession("hash-of-s1"), false);
    assert.equal(await storage.readSession("hash-of-s1"), null);
  },
  // Tracks: R150
  "sweep() removes ended sessions, at most as many as it may": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    for (let index = 0; index < 5; index++) {
      await storage.insertSession(session(`old${index}`, "ada", { expiresAt: NOW + index }));
    }
    await storage.insertSession(session("live", "ada", { expiresAt: NOW + HOUR }));
    assert.equal(await storage.sweep(NOW + 4, 3), 3);
    assert.equal(await storage.sweep(NOW + 4, 3), 2);
    assert.equal(await storage.sweep(NOW + 4, 3), 0);
    assert.equal((await storage.readSession("hash-of-live"))?.session.id, "live");
  },
};
