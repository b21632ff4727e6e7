import assert from "node:assert/strict";
import {
  type NewFactor,
  type NewRecovery,
  RECOVERY_PURPOSE,
  STEP_PURPOSE,
  type TrustedBrowserRecord,
} from "@framework/auth/storage";
import type { CompleteStorage, StorageCase } from "./complete_storage.ts";
import { repeat, rivals } from "./race.ts";
import { HOUR, NEVER, NOW, record, secret, session } from "./records.ts";
import { inSuite } from "./suites.ts";

const KEEP = { keep: 10 };
const DAY = 24 * HOUR;

function factor(userId: string, changes: Partial<NewFactor> = {}): NewFactor {
  return {
    userId,
    secret: `sealed-of-${userId}`,
    lastStep: 100,
    createdAt: NOW,
    codes: [`${userId}-1`, `${userId}-2`],
    replaces: null,
    ...changes,
  };
}

function trusted(
  idHash: string,
  userId: string,
  changes: Partial<TrustedBrowserRecord> = {},
): TrustedBrowserRecord {
  return {
    idHash,
    userId,
    userAgent: "Test/1.0",
    createdAt: NOW,
    expiresAt: NOW + HOUR,
    ...changes,
  };
}

async function hashes(storage: CompleteStorage, userId: string, now: number = NOW) {
  return (await storage.listTrustedBrowsers(userId, now)).map(({ idHash }) => idHash);
}

/** Users with a factor, a proved address and a sign-in that waits. */
async function settleWaiting(storage: CompleteStorage, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const emailVerified = new Date(NOW);
    await storage.createUser(record({ id, email: `${id}@example.com`, emailVerified }));
    await storage.putFactor(factor(id));
    await storage.putSecret(
      secret(`step-of-${id}`, { purpose: STEP_PURPOSE, userId: id, expiresAt: NOW + 10 * DAY }),
    );
  }
}

function recovery(userId: string, changes: Partial<NewRecovery> = {}): NewRecovery {
  return {
    userId,
    hash: `recovery-of-${userId}`,
    payload: `first of ${userId}`,
    step: `step-of-${userId}`,
    provedAt: NOW,
    createdAt: NOW,
    expiresAt: NOW + DAY,
    ...changes,
  };
}

async function readRecovery(storage: CompleteStorage, id: string, now: number = NOW) {
  const found = await storage.readSecret(RECOVERY_PURPOSE, `recovery-of-${id}`, now);
  return found && { payload: found.payload, expiresAt: found.expiresAt };
}

const known = (id: string, now: number = NOW) => ({
  hash: `recovery-of-${id}`,
  payload: `first of ${id}`,
  now,
});

const waits = async (storage: CompleteStorage, id: string) =>
  await storage.readSecret(STEP_PURPOSE, `step-of-${id}`, NOW) !== null;

