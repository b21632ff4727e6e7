import assert from "node:assert/strict";
import type { ApiKeyRecord } from "@framework/auth/storage";
import type { StorageCase } from "./complete_storage.ts";
import { HOUR, NOW, record } from "./records.ts";
import { inSuite } from "./suites.ts";

/** A key of a user, without a limit or an end. */
function apiKey(id: string, changes: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  return {
    id,
    userId: "ada",
    tenantId: null,
    name: `Name of ${id}`,
    hash: `hash-of-${id}`,
    previousHash: null,
    previousUntil: null,
    permissions: ["posts:read", "posts:update:own"],
    limitCount: null,
    limitWindow: null,
    createdBy: "ada",
    createdAt: NOW,
    expiresAt: null,
    lastUsedAt: null,
    ...changes,
  };
}

const OF_TEAM = { userId: null, tenantId: "acme" };
const FEW = { max: 3 };

/** Cases about API keys that every storage must pass. */
export const API_KEY_CASES: Record<string, StorageCase> = inSuite("operations", {
  "readApiKey() gives a key with its owner, and that of a tenant without one": async (storage) => {
    await storage.createUser(record({ id: "ada", name: "Ada", roles: ["admin"] }));
    const full = apiKey("k1", { limitCount: 5, limitWindow: 60, expiresAt: NOW + HOUR });
    assert.equal(await storage.insertApiKey(full, FEW), true);
    assert.equal(await storage.insertApiKey(apiKey("t1", OF_TEAM), FEW), true);
    const user = await storage.getUser("ada");
    assert.deepEqual(await storage.readApiKey("k1"), { key: full, user });
    assert.deepEqual(await storage.readApiKey("t1"), { key: apiKey("t1", OF_TEAM), user: null });
    for (const id of ["", "K1", "k2", "hash-of-k1"]) {
      assert.equal(await storage.readApiKey(id), null, id);
    }
  },
  "a user's API keys end with the disabling, and with the user; a tenant's go on": async (
    storage,
  ) => {
    for (const id of ["ada", "bob"]) await storage.createUser(record({ id }));
    await storage.insertApiKey(apiKey("k1"), FEW);
    await storage.insertApiKey(apiKey("k2", { userId: "bob", createdBy: "bob" }), FEW);
    await storage.insertApiKey(apiKey("t1", OF_TEAM), FEW);
    await storage.disableUser("ada", NOW);
    assert.equal(await storage.readApiKey("k1"), null);
    await storage.enableUser("ada", NOW);
    assert.equal(await storage.readApiKey("k1"), null);
    await storage.insertApiKey(apiKey("k3"), FEW);
    await storage.deleteUser("ada");
    assert.equal(await storage.readApiKey("k3"), null);
    assert.deepEqual(await storage.listApiKeys({ tenantId: "acme" }), [
      apiKey("t1", { ...OF_TEAM, createdBy: null }),
    ]);
    assert.equal((await storage.readApiKey("k2"))?.user?.id, "bob");
  },
  "listApiKeys() lists those of the owner, newest first, or of one maker": async (storage) => {
    for (const id of ["ada", "bob"]) await storage.createUser(record({ id }));
    await storage.insertApiKey(apiKey("k1"), FEW);
    await storage.insertApiKey(apiKey("k2", { createdAt: NOW + 1 }), FEW);
    await storage.insertApiKey(apiKey("k3", { userId: "bob" }), FEW);
    await storage.insertApiKey(apiKey("t1", OF_TEAM), FEW);
    await storage.insertApiKey(apiKey("t2", { ...OF_TEAM, createdBy: "bob" }), FEW);
    await storage.insertApiKey(apiKey("t3", { ...OF_TEAM, tenantId: "other" }), FEW);
    const ids = async (...asked: Parameters<typeof storage.listApiKeys>) =>
      (await storage.listApiKeys(...asked)).map(({ id }) => id);
    assert.deepEqual(await ids({ userId: "ada" }), ["k2", "k1"]);
    assert.deepEqual(await ids({ tenantId: "acme" }), ["t1", "t2"]);
    assert.deepEqual(await ids({ tenantId: "acme" }, { createdBy: "bob" }), ["t2"]);
    assert.deepEqual(await ids({ userId: "nobody" }), []);
    await storage.insertApiKey(apiKey("t4", { ...OF_TEAM, createdAt: NOW + 1 }), FEW);
    assert.deepEqual(await ids({ tenantId: "acme" }), ["t4", "t1", "t2"]);
  },
  "touchApiKey() notes the use, and dropApiKeys() removes the owner's own": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    for (const id of ["k1", "k2"]) await storage.insertApiKey(apiKey(id), FEW);
    await storage.insertApiKey(apiKey("t1", OF_TEAM), FEW);
    await storage.touchApiKey("k1", NOW + 5);
    assert.equal((await storage.readApiKey("k1"))?.key.lastUsedAt, NOW + 5);
    assert.equal((await storage.readApiKey("k2"))?.key.lastUsedAt, null);
    assert.equal(await storage.dropApiKeys({ userId: "bob" }, "k1"), 0);
    assert.equal(await storage.dropApiKeys({ userId: "ada" }, "t1"), 0);
    assert.equal(await storage.dropApiKeys({ userId: "ada" }, "k1"), 1);
    assert.equal(await storage.dropApiKeys({ tenantId: "acme" }), 1);
    assert.deepEqual((await storage.listApiKeys({ userId: "ada" })).map(({ id }) => id), ["k2"]);
    assert.equal(await storage.endEverything("ada", ["apiKeys"], { at: NOW }), true);
    assert.equal(await storage.readApiKey("k2"), null);
  },
});

