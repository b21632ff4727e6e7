import assert from "node:assert/strict";
import { UserExistsError } from "@framework/auth/storage";
import type { StorageCase } from "./complete_storage.ts";
import { HOUR, NOW, record, session } from "./records.ts";
import { inSuite } from "./suites.ts";

/** Cases about sessions that every storage must pass. */
export const SESSION_CASES: Record<string, StorageCase> = inSuite("operations", {
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
  "insertSession() updates email, name and image of a known owner, never roles": async (
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
  "updateUser() does not carry the proof of one address over to another, insertSession() leaves it":
    async (storage) => {
      const proved = { id: "ada", email: "ada@example.com", emailVerified: new Date(NOW) };
      await storage.createUser(record(proved));
      await storage.insertSession(session("s1", "ada"), {
        owner: record({ id: "ada", email: "ADA@example.com" }),
      });
      assert.deepEqual((await storage.getUser("ada"))?.emailVerified, new Date(NOW));
      await storage.updateUser(record({ id: "ada", email: "other@example.com" }));
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
  "renewSession() does not revive a session that has ended": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    const at = NOW + HOUR;
    const renewal = { from: NOW, at, expiresAt: at + HOUR };
    assert.equal(await storage.renewSession("s1", renewal), false);
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
  // Tracks: R040
  "listSessions() gives the user's own that have not ended, the one renewed last first": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.insertSession(session("s1", "ada", { userAgent: null }));
    await storage.insertSession(session("s2", "ada", { refreshedAt: NOW + 1 }));
    await storage.insertSession(session("old", "ada", { expiresAt: NOW }));
    await storage.insertSession(session("hers", "eve"));
    const listed = await storage.listSessions("ada", { now: NOW, limit: 10 });
    assert.deepEqual(listed, [
      {
        id: "s2",
        userId: "ada",
        userAgent: "Test/1.0",
        createdAt: NOW,
        authenticatedAt: NOW,
        refreshedAt: NOW + 1,
        expiresAt: NOW + HOUR,
      },
      {
        id: "s1",
        userId: "ada",
        userAgent: null,
        createdAt: NOW,
        authenticatedAt: NOW,
        refreshedAt: NOW,
        expiresAt: NOW + HOUR,
      },
    ]);
    assert.deepEqual(
      (await storage.listSessions("ada", { now: NOW, limit: 1 })).map(({ id }) => id),
      ["s2"],
    );
    assert.deepEqual(await storage.listSessions("nobody", { now: NOW, limit: 10 }), []);
  },
  // Tracks: R040
  "deleteSessionById() ends a session of this user and of no other": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.insertSession(session("s1", "ada"));
    await storage.insertSession(session("s2", "ada"));
    assert.equal(await storage.deleteSessionById("eve", "s1"), false);
    assert.equal((await storage.readSession("hash-of-s1"))?.session.id, "s1");
    assert.equal(await storage.deleteSessionById("ada", "s1"), true);
    assert.equal(await storage.deleteSessionById("ada", "s1"), false);
    assert.equal(await storage.readSession("hash-of-s1"), null);
    assert.equal((await storage.readSession("hash-of-s2"))?.session.id, "s2");
  },
  // Tracks: R040
  "deleteSessions() ends all of a user's, or all but one": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    for (const id of ["s1", "s2", "s3"]) await storage.insertSession(session(id, "ada"));
    await storage.insertSession(session("hers", "eve"));
    assert.equal(await storage.deleteSessions("ada", { exceptId: "s2" }), 2);
    assert.equal(await storage.readSession("hash-of-s1"), null);
    assert.equal((await storage.readSession("hash-of-s2"))?.session.id, "s2");
    assert.equal(await storage.deleteSessions("ada", { exceptId: "hers" }), 1);
    assert.equal(await storage.deleteSessions("ada"), 0);
    assert.equal((await storage.readSession("hash-of-hers"))?.session.id, "hers");
  },
});
