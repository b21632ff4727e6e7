import assert from "node:assert/strict";
import type { StorageCase } from "./complete_storage.ts";
import { HOUR, NOW, record, session } from "./records.ts";
import { inSuite } from "./suites.ts";

/** Cases about sessions bound to devices that every storage must pass. */
export const DEVICE_BINDING_CASES: Record<string, StorageCase> = inSuite("operations", {
  "readBindable() reads what readSession() does, and the binding": async (storage) => {
    await storage.createUser(record({ id: "ada", name: "Ada" }));
    await storage.insertSession(session("s1", "ada"));
    const stored = await storage.readSession("hash-of-s1");
    assert.deepEqual(await storage.readBindable("hash-of-s1"), { ...stored, device: null });
    assert.equal(await storage.changeDevice("s1", { from: null, to: "first" }), true);
    assert.deepEqual(await storage.readBindable("hash-of-s1"), { ...stored, device: "first" });
    assert.equal(await storage.readBindable("s1"), null);
    await storage.disableUser("ada", NOW);
    assert.equal(await storage.readBindable("hash-of-s1"), null);
  },
  "changeDevice() changes what was read, and nothing else": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    await storage.insertSession(session("s2", "ada"));
    assert.equal(await storage.changeDevice("s1", { from: "never", to: "first" }), false);
    assert.equal(await storage.changeDevice("s1", { from: null, to: "first" }), true);
    assert.equal(await storage.changeDevice("s1", { from: null, to: "second" }), false);
    assert.equal(await storage.changeDevice("s1", { from: "first", to: "second" }), true);
    assert.equal(await storage.changeDevice("no such session", { from: null, to: "x" }), false);
    assert.equal((await storage.readBindable("hash-of-s1"))?.device, "second");
    assert.equal((await storage.readBindable("hash-of-s2"))?.device, null);
  },
  "a binding stays with a session that is renewed, and ends with it": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    await storage.changeDevice("s1", { from: null, to: "bound" });
    const renewed = await storage.renewSession("s1", {
      from: NOW,
      at: NOW + HOUR / 2,
      expiresAt: NOW + 2 * HOUR,
    });
    assert.equal(renewed, true);
    const bound = await storage.readBindable("hash-of-s1");
    assert.deepEqual([bound?.device, bound?.session.expiresAt], ["bound", NOW + 2 * HOUR]);
    assert.equal(await storage.deleteSession("hash-of-s1"), true);
    assert.equal(await storage.readBindable("hash-of-s1"), null);
    assert.equal(await storage.changeDevice("s1", { from: "bound", to: "again" }), false);
    await storage.insertSession(session("s1", "ada"));
    assert.equal((await storage.readBindable("hash-of-s1"))?.device, null);
  },
});

/** Races about bindings of sessions to devices that every storage must pass. */
export const DEVICE_BINDING_RACES: Record<string, StorageCase> = inSuite("races", {
  "of many changes at once of one binding, one happens": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    for (const from of [null, "0"]) {
      if (from !== null) {
        const { device } = (await storage.readBindable("hash-of-s1"))!;
        assert.equal(await storage.changeDevice("s1", { from: device, to: from }), true);
      }
      const names = Array.from({ length: 20 }, (_, index) => `${from}-${index}`);
      const changed = await Promise.all(
        names.map((to) => storage.changeDevice("s1", { from, to })),
      );
      assert.equal(changed.filter(Boolean).length, 1);
      assert.equal(
        (await storage.readBindable("hash-of-s1"))?.device,
        names[changed.indexOf(true)],
      );
    }
  },
});