/** Races about API keys that every storage must pass. */
export const API_KEY_RACES: Record<string, StorageCase> = inSuite("races", {
  "insertApiKey() stores nothing for who is gone or disabled, and no more than may be": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "bob" }));
    await storage.disableUser("bob", NOW);
    const none = [
      apiKey("k", { userId: "bob" }),
      apiKey("k", { userId: "nobody" }),
      apiKey("k", { ...OF_TEAM, createdBy: "bob" }),
      apiKey("k", { ...OF_TEAM, createdBy: "nobody" }),
    ];
    for (const key of none) assert.equal(await storage.insertApiKey(key, FEW), false);
    const many = Array.from({ length: 12 }, (_, index) => apiKey(`k${index}`));
    const stored = await Promise.all(many.map((key) => storage.insertApiKey(key, FEW)));
    assert.equal(stored.filter(Boolean).length, 3);
    assert.equal((await storage.listApiKeys({ userId: "ada" })).length, 3);
    // Of another owner there are none yet.
    assert.equal(await storage.insertApiKey(apiKey("t1", OF_TEAM), FEW), true);
  },
  "rotateApiKey() changes the secret that was read, of the owner's own key": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertApiKey(apiKey("k1"), FEW);
    const to = { from: "hash-of-k1", to: "second", until: NOW + HOUR };
    assert.equal(await storage.rotateApiKey({ userId: "bob" }, "k1", to), false);
    assert.equal(await storage.rotateApiKey({ tenantId: "ada" }, "k1", to), false);
    assert.equal(await storage.rotateApiKey({ userId: "ada" }, "k2", to), false);
    const all = Array.from({ length: 8 }, (_, index) => ({ ...to, to: `new-${index}` }));
    const done = await Promise.all(
      all.map((one) => storage.rotateApiKey({ userId: "ada" }, "k1", one)),
    );
    assert.equal(done.filter(Boolean).length, 1);
    const { key } = (await storage.readApiKey("k1"))!;
    assert.deepEqual(
      [key.hash, key.previousHash, key.previousUntil],
      [all[done.indexOf(true)]!.to, "hash-of-k1", NOW + HOUR],
    );
  },
});