/** Cases about second factors that every storage must pass. */
export const SECOND_FACTOR_CASES: Record<string, StorageCase> = inSuite("operations", {
  // Tracks: R171, R173
  "putFactor() stores a factor and its recovery codes, in place of the one that was read": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "off" }));
    await storage.disableUser("off", NOW);
    assert.equal(await storage.readFactor("ada"), null);
    assert.equal(await storage.putFactor(factor("ada")), true);
    assert.equal(await storage.putFactor(factor("ada")), true, "the same once more");
    assert.equal(await storage.putFactor(factor("nobody")), false);
    assert.equal(await storage.putFactor(factor("off")), false);
    const { codes: _codes, replaces: _replaces, ...stored } = factor("ada");
    assert.deepEqual(await storage.readFactor("ada"), { ...stored, tries: 0, triesSince: 0 });
    assert.equal(await storage.countRecoveryCodes("ada"), 2);
    await storage.putTrustedBrowser(trusted("b1", "ada"), KEEP);
    // What is somebody else's, or about something else, stays.
    await storage.createUser(record({ id: "eve" }));
    await storage.putFactor(factor("eve"));
    await storage.putTrustedBrowser(trusted("hers", "eve"), KEEP);
    await storage.putSecret(secret("other", { userId: "ada" }));
    // By somebody who has read that there is none, or another one.
    const other = { secret: "other", codes: ["ada-3"], createdAt: NOW + 1 };
    assert.equal(await storage.putFactor(factor("ada", other)), false);
    assert.equal(await storage.putFactor(factor("ada", { ...other, replaces: NOW + 5 })), false);
    assert.equal((await storage.readFactor("ada"))?.secret, stored.secret);
    assert.equal(await storage.countRecoveryCodes("ada"), 2);
    assert.deepEqual(await hashes(storage, "ada"), ["b1"]);
    await storage.tryCode("ada", { at: NOW + 1, since: NOW, max: 9 });
    const next = factor("ada", { ...other, lastStep: 7, replaces: NOW });
    assert.equal(await storage.putFactor(next), true);
    assert.deepEqual(await storage.readFactor("ada"), {
      ...{ userId: "ada", secret: "other", lastStep: 7, createdAt: NOW + 1 },
      ...{ tries: 0, triesSince: 0 },
    });
    assert.equal(await storage.countRecoveryCodes("ada"), 1);
    assert.equal(await storage.takeRecoveryCode("ada", "ada-1"), false);
    assert.deepEqual(await hashes(storage, "ada"), []);
    assert.deepEqual(await hashes(storage, "eve"), ["hers"]);
    assert.equal(await storage.countRecoveryCodes("eve"), 2);
    assert.notEqual(await storage.readSecret("email", "other", NOW), null);
  },
  // Tracks: R039, R171
  "what sessions have proved goes with the user": async (storage) => {
    for (const id of ["ada", "eve"]) {
      await storage.createUser(record({ id }));
      const proved = { sessionId: `of-${id}`, userId: id, method: "totp" as const, at: NOW };
      await storage.putSessionFactor({ ...proved, expiresAt: NOW + DAY });
    }
    await storage.deleteUser("ada");
    await storage.createUser(record({ id: "ada" }));
    assert.equal(await storage.readSessionFactor("of-ada", "ada"), null);
    assert.notEqual(await storage.readSessionFactor("of-eve", "eve"), null);
  },
  // Tracks: R171
  "takeStep() accepts no code of a factor that another has replaced, and counts nothing back there":
    async (storage) => {
      await storage.createUser(record({ id: "ada" }));
      await storage.putFactor(factor("ada"));
      const options = { at: NOW, since: NOW - DAY, max: 20 };
      const read = (await storage.tryCode("ada", options))!;
      const other = { secret: "other", codes: [], createdAt: NOW + 1, replaces: NOW };
      assert.equal(await storage.putFactor(factor("ada", { ...other, lastStep: 102 })), true);
      await storage.tryCode("ada", options);
      for (const step of [101, 102, 103]) {
        assert.equal(await storage.takeStep("ada", step, read.secret), false);
      }
      const { lastStep, tries } = (await storage.readFactor("ada"))!;
      assert.deepEqual([lastStep, tries], [102, 1]);
      assert.equal(await storage.takeStep("ada", 103, "other"), true);
    },
  // Tracks: R173
  "replaceRecoveryCodes() replaces all of a user's, and only where there is a factor": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    const replace = (codes: string[], replaces: number, at = NOW + 1) =>
      storage.replaceRecoveryCodes("ada", { codes, at, replaces });
    assert.equal(await replace(["x"], 0), false);
    assert.equal(await storage.countRecoveryCodes("ada"), 0);
    assert.equal(await storage.recoveryCodesMadeAt("ada"), 0);
    await storage.putFactor(factor("ada"));
    assert.equal(await storage.recoveryCodesMadeAt("ada"), NOW);
    assert.equal(await replace(["x", "y", "z"], NOW), true);
    assert.equal(await replace(["x", "y", "z"], NOW), true, "the same once more");
    assert.equal(await storage.countRecoveryCodes("ada"), 3);
    assert.equal(await storage.recoveryCodesMadeAt("ada"), NOW + 1);
    assert.equal(await storage.takeRecoveryCode("ada", "ada-1"), false);
    assert.equal(await replace(["late"], NOW), false, "they are no longer those that were read");
    assert.equal(await storage.countRecoveryCodes("ada"), 3);
  },
  // Tracks: R174
  "dropFactor() removes the factor, its codes, the trusted browsers, what sessions have proved, and what waits for it":
    async (
      storage,
    ) => {
      await storage.createUser(record({ id: "ada" }));
      await storage.createUser(record({ id: "eve" }));
      for (const id of ["ada", "eve"]) {
        await storage.putFactor(factor(id));
        await storage.putTrustedBrowser(trusted(`of-${id}`, id), KEEP);
        const proved = { sessionId: `of-${id}`, userId: id, method: "totp" as const, at: NOW };
        await storage.putSessionFactor({ ...proved, expiresAt: NOW + DAY });
        await storage.putSecret(secret(`step-of-${id}`, { purpose: STEP_PURPOSE, userId: id }));
        await storage.putSecret(secret(`other-of-${id}`, { userId: id }));
      }
      assert.equal(await storage.dropFactor("ada"), true);
      assert.equal(await storage.dropFactor("ada"), false);
      assert.equal(await storage.readFactor("ada"), null);
      assert.equal(await storage.countRecoveryCodes("ada"), 0);
      assert.deepEqual(await hashes(storage, "ada"), []);
      assert.equal(await storage.readSessionFactor("of-ada", "ada"), null);
      assert.equal(await storage.countRecoveryCodes("eve"), 2);
      assert.deepEqual(await hashes(storage, "eve"), ["of-eve"]);
      assert.equal((await storage.readSessionFactor("of-eve", "eve"))?.method, "totp");
      const waits = async (id: string) =>
        await storage.readSecret(STEP_PURPOSE, `step-of-${id}`, NOW) !== null;
      assert.deepEqual([await waits("ada"), await waits("eve")], [false, true]);
      const { purpose } = secret("other");
      assert.notEqual(await storage.readSecret(purpose, "other-of-ada", NOW), null);
    },
  // Tracks: R174, R030
  "putRecovery() stores nothing without factor, proved address or waiting sign-in, after a new password, of the disabled":
    async (storage) => {
      await settleWaiting(storage, ["ada", "eve", "off", "plain", "late"]);
      const refused = async (id: string, changes: Partial<NewRecovery> = {}) => {
        assert.equal(await storage.putRecovery(recovery(id, changes)), false, id);
        assert.equal(await readRecovery(storage, id), null, id);
      };
      await refused("nobody");
      await refused("ada", { step: "none" });
      await refused("ada", { step: "step-of-eve" });
      await refused("ada", { createdAt: NOW + 10 * DAY, expiresAt: NOW + 11 * DAY });
      await storage.disableUser("off", NOW);
      await refused("off");
      await storage.putSecret(secret("step-of-plain", { purpose: STEP_PURPOSE, userId: "plain" }));
      await storage.dropFactor("plain");
      await storage.putSecret(secret("step-of-plain", { purpose: STEP_PURPOSE, userId: "plain" }));
      await refused("plain");
      await storage.createUser(record({ id: "unproved", email: "unproved@example.com" }));
      await storage.putFactor(factor("unproved"));
      await storage.putSecret(
        secret("step-of-unproved", { purpose: STEP_PURPOSE, userId: "unproved" }),
      );
      await refused("unproved");
      await storage.endEverything("late", [], { at: NOW, credentials: true });
      await refused("late", { provedAt: NOW - 1 });
      assert.equal(await storage.putRecovery(recovery("late", { provedAt: NOW })), true);
    },
  // Tracks: R174
  "cancelRecovery() cancels the request that was read, once, with the sign-ins that wait, and holds off the next":
    async (storage) => {
      await settleWaiting(storage, ["ada", "eve"]);
      const until = NOW + 2 * DAY;
      for (const id of ["ada", "eve"]) await storage.putRecovery(recovery(id));
      const cancel = (id: string, changes = {}) =>
        storage.cancelRecovery(id, { ...known("ada", NOW + 1), until, ...changes });
      assert.equal(await cancel("eve"), false);
      assert.equal(await cancel("ada", { payload: "another" }), false);
      assert.equal(await cancel("ada", { now: NOW + DAY }), false, "it is over");
      assert.equal(await waits(storage, "ada"), true);
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => cancel("ada")));
      assert.equal(outcomes.filter((done) => done).length, 1);
      assert.deepEqual(await readRecovery(storage, "ada"), { payload: null, expiresAt: until });
      assert.deepEqual([await waits(storage, "ada"), await waits(storage, "eve")], [false, true]);
      await storage.putSecret(secret("again", {
        purpose: STEP_PURPOSE,
        userId: "ada",
        expiresAt: NOW + 10 * DAY,
      }));
      const again = (createdAt: number) =>
        storage.putRecovery(
          recovery("ada", { payload: "b", step: "again", createdAt, expiresAt: NOW + 9 * DAY }),
        );
      assert.equal(await again(until - 1), false);
      const same = recovery("ada", { step: "again" });
      assert.equal(await storage.putRecovery(same), false, "the cancelled one is not made longer");
      assert.equal(await again(until), true);
      assert.notEqual((await readRecovery(storage, "eve"))?.payload, null);
    },
  // Tracks: R174, R030
  "a request for recovery ends with the factor, another factor, a new password, and what ends waiting sign-ins":
    async (storage) => {
      const ends: Record<string, (id: string) => Promise<unknown>> = {
        drop: (id) => storage.dropFactor(id),
        put: (id) =>
          storage.putFactor(factor(id, { secret: "other", replaces: NOW, createdAt: NOW + 1 })),
        steps: (id) => storage.endEverything(id, ["pendingSteps"], { at: NOW }),
        links: (id) => storage.endEverything(id, ["links"], { at: NOW }),
        password: (id) => storage.setPassword({ userId: id, hash: "h", changedAt: NOW + 1 }),
        disable: (id) => storage.disableUser(id, NOW),
        remove: (id) => storage.deleteUser(id),
      };
      await settleWaiting(storage, [...Object.keys(ends), "stays", "credentials"]);
      for (const [id, end] of Object.entries(ends)) {
        assert.equal(await storage.putRecovery(recovery(id)), true, id);
        assert.equal(await storage.putRecovery(recovery("stays")), true);
        await end(id);
        assert.equal(await readRecovery(storage, id), null, id);
        assert.notEqual(await readRecovery(storage, "stays"), null, id);
      }
      await storage.putRecovery(recovery("credentials"));
      await storage.endEverything("credentials", [], { at: NOW + 1, credentials: true });
      const given = { ...known("credentials", NOW + 2), step: "step-of-credentials" };
      assert.equal(await storage.takeRecovery("credentials", given), false);
      assert.notEqual(await storage.readFactor("credentials"), null);
    },
  // Tracks: R174, R030
  "a trusted browser counts until its end, and until the password changes": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.putTrustedBrowser(trusted("none", "ada"), KEEP);
    assert.deepEqual(
      await hashes(storage, "ada"),
      [],
      "without a factor there is nothing to replace",
    );
    await storage.putFactor(factor("ada"));
    await storage.putTrustedBrowser(trusted("old", "ada"), KEEP);
    await storage.putTrustedBrowser(trusted("new", "ada", { createdAt: NOW + 10 }), KEEP);
    assert.deepEqual(await hashes(storage, "ada"), ["new", "old"]);
    assert.deepEqual(await hashes(storage, "ada", NOW + HOUR), []);
    assert.deepEqual(await storage.listTrustedBrowsers("eve", NOW), []);
    await storage.setPassword({ userId: "ada", hash: "h", changedAt: NOW + 5 });
    assert.deepEqual(await hashes(storage, "ada"), ["new"]);
    await storage.endEverything("ada", [], { at: NOW + 10, credentials: true });
    assert.deepEqual(await hashes(storage, "ada"), []);
    await storage.endEverything("ada", [], { at: NEVER, credentials: true });
    await storage.putTrustedBrowser(trusted("later", "ada", { createdAt: NOW + 20 }), { keep: 1 });
    assert.deepEqual(await hashes(storage, "ada"), ["later"]);
  },
  "dropTrustedBrowsers() ends one browser of a user, or all of them": async (storage) => {
    for (const id of ["ada", "eve"]) {
      await storage.createUser(record({ id }));
      await storage.putFactor(factor(id));
    }
    for (const hash of ["a", "b", "c"]) await storage.putTrustedBrowser(trusted(hash, "ada"), KEEP);
    assert.equal(await storage.dropTrustedBrowsers("eve", "a"), 0);
    assert.equal(await storage.dropTrustedBrowsers("ada", "a"), 1);
    assert.deepEqual(await hashes(storage, "ada"), ["b", "c"]);
    assert.equal(await storage.dropTrustedBrowsers("ada"), 2);
    assert.deepEqual(await hashes(storage, "ada"), []);
  },
  "putTrustedBrowser() keeps the newest of a user": async (storage) => {
    for (const id of ["ada", "eve"]) {
      await storage.createUser(record({ id }));
      await storage.putFactor(factor(id));
    }
    await storage.putTrustedBrowser(trusted("hers", "eve", { createdAt: NOW - 1 }), KEEP);
    for (let index = 0; index < 4; index++) {
      const browser = trusted(`b${index}`, "ada", { createdAt: NOW + index });
      await storage.putTrustedBrowser(browser, { keep: 2 });
    }
    assert.deepEqual(await hashes(storage, "ada"), ["b3", "b2"]);
    assert.deepEqual(await hashes(storage, "eve"), ["hers"]);
    const again = { userAgent: null, createdAt: NOW + 9, expiresAt: NOW + 2 * HOUR };
    await storage.putTrustedBrowser(trusted("b2", "ada", again), { keep: 2 });
    assert.deepEqual(await storage.listTrustedBrowsers("ada", NOW), [
      trusted("b2", "ada", again),
      trusted("b3", "ada", { createdAt: NOW + 3 }),
    ]);
  },
  // Tracks: R162, R170
  "proveEmail() leaves the factor and its recovery codes, and ends trusted browsers and what sessions have proved":
    async (storage) => {
      await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
      await storage.putFactor(factor("ada"));
      await storage.putTrustedBrowser(trusted("b", "ada"), KEEP);
      const proved = {
        sessionId: "s",
        userId: "ada",
        method: "totp" as const,
        at: NOW,
        expiresAt: NOW + DAY,
      };
      await storage.putSessionFactor(proved);
      await storage.createUser(record({ id: "eve", email: "eve@example.com" }));
      await storage.putSessionFactor({ ...proved, sessionId: "hers", userId: "eve" });
      const proof = { emailIdentity: "ada@example.com", at: NOW };
      assert.equal(await storage.proveEmail("ada", proof), "proved");
      assert.equal((await storage.readFactor("ada"))?.secret, "sealed-of-ada");
      assert.equal(await storage.countRecoveryCodes("ada"), 2);
      assert.deepEqual(await hashes(storage, "ada"), []);
      assert.equal(await storage.readSessionFactor("s", "ada"), null);
      assert.notEqual(await storage.readSessionFactor("hers", "eve"), null);
    },
  // Tracks: R176
  "putSessionFactor() stores what a session of a user has proved": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const proved = {
      sessionId: "s",
      userId: "ada",
      method: "totp" as const,
      at: NOW,
      expiresAt: NOW + DAY,
    };
    assert.equal(await storage.readSessionFactor("s", "ada"), null);
    await storage.putSessionFactor({ ...proved, userId: "nobody" });
    await storage.putSessionFactor(proved);
    const next = { method: "recovery" as const, at: NOW + 1, expiresAt: NOW + 2 * DAY };
    await storage.putSessionFactor({ ...proved, ...next });
    assert.deepEqual(await storage.readSessionFactor("s", "ada"), { ...proved, ...next });
    assert.equal(await storage.readSessionFactor("s", "eve"), null);
    assert.equal(await storage.readSessionFactor("t", "ada"), null);
  },
  // Tracks: R176
  "replaceToken() gives a session another token, and the one of before some seconds without what is proved from then on":
    async (storage) => {
      await storage.createUser(record({ id: "ada" }));
      await storage.insertSession(session("s", "ada", { tenantId: "t", authenticatedAt: NOW + 1 }));
      await storage.changeDevice("s", { from: null, to: "device" });
      await storage.createUser(record({ id: "eve" }));
      const hers = { sessionId: "hers", userId: "eve", method: "passkey" as const, at: NOW };
      await storage.putSessionFactor({ ...hers, expiresAt: NOW + DAY });
      const proved = { sessionId: "s", userId: "ada", method: "totp" as const, at: NOW };
      await storage.putSessionFactor({ ...proved, expiresAt: NOW + DAY });
      const options = { from: "hash-of-s", to: "new", bound: true };
      const before = { sessionId: "old", expiresAt: NOW + 10 };
      assert.equal(await storage.replaceToken("s", { ...options, from: "other", before }), false);
      assert.equal(await storage.replaceToken("t", { ...options, before }), false);
      const read = async (hash: string) => await storage.readBindable(hash);
      const first = (await read("hash-of-s"))!;
      assert.equal(await storage.replaceToken("s", { ...options, before }), true);
      assert.equal(await storage.replaceToken("s", { ...options, before }), true, "once more");
      assert.deepEqual(await read("new"), first);
      const end = { refreshedAt: NOW + 10, expiresAt: NOW + 10 };
      assert.deepEqual(await read("hash-of-s"), {
        ...first,
        session: { ...first.session, id: "old", ...end },
      });
      await storage.putSessionFactor({ ...proved, at: NOW + 5, expiresAt: NOW + DAY });
      assert.equal((await storage.readSessionFactor("s", "ada"))?.at, NOW + 5);
      assert.deepEqual(await storage.readSessionFactor("old", "ada"), {
        ...proved,
        ...{ sessionId: "old", expiresAt: NOW + 10 },
      });
      assert.equal(await storage.readSessionFactor("old", "eve"), null);
      // It gets no token itself, which would take the browser's new one away.
      const again = {
        ...options,
        to: "third",
        before: { sessionId: "older", expiresAt: NOW + 10 },
      };
      assert.equal(await storage.replaceToken("old", again), false);
      assert.equal(await read("third"), null);
    },
});

