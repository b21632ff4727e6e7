import assert from "node:assert/strict";
import type { CompleteStorage, StorageCase } from "./complete_storage.ts";
import { account, HOUR, NOW, passkey, record, secret, session } from "./records.ts";
import { inSuite } from "./suites.ts";

const LIVE = { now: NOW };

async function hashesOf(storage: CompleteStorage, hashes: string[]): Promise<string[]> {
  const found = await Promise.all(hashes.map((hash) => storage.readSecret("email", hash, NOW)));
  return found.filter((one) => one !== null).map(({ hash }) => hash);
}

/** Cases about one-time secrets that every storage must pass. */
export const SECRET_CASES: Record<string, StorageCase> = inSuite("operations", {
  "readSecret() gives back what putSecret() stored, and consumes nothing": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const full = secret("h1", {
      identifier: "ada@example.com",
      userId: "ada",
      payload: '{"a":"é😀"}',
      sentTo: "ada@example.com",
    });
    await storage.putSecret(full);
    await storage.putSecret(secret("h2"));
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(await storage.readSecret("email", "h1", NOW), {
        ...full,
        sessionId: null,
        attempts: 0,
      });
    }
    assert.deepEqual(await storage.readSecret("email", "h2", NOW), {
      ...secret("h2"),
      sentTo: null,
      sessionId: null,
      attempts: 0,
    });
    assert.equal(await storage.readSecret("email", "h3", NOW), null);
  },
  // Tracks: R185
  "listImpersonations() finds those of a user and those by an administrator, the newest first":
    async (
      storage,
    ) => {
      for (const id of ["ada", "bob", "cleo"]) await storage.createUser(record({ id }));
      const row = (hash: string, userId: string, identifier: string, age = 0) => ({
        ...secret(hash),
        purpose: "impersonation",
        userId,
        identifier,
        createdAt: NOW - age,
      });
      await storage.putSecret(row("h1", "bob", "ada", 2));
      await storage.putSecret(row("h2", "bob", "cleo"));
      await storage.putSecret(row("h3", "cleo", "ada", 1));
      await storage.putSecret({ ...row("h4", "bob", "ada"), expiresAt: NOW });
      await storage.putSecret({ ...row("h5", "bob", "ada"), purpose: "email" });
      const list = async (of: { userId: string } | { actorId: string }) =>
        (await storage.listImpersonations(of, NOW)).map(({ hash }) => hash);
      assert.deepEqual(await list({ userId: "bob" }), ["h2", "h1"]);
      assert.deepEqual(await list({ actorId: "ada" }), ["h3", "h1"]);
      assert.deepEqual(await list({ userId: "nobody" }), []);
      await storage.endEverything("bob", ["pendingSteps"], { at: NOW });
      assert.deepEqual(await list({ userId: "bob" }), []);
      assert.deepEqual(await list({ actorId: "ada" }), ["h3"]);
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
    for (const hash of ["h", "h2"]) await storage.putSecret(secret(hash));
    const limit = { now: NOW, max: 2 };
    assert.equal((await storage.countAttempt("email", "h", limit))?.attempts, 1);
    assert.equal((await storage.countAttempt("email", "h", limit))?.attempts, 2);
    assert.equal(await storage.countAttempt("email", "h", limit), null);
    assert.equal((await storage.readSecret("email", "h", NOW))?.attempts, 2);
    assert.equal(await storage.countAttempt("email", "none", limit), null);
    assert.equal((await storage.readSecret("email", "h2", NOW))?.attempts, 0);
  },
  "putSecret() takes the place of one with the same hash, attempts and all": async (storage) => {
    for (const id of ["ada", "eve"]) await storage.createUser(record({ id }));
    const old = { payload: "old", expiresAt: NOW + 1, userId: "ada", sentTo: "ada@example.com" };
    await storage.putSecret(secret("h", old));
    await storage.countAttempt("email", "h", { now: NOW, max: 9 });
    const fresh = secret("h", {
      payload: "new",
      identifier: "eve",
      userId: "eve",
      sessionId: "s",
      createdAt: NOW + 1,
    });
    await storage.putSecret(fresh);
    assert.deepEqual(await storage.readSecret("email", "h", NOW), {
      ...fresh,
      sentTo: null,
      sessionId: "s",
      attempts: 0,
    });
  },
  "putNewestSecret() keeps the newest of a purpose and identifier": async (storage) => {
    const about = { identifier: "ada@example.com" };
    await storage.putSecret(secret("h1", { ...about, createdAt: NOW + 1 }));
    await storage.putSecret(secret("h2", { ...about, createdAt: NOW + 2 }));
    await storage.putSecret(secret("h3", { ...about, createdAt: NOW + 3 }));
    // Newer ones about something else are not counted.
    for (const hash of ["other", "other2", "other3"]) {
      const newer = { createdAt: NOW + 9 };
      await storage.putSecret(secret(hash, { ...newer, identifier: "eve@example.com" }));
      await storage.putSecret(secret(`re${hash}`, { ...newer, ...about, purpose: "reset" }));
    }
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
    const newest = secret("h6", { ...about, createdAt: NOW + 10 });
    await storage.putNewestSecret(newest, { keep: 2 });
    assert.deepEqual(await hashesOf(storage, ["h5", "h6"]), ["h5", "h6"]);
  },
  // Tracks: R162, A-01
  "redeemSecret() proves the user's own mailbox in the step that takes the secret": async (
    storage,
  ) => {
    const emailIdentity = "ada@example.com";
    const about = { identifier: "ada", userId: "ada", sentTo: emailIdentity };
    await storage.createUser(record({ id: "ada", email: emailIdentity }));
    await storage.createUser(record({ id: "eve", email: "eve@example.com" }));
    await storage.insertSession(session("s", "ada"));
    await storage.insertSession(session("s-eve", "eve"));
    await storage.linkAccount(account("code", "ada"));
    await storage.insertPasskey(passkey("key", "ada"));
    for (const hash of ["h1", "h2"]) await storage.putSecret(secret(hash, about));
    await storage.putSecret(secret("h3", { ...about, purpose: "other" }));
    await storage.putSecret(secret("h4", { identifier: "eve", userId: "eve" }));
    const of = (hash: string) => ({ purpose: "email", hash, identifier: "ada" });
    const proof = { now: NOW + 1, userId: "ada", emailIdentity, ends: ["email"] };
    // What does not hold proves nothing and ends nothing.
    assert.equal(await storage.redeemSecret(of("none"), proof), "absent");
    const late = { ...proof, now: NOW + HOUR };
    assert.equal(await storage.redeemSecret(of("h1"), late), "absent");
    assert.deepEqual((await storage.getUser("ada"))?.emailVerified, null);
    assert.notEqual(await storage.readSession("hash-of-s"), null);
    assert.notEqual(await storage.readSecret("email", "h2", NOW), null);

    assert.equal(await storage.redeemSecret(of("h1"), proof), "proved");
    assert.deepEqual((await storage.getUser("ada"))?.emailVerified, new Date(NOW + 1));
    assert.equal(await storage.readSession("hash-of-s"), null);
    assert.deepEqual(await storage.listAccounts("ada"), []);
    assert.deepEqual(await storage.listPasskeys("ada"), []);
    assert.deepEqual(await hashesOf(storage, ["h1", "h2", "h4"]), ["h4"]);
    assert.equal(await storage.readSecret("other", "h3", NOW), null);
    assert.notEqual(await storage.readSession("hash-of-s-eve"), null);
    const late2 = { proofBegunAt: NOW + 1000 * 365 * 24 * HOUR };
    assert.equal(await storage.insertSession(session("s1", "ada"), late2), null);
    assert.equal(await storage.redeemSecret(of("h1"), proof), "absent");

    // After the first proof nothing of the owner's ends but what is about the same.
    await storage.insertSession(session("own", "ada"));
    await storage.insertPasskey(passkey("own-key", "ada"));
    for (const hash of ["h5", "h6"]) await storage.putSecret(secret(hash, about));
    await storage.putSecret(secret("h7", { ...about, purpose: "other" }));
    assert.equal(await storage.redeemSecret(of("h5"), proof), "already");
    assert.notEqual(await storage.readSession("hash-of-own"), null);
    assert.equal((await storage.listPasskeys("ada")).length, 1);
    assert.deepEqual(await hashesOf(storage, ["h5", "h6"]), []);
    assert.notEqual(await storage.readSecret("other", "h7", NOW), null);
  },
  // Tracks: R162, A-01
  "redeemSecret() proves no mailbox but the user's, and none without one": async (storage) => {
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    await storage.insertSession(session("s", "ada"));
    const about = { identifier: "ada", userId: "ada" };
    for (const emailIdentity of [null, "eve@example.com"]) {
      await storage.putSecret(secret("h", about));
      await storage.putSecret(secret("h2", about));
      const proof = { now: NOW, userId: "ada", emailIdentity, ends: ["email"] };
      const own = { purpose: "email", hash: "h", identifier: "ada" };
      assert.equal(await storage.redeemSecret(own, proof), "redeemed");
      assert.equal((await storage.getUser("ada"))?.emailVerified, null);
      assert.notEqual(await storage.readSession("hash-of-s"), null);
      assert.deepEqual(await hashesOf(storage, ["h", "h2"]), []);
    }
    await storage.disableUser("ada", NOW);
    await storage.putSecret(secret("h", about));
    const proof = { now: NOW, userId: "ada", emailIdentity: "ada@example.com", ends: [] };
    const own = { purpose: "email", hash: "h", identifier: "ada" };
    assert.equal(await storage.redeemSecret(own, proof), "absent");
    await storage.enableUser("ada", NOW);
    assert.equal((await storage.getUser("ada"))?.emailVerified, null);
  },
  // Tracks: R162, R163, A-06
  "redeemSecret() leaves the owner's own where it is told so": async (storage) => {
    const emailIdentity = "ada@example.com";
    await storage.createUser(record({ id: "ada", email: emailIdentity }));
    await storage.insertSession(session("s", "ada"));
    await storage.insertPasskey(passkey("key", "ada"));
    await storage.putSecret(secret("h", { identifier: "ada", userId: "ada" }));
    const proof = { now: NOW, userId: "ada", emailIdentity, keepOwn: true, ends: [] };
    const own = { purpose: "email", hash: "h", identifier: "ada" };
    assert.equal(await storage.redeemSecret(own, proof), "proved");
    assert.deepEqual((await storage.getUser("ada"))?.emailVerified, new Date(NOW));
    assert.notEqual(await storage.readSession("hash-of-s"), null);
    assert.equal((await storage.listPasskeys("ada")).length, 1);
    const password = { proofBegunAt: NOW };
    assert.notEqual(await storage.insertSession(session("s2", "ada"), password), null);
  },
  "redeemSecret() of nobody's takes the secret, what is about the same, and keeps a used one":
    async (
      storage,
    ) => {
      const about = { identifier: "ada@example.com" };
      const payload = "opens";
      for (const hash of ["h1", "h2"]) await storage.putSecret(secret(hash, { ...about, payload }));
      await storage.putSecret(secret("h3", { ...about, purpose: "other" }));
      await storage.putSecret(secret("h4", { ...about, purpose: "third" }));
      // Of another purpose, and about somebody else.
      await storage.putSecret(secret("h1", { payload, purpose: "third" }));
      await storage.putSecret(secret("h5", { payload, identifier: "eve@example.com" }));
      const own = { purpose: "email", hash: "h1", ...about };
      const nobody = { now: NOW, userId: null, emailIdentity: "ada@example.com" };
      const late = { ...nobody, now: NOW + HOUR, ends: ["email", "other"], usedAs: "used" };
      assert.equal(await storage.redeemSecret(own, late), "absent");
      assert.deepEqual(await hashesOf(storage, ["h1", "h2", "h5"]), ["h1", "h2", "h5"]);
      const outcome = await storage.redeemSecret(own, {
        ...nobody,
        ends: ["email", "other"],
        usedAs: "used",
      });
      assert.equal(outcome, "redeemed");
      assert.deepEqual(await hashesOf(storage, ["h1", "h2", "h5"]), ["h5"]);
      assert.equal(await storage.readSecret("other", "h3", NOW), null);
      assert.notEqual(await storage.readSecret("third", "h4", NOW), null);
      for (const [purpose, hash] of [["third", "h1"], ["email", "h5"]] as const) {
        assert.equal((await storage.readSecret(purpose, hash, NOW))?.payload, payload);
      }
      const used = await storage.readSecret("used", "h1", NOW);
      assert.deepEqual([used?.identifier, used?.payload], ["ada@example.com", null]);
      assert.equal(await storage.readSecret("used", "h1", NOW + HOUR), null);
      assert.equal(await storage.redeemSecret(own, { ...nobody, ends: [] }), "absent");
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
});
