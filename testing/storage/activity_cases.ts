import assert from "node:assert/strict";
import type { ActivityRecord } from "@framework/auth/storage";
import type { CompleteStorage, StorageCase } from "./complete_storage.ts";
import { activity, HOUR, NOW, record } from "./records.ts";
import { inSuite } from "./suites.ts";

const ALL = { keep: 100, since: 0 };

async function withUsers(storage: CompleteStorage): Promise<void> {
  await storage.createUser(record({ id: "ada" }));
  await storage.createUser(record({ id: "eve" }));
}

async function idsOf(
  storage: CompleteStorage,
  userId: string,
  { since = 0, limit = 100 } = {},
): Promise<string[]> {
  return (await storage.listActivity(userId, { since, limit })).map(({ id }) => id);
}

/** Cases about account activity that every storage must pass. */
export const ACTIVITY_CASES: Record<string, StorageCase> = inSuite("operations", {
  "listActivity() gives back what insertActivity() stored, the newest first": async (storage) => {
    await withUsers(storage);
    const full: ActivityRecord = {
      id: "full",
      userId: "ada",
      type: "account-linked",
      provider: "github",
      device: "Chrome, Linux",
      network: "192.0.2.0/24",
      tenantId: "acme",
      at: NOW,
    };
    const bare = activity("bare", "ada", { at: NOW + 1 });
    await storage.insertActivity(full, ALL);
    await storage.insertActivity(bare, ALL);
    assert.deepEqual(await storage.listActivity("ada", { since: NOW, limit: 5 }), [bare, full]);
    assert.deepEqual(await idsOf(storage, "ada", { limit: 1 }), ["bare"]);
    assert.deepEqual(await idsOf(storage, "ada", { since: NOW + 1 }), ["bare"]);
  },
  // Tracks: GHSA-2vg6
  "what happened to one user is listed for no other and goes with the user": async (storage) => {
    await withUsers(storage);
    await storage.insertActivity(activity("a", "ada"), ALL);
    await storage.insertActivity(activity("e", "eve"), ALL);
    assert.deepEqual(await idsOf(storage, "ada"), ["a"]);
    assert.deepEqual(await idsOf(storage, "eve"), ["e"]);
    await storage.deleteUser("ada");
    await storage.createUser(record({ id: "ada" }));
    assert.deepEqual(await idsOf(storage, "ada"), []);
    assert.deepEqual(await idsOf(storage, "eve"), ["e"]);
  },
  "insertActivity() keeps the newest of a user, and nobody loses for another": async (storage) => {
    await withUsers(storage);
    await storage.insertActivity(activity("e", "eve", { at: NOW - HOUR }), { keep: 3, since: 0 });
    for (let index = 0; index < 7; index++) {
      await storage.insertActivity(
        activity(`a${index}`, "ada", { at: NOW + index }),
        { keep: 3, since: 0 },
      );
    }
    assert.deepEqual(await idsOf(storage, "ada"), ["a6", "a5", "a4"]);
    assert.deepEqual(await idsOf(storage, "eve"), ["e"]);
  },
  "insertActivity() removes what is too old, whoever's it is": async (storage) => {
    await withUsers(storage);
    await storage.insertActivity(activity("old", "eve", { at: NOW - HOUR }), ALL);
    await storage.insertActivity(activity("young", "eve", { at: NOW }), ALL);
    await storage.insertActivity(activity("a", "ada"), { keep: 100, since: NOW });
    assert.deepEqual(await idsOf(storage, "eve"), ["young"]);
  },
  "insertActivity() stores nothing about somebody who is not there, and an id once": async (
    storage,
  ) => {
    await withUsers(storage);
    await storage.insertActivity(activity("n", "nobody"), ALL);
    assert.deepEqual(await idsOf(storage, "nobody"), []);
    await storage.insertActivity(activity("a", "ada"), ALL);
    await storage.insertActivity(activity("a", "ada"), ALL);
    assert.deepEqual(await idsOf(storage, "ada"), ["a"]);
  },
});

/** Races about activity that every storage must pass. */
export const ACTIVITY_RACES: Record<string, StorageCase> = inSuite("races", {
  "insertActivity() of many at once keeps as many as it should": async (storage) => {
    await withUsers(storage);
    await Promise.all(
      Array.from(
        { length: 12 },
        (_, index) =>
          storage.insertActivity(activity(`a${index}`, "ada", { at: NOW + index }), ALL),
      ),
    );
    await storage.insertActivity(activity("last", "ada", { at: NOW + 20 }), { keep: 4, since: 0 });
    assert.deepEqual(await idsOf(storage, "ada"), ["last", "a11", "a10", "a9"]);
  },
});