/** Races about second factors that every storage must pass. */
export const SECOND_FACTOR_RACES: Record<string, StorageCase> = inSuite("races", {
  // Tracks: R171
  "putFactor() by two at once, for a user without a factor, stores one": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const outcomes = await Promise.all(
      ["a", "b"].map((secret) => storage.putFactor(factor("ada", { secret, codes: [secret] }))),
    );
    assert.deepEqual(outcomes.toSorted(), [false, true]);
    const { secret } = (await storage.readFactor("ada"))!;
    assert.equal(await storage.takeRecoveryCode("ada", secret), true);
    assert.equal(await storage.countRecoveryCodes("ada"), 0);
  },
  // Tracks: R171
  "takeStep() accepts each step once, and none before it, of a hundred at once": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.putFactor(factor("ada"));
    await storage.putFactor(factor("eve"));
    const take = (step: number) => storage.takeStep("ada", step, "sealed-of-ada");
    assert.equal(await take(100), false, "the step of the enrolment");
    assert.equal((await storage.readFactor("ada"))?.tries, 0, "there is no try to give back");
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => take(101)));
    assert.equal(outcomes.filter((taken) => taken).length, 1);
    assert.equal(await take(99), false);
    assert.equal(await take(102), true);
    assert.equal(await take(101), false);
    assert.equal(await storage.takeStep("eve", 101, "sealed-of-eve"), true, "each user's own");
    assert.equal(await storage.takeStep("nobody", 101, "sealed-of-nobody"), false);
  },
  // Tracks: R171
  "tryCode() takes as many tries as a period has, of any number at once, and a right one is given back, again too":
    async (storage) => {
      await storage.createUser(record({ id: "ada" }));
      await storage.putFactor(factor("ada"));
      const options = { at: NOW, since: NOW - DAY, max: 3 };
      assert.equal(await storage.tryCode("nobody", options), null);
      await storage.createUser(record({ id: "eve" }));
      await storage.putFactor(factor("eve"));
      const found = await Promise.all(
        Array.from({ length: 10 }, () => storage.tryCode("ada", options)),
      );
      const tries = found.flatMap((one) => one === null ? [] : [one.tries]);
      assert.deepEqual(tries.toSorted(), [1, 2, 3]);
      assert.equal(await storage.takeStep("ada", 101, "sealed-of-ada"), true);
      assert.equal((await storage.tryCode("ada", options))?.tries, 3);
      for (const again of [101, 100]) {
        assert.equal(await storage.takeStep("ada", again, "sealed-of-ada"), false);
        assert.equal((await storage.tryCode("ada", options))?.tries, 3, "the same code again");
      }
      assert.equal(
        await storage.tryCode("ada", { ...options, at: NOW + DAY - 1, since: NOW - 1 }),
        null,
      );
      assert.equal((await storage.readFactor("eve"))?.tries, 0);
      const next = await storage.tryCode("ada", { ...options, at: NOW + DAY, since: NOW });
      assert.deepEqual([next?.tries, next?.triesSince], [1, NOW + DAY]);
    },
  // Tracks: R173
  "takeRecoveryCode() takes a code of this user once, of a hundred at once": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.putFactor(factor("ada"));
    await storage.putFactor(factor("eve"));
    assert.equal(await storage.takeRecoveryCode("eve", "ada-1"), false);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => storage.takeRecoveryCode("ada", "ada-1")),
    );
    assert.equal(outcomes.filter((taken) => taken).length, 1);
    assert.equal(await storage.countRecoveryCodes("ada"), 1);
  },
  // Tracks: R173
  "replaceRecoveryCodes() by several at once stores the codes of one, where there are codes and where there are none":
    async (storage) => {
      await storage.createUser(record({ id: "ada" }));
      await storage.putFactor(factor("ada", { codes: [] }));
      for (const replaces of [0, NOW + 1]) {
        const at = NOW + (replaces === 0 ? 1 : 2);
        assert.equal(await storage.recoveryCodesMadeAt("ada"), replaces);
        const outcomes = await Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            storage.replaceRecoveryCodes("ada", {
              codes: [1, 2].map((code) => `${replaces}-${index}-${code}`),
              at,
              replaces,
            })),
        );
        assert.equal(outcomes.filter((stored) => stored).length, 1);
        assert.equal(await storage.countRecoveryCodes("ada"), 2);
        const winner = outcomes.indexOf(true);
        assert.equal(await storage.takeRecoveryCode("ada", `${replaces}-${winner}-1`), true);
      }
    },
  // Tracks: R174
  "putRecovery() stores one request of a user, of any number at once, until it is over": async (
    storage,
  ) => {
    await settleWaiting(storage, ["ada", "eve"]);
    const outcomes = await Promise.all(
      Array.from(
        { length: 20 },
        (_, index) => storage.putRecovery(recovery("ada", { payload: `${index}` })),
      ),
    );
    assert.equal(outcomes.filter((stored) => stored).length, 1);
    const payload = String(outcomes.indexOf(true));
    assert.deepEqual(await readRecovery(storage, "ada"), { payload, expiresAt: NOW + DAY });
    assert.equal(await storage.putRecovery(recovery("eve")), true);
    const longer = { payload, expiresAt: NOW + 2 * DAY };
    assert.equal(await storage.putRecovery(recovery("ada", longer)), true, "the same for longer");
    assert.deepEqual(await readRecovery(storage, "ada"), longer);
    const next = { payload: "next", expiresAt: NOW + 3 * DAY };
    const early = { ...next, createdAt: NOW + 2 * DAY - 1 };
    assert.equal(await storage.putRecovery(recovery("ada", early)), false);
    const after = { ...next, createdAt: NOW + 2 * DAY };
    assert.equal(await storage.putRecovery(recovery("ada", after)), true);
    assert.deepEqual(await readRecovery(storage, "ada"), next);
  },
  // Tracks: R174
  "takeRecovery() removes the factor once, of any number at once, with all that belongs to it":
    async (
      storage,
    ) => {
      await settleWaiting(storage, ["ada", "eve"]);
      for (const id of ["ada", "eve"]) {
        await storage.putRecovery(recovery(id));
        await storage.putTrustedBrowser(trusted(`of-${id}`, id), KEEP);
        const proved = { sessionId: `of-${id}`, userId: id, method: "totp" as const, at: NOW };
        await storage.putSessionFactor({ ...proved, expiresAt: NOW + DAY });
      }
      const take = (id: string, changes = {}) =>
        storage.takeRecovery(id, { ...known("ada", NOW + 1), step: "step-of-ada", ...changes });
      for (
        const [id, changes] of [
          ["eve", {}],
          ["ada", { payload: "another" }],
          ["ada", { now: NOW + DAY }],
          ["ada", { step: "step-of-eve" }],
          ["ada", { step: "none" }],
          ["nobody", {}],
        ] as const
      ) {
        assert.equal(await take(id, changes), false, `${id} ${JSON.stringify(changes)}`);
        assert.notEqual(await storage.readFactor("ada"), null);
        assert.equal(await storage.countRecoveryCodes("ada"), 2);
      }
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => take("ada")));
      assert.equal(outcomes.filter((taken) => taken).length, 1);
      for (const [id, left] of [["ada", false], ["eve", true]] as const) {
        assert.equal(await storage.readFactor(id) !== null, left, id);
        assert.equal(await storage.countRecoveryCodes(id) > 0, left, id);
        assert.equal((await hashes(storage, id)).length > 0, left, id);
        assert.equal(await storage.readSessionFactor(`of-${id}`, id) !== null, left, id);
        assert.equal(await waits(storage, id), left, id);
        assert.equal(await readRecovery(storage, id) !== null, left, id);
      }
    },
  // Tracks: R174
  "of takeRecovery() and cancelRecovery() at once one does its work, and all of it": async (
    storage,
  ) => {
    const ids = Array.from({ length: 10 }, (_, index) => `u${index}`);
    await settleWaiting(storage, ids);
    for (const id of ids) await storage.putRecovery(recovery(id));
    await Promise.all(ids.map(async (id, index) => {
      const calls = [
        () => storage.takeRecovery(id, { ...known(id), step: `step-of-${id}` }),
        () => storage.cancelRecovery(id, { ...known(id), until: NOW + DAY }),
      ];
      if (index % 2 === 1) calls.reverse();
      const done = await Promise.all(calls.map((call) => call()));
      if (index % 2 === 1) done.reverse();
      assert.equal(done.filter((one) => one).length, 1, id);
      assert.equal(await storage.readFactor(id) === null, done[0], id);
      assert.equal(await storage.countRecoveryCodes(id), done[0] ? 0 : 2, id);
      assert.equal(await readRecovery(storage, id) === null, done[0], id);
    }));
  },
  // Tracks: R176
  "replaceToken() by many at once gives a session one token, and one of before": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s", "ada", { expiresAt: NOW + 5 }));
    await storage.changeDevice("s", { from: null, to: "device" });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        storage.replaceToken("s", {
          from: "hash-of-s",
          to: `new-${index}`,
          bound: false,
          before: { sessionId: `old-${index}`, expiresAt: NOW + 10 },
        })),
    );
    assert.equal(outcomes.filter((done) => done).length, 1);
    const winner = outcomes.indexOf(true);
    assert.equal((await storage.readBindable(`new-${winner}`))?.session.id, "s");
    const before = (await storage.readBindable("hash-of-s"))!;
    assert.equal(before.device, null);
    assert.equal(before.session.id, `old-${winner}`);
    assert.equal(before.session.expiresAt, NOW + 5, "never after the session's own end");
    assert.equal(await storage.readSessionFactor(`old-${winner}`, "ada"), null);
    assert.equal((await storage.listSessions("ada", { now: NOW, limit: 100 })).length, 2);
  },
  "putTrustedBrowser() leaves as many as it keeps when several are stored at once": async (
    storage,
  ) => {
    await repeat(async (round) => {
      const id = `u${round}`;
      await storage.createUser(record({ id }));
      await storage.putFactor(factor(id));
      await Promise.all(
        rivals((index) => storage.putTrustedBrowser(trusted(`${id}-${index}`, id), { keep: 2 })),
      );
      assert.equal((await hashes(storage, id)).length, 2);
    });
  },
});
