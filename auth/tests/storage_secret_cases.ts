import assert from "node:assert/strict";
import type { CompleteStorage } from "./complete_storage.ts";
import type { StorageCase } from "./storage_cases.ts";
import { HOUR, NOW, record, secret } from "./storage_records.ts";

const LIVE = { now: NOW };

async function hashesOf(storage: CompleteStorage, hashes: string[]): Promise<string[]> {
  const found = await Promise.all(hashes.map((hash) => storage.readSecret("email", hash, NOW)));
  return found.filter((one) => one !== null).map(({ hash }) => hash);
}

/** What every storage does with one-time secrets. */
export const SECRET_CASES: Record<string, StorageCase> = {
  "readSecret() gives back what putSecret() stored, and consumes nothing": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const full = secret("h1", {
      identifier: "ada@example.com",
      userId: "ada",
      payload: '{"a":"é😀"}',
    });
    await storage.putSecret(full);
    await storage.putSecret(secret("h2"));
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(await storage.readSecret("email", "h1", NOW), { ...full, attempts: 0 });
    }
    assert.deepEqual(await storage.readSecret("email", "h2", NOW), {
      ...secret("h2"),
      attempts: 0,
    });
    assert.equal(await storage.readSecret("email", "h3", NOW), null);
  },
  // Tracks: R019, K3
  "a secret of one purpose is none of another, and stays": async (storage) => {
    await storage.putSecret(secret("h", { payload: "mine" }));
    assert.equal(await storage.readSecret("reset", "h", NOW), null);
    assert.equal(await storage.takeSecret("reset", "h", LIVE), null);
    assert.equal(await storage.countAttempt("reset", "h", { now: NOW, max: 3 }), null);
    await storage.putSecret(secret("h", { purpose: "reset", payload: "other" }));
    assert.equal((await storage.takeSecret("email", "h", LIVE))?.payload, "mine");
    assert.equal((await storage.takeSecret("reset", "h", LIVE))?.payload, "other");
  },
  // Tracks: R019
  "takeSecret() for another identifier burns nothing": async (storage) => {
    await storage.putSecret(secret("h", { identifier: "ada@example.com" }));
    await storage.putSecret(secret("nobody"));
    const wrong = { now: NOW, identifier: "eve@example.com" };
    assert.equal(await storage.takeSecret("email", "h", wrong), null);
    assert.equal(await storage.takeSecret("email", "nobody", wrong), null);
    const right = { now: NOW, identifier: "ada@example.com" };
    assert.equal((await storage.takeSecret("email", "h", right))?.hash, "h");
    assert.equal(await storage.takeSecret("email", "h", right), null);
    assert.equal((await storage.takeSecret("email", "nobody", LIVE))?.hash, "nobody");
  },
  "a secret that has ended is not there": async (storage) => {
    await storage.putSecret(secret("h", { expiresAt: NOW }));
    assert.equal(await storage.readSecret("email", "h", NOW), null);
    assert.equal(await storage.countAttempt("email", "h", { now: NOW, max: 3 }), null);
    assert.equal(await storage.takeSecret("email", "h", LIVE), null);
    assert.equal((await storage.readSecret("email", "h", NOW - 1))?.hash, "h");
  },
  "countAttempt() counts up to the limit": async (storage) => {
    await storage.putSecret(secret("h"));
    const limit = { now: NOW, max: 2 };
    assert.equal((await storage.countAttempt("email", "h", limit))?.attempts, 1);
    assert.equal((await storage.countAttempt("email", "h", limit))?.attempts, 2);
    assert.equal(await storage.countAttempt("email", "h", limit), null);
    assert.equal((await storage.readSecret("email", "h", NOW))?.attempts, 2);
    assert.equal(await storage.countAttempt("email", "none", limit), null);
  },
  "putSecret() takes the place of one with the same hash, attempts and all": async (storage) => {
    await storage.putSecret(secret("h", { payload: "old", expiresAt: NOW + 1 }));
    await storage.countAttempt("email", "h", { now: NOW, max: 9 });
    const fresh = secret("h", { payload: "new", identifier: "ada", createdAt: NOW + 1 });
    await storage.putSecret(fresh);
    assert.deepEqual(await storage.readSecret("email", "h", NOW), { ...fresh, attempts: 0 });
  },
  "putNewestSecret() keeps the newest of a purpose and identifier": async (storage) => {
    const about = { identifier: "ada@example.com" };
    await storage.putSecret(secret("h1", { ...about, createdAt: NOW + 1 }));
    await storage.putSecret(secret("h2", { ...about, createdAt: NOW + 2 }));
    await storage.putSecret(secret("h3", { ...about, createdAt: NOW + 3 }));
    await storage.putSecret(secret("other", { identifier: "eve@example.com" }));
    await storage.putSecret(secret("reset", { ...about, purpose: "reset" }));
    await storage.putNewestSecret(secret("h4", { ...about, createdAt: NOW }), { keep: 2 });
    assert.deepEqual(await hashesOf(storage, ["h1", "h2", "h3", "h4", "other"]), [
      "h3",
      "h4",
      "other",
    ]);
    assert.notEqual(await storage.readSecret("reset", "reset", NOW), null);
    await storage.putNewestSecret(secret("h5", about), { keep: 1 });
    assert.deepEqual(await hashesOf(storage, ["h3", "h4", "h5", "other"]), ["h5", "other"]);
  },
  "dropSecrets() removes those of one purpose and identifier": async (storage) => {
    const about = { identifier: "ada@example.com" };
    await storage.putSecret(secret("h1", about));
    await storage.putSecret(secret("h2", about));
    await storage.putSecret(secret("h3", { identifier: "eve@example.com" }));
    await storage.putSecret(secret("h4", { ...about, purpose: "reset" }));
    assert.equal(await storage.dropSecrets("email", "ada@example.com"), 2);
    assert.equal(await storage.dropSecrets("email", "ada@example.com"), 0);
    assert.deepEqual(await hashesOf(storage, ["h1", "h2", "h3"]), ["h3"]);
    assert.notEqual(await storage.readSecret("reset", "h4", NOW), null);
  },
  // Tracks: R039
  "secrets go with their user, and nobody gets one who does not exist": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.putSecret(secret("h1", { userId: "ada" }));
    await storage.putSecret(secret("h2", { userId: "nobody" }));
    assert.equal(await storage.readSecret("email", "h2", NOW), null);
    await storage.deleteUser("ada");
    await storage.createUser(record({ id: "ada" }));
    assert.equal(await storage.readSecret("email", "h1", NOW), null);
  },
  // Tracks: R150
  "sweep() removes secrets that have ended, at most as many as it may": async (storage) => {
    for (let index = 0; index < 5; index++) {
      await storage.putSecret(secret(`old${index}`, { expiresAt: NOW + index }));
    }
    await storage.putSecret(secret("live", { expiresAt: NOW + HOUR }));
    assert.equal(await storage.sweep(NOW + 4, 3), 3);
    assert.equal(await storage.sweep(NOW + 4, 3), 2);
    assert.equal(await storage.sweep(NOW + 4, 3), 0);
    assert.equal((await storage.readSecret("email", "live", NOW))?.hash, "live");
  },
};
