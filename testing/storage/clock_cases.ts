import assert from "node:assert/strict";
import type { StorageCase } from "./complete_storage.ts";
import { HOUR, NOW, record, secret, session } from "./records.ts";
import { inSuite } from "./suites.ts";

/** Moments before and after the present of every clock that runs these cases. */
const MOMENTS = [HOUR, Date.UTC(2001, 0, 1), Date.UTC(2099, 0, 1)];

/** Cases about the clock, which is the caller's, and about callers whose clocks differ. */
export const CLOCK_CASES: Record<string, StorageCase> = inSuite("clocks", {
  "sessions begin, are renewed and end by the caller's clock, in whatever year": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }, HOUR));
    for (const now of MOMENTS) {
      const id = `s${now}`;
      const times = { createdAt: now, authenticatedAt: now, refreshedAt: now };
      await storage.insertSession(session(id, "ada", { ...times, expiresAt: now + HOUR }));
      const stored = await storage.readSession(`hash-of-${id}`);
      assert.deepEqual(
        stored?.session,
        { id, userId: "ada", ...times, expiresAt: now + HOUR },
      );
      const renewal = { from: now, at: now + HOUR - 1, expiresAt: now + 2 * HOUR };
      assert.equal(await storage.renewSession(id, renewal), true);
      const late = { from: now + HOUR - 1, at: now + 2 * HOUR, expiresAt: now + 3 * HOUR };
      assert.equal(await storage.renewSession(id, late), false);
      const again = await storage.readSession(`hash-of-${id}`);
      assert.equal(again?.session.refreshedAt, now + HOUR - 1);
    }
  },
  // Tracks: R150
  "sweep() goes by the caller's clock, also by one that is behind": async (storage) => {
    await storage.createUser(record({ id: "ada" }, HOUR));
    for (const now of MOMENTS) {
      await storage.insertSession(session(`s${now}`, "ada", { expiresAt: now }));
    }
    assert.equal(await storage.sweep(MOMENTS[0]! - 1, 100), 0);
    for (const [index, now] of MOMENTS.entries()) {
      assert.equal(await storage.sweep(now, 100), 1);
      const left = await Promise.all(
        MOMENTS.map((moment) => storage.readSession(`hash-of-s${moment}`)),
      );
      assert.deepEqual(
        left.map((one) => one === null),
        MOMENTS.map((_, other) => other <= index),
      );
    }
  },
  "a session that one server renewed is not renewed by another whose clock is behind": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    const ahead = { from: NOW, at: NOW + 1000, expiresAt: NOW + 2 * HOUR };
    const behind = { from: NOW, at: NOW + 500, expiresAt: NOW + HOUR + 500 };
    assert.equal(await storage.renewSession("s1", ahead), true);
    assert.equal(await storage.renewSession("s1", behind), false);
    assert.equal(
      (await storage.readSession("hash-of-s1"))?.session.expiresAt,
      NOW + 2 * HOUR,
    );
  },
  // Tracks: R017
  "secrets end by the caller's clock to the millisecond, in whatever year": async (storage) => {
    for (const now of MOMENTS) {
      const hash = `h${now}`;
      await storage.putSecret(secret(hash, { createdAt: now, expiresAt: now + HOUR }));
      assert.equal(await storage.readSecret("email", hash, now + HOUR), null);
      assert.equal(await storage.takeSecret("email", hash, { now: now + HOUR }), null);
      // A server whose clock is behind that of the one which stored it.
      assert.equal((await storage.readSecret("email", hash, now - 1000))?.hash, hash);
      assert.equal((await storage.takeSecret("email", hash, { now: now + HOUR - 1 }))?.hash, hash);
      assert.equal(await storage.takeSecret("email", hash, { now: now - 1000 }), null);
    }
  },
  // Tracks: R017
  "countAttempt() counts by the caller's clock, and two clocks share one count": async (
    storage,
  ) => {
    for (const now of MOMENTS) {
      const hash = `h${now}`;
      await storage.putSecret(secret(hash, { createdAt: now, expiresAt: now + HOUR }));
      const clocks = [now + 1000, now, now + 500, now + 1];
      const counted = [];
      for (const at of clocks) {
        counted.push(await storage.countAttempt("email", hash, { now: at, max: 3 }));
      }
      assert.deepEqual(counted.map((one) => one?.attempts ?? null), [1, 2, 3, null]);
      assert.equal(
        await storage.countAttempt("email", hash, { now: now + HOUR, max: 10 }),
        null,
      );
    }
  },
  "sessions are listed by the caller's clock": async (storage) => {
    await storage.createUser(record({ id: "ada" }, HOUR));
    for (const now of MOMENTS) {
      await storage.insertSession(session(`s${now}`, "ada", { expiresAt: now }));
    }
    for (const [index, now] of MOMENTS.entries()) {
      const listed = await storage.listSessions("ada", { now, limit: 10 });
      const left = MOMENTS.slice(index + 1).map((moment) => `s${moment}`);
      assert.deepEqual(listed.map(({ id }) => id).sort(), left.sort());
    }
  },
});
