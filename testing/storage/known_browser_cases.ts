import assert from "node:assert/strict";
import type { KnownBrowserRecord } from "@framework/auth/storage";
import type { CompleteStorage, StorageCase } from "./complete_storage.ts";
import { HOUR, NEVER, NOW, record } from "./records.ts";
import { inSuite } from "./suites.ts";

const KEEP = { keep: 10 };

/** A browser of a user, of one hour. */
function browser(
  idHash: string,
  userId: string,
  changes: Partial<KnownBrowserRecord> = {},
): KnownBrowserRecord {
  return { idHash, userId, createdAt: NOW, expiresAt: NOW + HOUR, ...changes };
}

/** Those of these hashes that are known. */
async function known(
  storage: CompleteStorage,
  hashes: string[],
  now: number = NOW,
): Promise<string[]> {
  const found = [];
  for (const hash of hashes) if (await storage.isKnownBrowser(hash, { now })) found.push(hash);
  return found;
}

/** Cases about known browsers that every storage must pass. */
export const KNOWN_BROWSER_CASES: Record<string, StorageCase> = inSuite("operations", {
  // Tracks: R168, A-09
  "putKnownBrowser() stores a browser until it ends, for a user who is there": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "off" }));
    await storage.disableUser("off", NOW);
    await storage.putKnownBrowser(browser("b1", "ada"), KEEP);
    await storage.putKnownBrowser(browser("b2", "nobody"), KEEP);
    await storage.putKnownBrowser(browser("b3", "off"), KEEP);
    assert.deepEqual(await known(storage, ["b1", "b2", "b3", "b4"]), ["b1"]);
    assert.deepEqual(await known(storage, ["b1"], NOW + HOUR - 1), ["b1"]);
    assert.deepEqual(await known(storage, ["b1"], NOW + HOUR), []);
  },
  "hasKnownBrowsers() tells of a user's own browsers until they end": async (storage) => {
    for (const id of ["ada", "bob"]) await storage.createUser(record({ id }));
    assert.equal(await storage.hasKnownBrowsers!("ada", NOW), false);
    await storage.putKnownBrowser(browser("b1", "ada"), KEEP);
    const found = [];
    for (const [id, now] of [["ada", NOW], ["ada", NOW + HOUR], ["bob", NOW]] as const) {
      found.push(await storage.hasKnownBrowsers!(id, now));
    }
    assert.deepEqual(found, [true, false, false]);
    await storage.dropKnownBrowsers("ada");
    assert.equal(await storage.hasKnownBrowsers!("ada", NOW), false);
  },
  "putKnownBrowser() moves the end of a browser that is there": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.putKnownBrowser(browser("b1", "ada"), KEEP);
    const later = { createdAt: NOW + HOUR, expiresAt: NOW + 2 * HOUR };
    await storage.putKnownBrowser(browser("b1", "ada", later), KEEP);
    assert.deepEqual(await known(storage, ["b1"], NOW + HOUR), ["b1"]);
  },
  // Tracks: R168, A-09
  "putKnownBrowser() gives a browser that is there to who has signed in last": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.putKnownBrowser(browser("b1", "ada"), KEEP);
    await storage.putKnownBrowser(browser("b1", "eve"), KEEP);
    await storage.dropKnownBrowsers("ada");
    assert.deepEqual(await known(storage, ["b1"]), ["b1"]);
    await storage.dropKnownBrowsers("eve");
    assert.deepEqual(await known(storage, ["b1"]), []);
  },
  // Tracks: R168, A-09
  "putKnownBrowser() forgets the oldest of a user, and nobody else's": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.putKnownBrowser(browser("hers", "eve"), KEEP);
    const hashes = Array.from({ length: 12 }, (_, index) => `b${index}`);
    for (const [index, hash] of hashes.entries()) {
      await storage.putKnownBrowser(browser(hash, "ada", { createdAt: NOW + index }), KEEP);
    }
    // The one that is used again is not the oldest any more.
    await storage.putKnownBrowser(browser("b2", "ada", { createdAt: NOW + 20 }), KEEP);
    await storage.putKnownBrowser(browser("b12", "ada", { createdAt: NOW + 21 }), KEEP);
    assert.deepEqual(await known(storage, ["hers", ...hashes, "b12"]), [
      "hers",
      "b2",
      ...hashes.slice(4),
      "b12",
    ]);
  },
  // Tracks: A-01, R162
  "putKnownBrowser() stores nothing for a sign-in whose proof has ended meanwhile": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    await storage.endEverything("ada", ["links"], { at: NOW + 5, credentials: true });
    await storage.putKnownBrowser(browser("old", "ada"), { ...KEEP, proofBegunAt: NOW });
    await storage.putKnownBrowser(browser("new", "ada"), { ...KEEP, proofBegunAt: NOW + 5 });
    assert.deepEqual(await known(storage, ["old", "new"]), ["new"]);
    await storage.endEverything("ada", ["links"], { at: NEVER, credentials: true });
    await storage.proveEmail("ada", { emailIdentity: "ada@example.com", at: NOW });
    await storage.putKnownBrowser(browser("left", "ada"), { ...KEEP, unproved: true });
    await storage.putKnownBrowser(browser("own", "ada"), KEEP);
    assert.deepEqual(await known(storage, ["left", "own"]), ["own"]);
  },
  // Tracks: A-01, R162
  "proveEmail() forgets the known browsers of before, unless what is there is the owner's": async (
    storage,
  ) => {
    for (const id of ["ada", "eve"]) {
      await storage.createUser(record({ id, email: `${id}@example.com` }));
      await storage.putKnownBrowser(browser(id, id), KEEP);
    }
    await storage.proveEmail("ada", { emailIdentity: "ada@example.com", at: NOW });
    await storage.proveEmail("eve", { emailIdentity: "eve@example.com", at: NOW, keepOwn: true });
    assert.deepEqual(await known(storage, ["ada", "eve"]), ["eve"]);
  },
  "isKnownBrowser() may ask for a user who has proved their mailbox": async (storage) => {
    const emailVerified = new Date(NOW);
    await storage.createUser(record({ id: "ada", email: "ada@example.com", emailVerified }));
    await storage.createUser(record({ id: "eve", email: "eve@example.com" }));
    for (const id of ["ada", "eve"]) await storage.putKnownBrowser(browser(id, id), KEEP);
    const asked = { now: NOW, proved: true };
    assert.equal(await storage.isKnownBrowser("ada", asked), true);
    assert.equal(await storage.isKnownBrowser("eve", asked), false);
  },
  // Tracks: R168, A-09
  "putKnownBrowser() may ask for a user who has the mailbox, also when it is not proved": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    const claims = { ...record({ id: "eve", email: "ada@example.com" }), emailIdentity: null };
    await storage.createUser(claims);
    const asked = { ...KEEP, emailIdentity: "ada@example.com" };
    for (const id of ["ada", "eve"]) await storage.putKnownBrowser(browser(id, id), asked);
    assert.deepEqual(await known(storage, ["ada", "eve"]), ["ada"]);
  },
  // Tracks: R168, A-09
  "isKnownBrowser() knows no browser for the mailbox of another user": async (storage) => {
    const emailVerified = new Date(NOW);
    await storage.createUser(record({ id: "ada", email: "ada@example.com", emailVerified }));
    await storage.createUser(record({ id: "eve", email: "eve@example.com", emailVerified }));
    for (const id of ["ada", "eve"]) await storage.putKnownBrowser(browser(id, id), KEEP);
    for (const proved of [false, true]) {
      const asked = { now: NOW, proved, emailIdentity: "ada@example.com" };
      assert.equal(await storage.isKnownBrowser("ada", asked), true);
      assert.equal(await storage.isKnownBrowser("eve", asked), false);
      // Nobody has it: whoever has proved another one gets no mail more to it.
      const free = { now: NOW, proved, emailIdentity: "nobody@example.com" };
      assert.equal(await storage.isKnownBrowser("eve", free), !proved);
    }
  },
  // Tracks: R168, A-09
  "isKnownBrowser() may ask for the browser of one user": async (storage) => {
    for (const id of ["ada", "eve"]) await storage.createUser(record({ id }));
    await storage.putKnownBrowser(browser("b1", "ada"), KEEP);
    assert.equal(await storage.isKnownBrowser("b1", { now: NOW, userId: "ada" }), true);
    assert.equal(await storage.isKnownBrowser("b1", { now: NOW, userId: "eve" }), false);
  },
  "dropKnownBrowsers() and deleteUser() forget those of the user": async (storage) => {
    for (const id of ["ada", "bob", "eve"]) {
      await storage.createUser(record({ id }));
      await storage.putKnownBrowser(browser(id, id), KEEP);
    }
    await storage.dropKnownBrowsers("ada");
    await storage.deleteUser("bob");
    assert.deepEqual(await known(storage, ["ada", "bob", "eve"]), ["eve"]);
  },
  // Tracks: R150
  "sweep() removes known browsers that have ended": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.putKnownBrowser(browser("old", "ada", { expiresAt: NOW }), KEEP);
    await storage.putKnownBrowser(browser("live", "ada"), KEEP);
    assert.equal(await storage.sweep(NOW, 10), 1);
    assert.deepEqual(await known(storage, ["old", "live"], NOW - 1), ["live"]);
  },
});

/** Races about known browsers that every storage must pass. */
export const KNOWN_BROWSER_RACES: Record<string, StorageCase> = inSuite("races", {
  // Tracks: R168, K4
  "putKnownBrowser() keeps ten of 30 that come at once": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const hashes = Array.from({ length: 30 }, (_, index) => `b${index}`);
    await Promise.all(
      hashes.map((hash, index) =>
        storage.putKnownBrowser(browser(hash, "ada", { createdAt: NOW + index }), KEEP)
      ),
    );
    assert.equal((await known(storage, hashes)).length, 10);
  },
});
