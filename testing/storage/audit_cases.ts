import assert from "node:assert/strict";
import type { AuditRange, AuditRecord, AuditSeal } from "@framework/auth/storage";
import type { CompleteStorage, StorageCase } from "./complete_storage.ts";
import { HOUR, NOW, record } from "./records.ts";
import { inSuite } from "./suites.ts";

function entry(id: string, changes: Partial<AuditRecord> = {}): AuditRecord {
  const at = NOW;
  return {
    id,
    at,
    type: "sign-in",
    userId: "ada",
    actorId: "ada",
    text: `{"id":"${id}"}`,
    people: [],
    ...changes,
  };
}

function person(part: "user" | "actor", userId: string) {
  return { part, userId, salt: `salt of ${part}`, text: `{"name":"${userId}"}` };
}

function seal(hour: number, changes: Partial<AuditSeal> = {}): AuditSeal {
  return { hour, count: 1, entries: "e", previous: "p", digest: "d", ...changes };
}

async function idsOf(storage: CompleteStorage, range: Partial<AuditRange> = {}): Promise<string[]> {
  const all = { from: "0", to: "g", order: "oldest", limit: 100 } as const;
  return (await storage.listEntries({ ...all, ...range })).map(({ id }) => id);
}

const ALL = { from: "0", to: "g", order: "oldest", limit: 100 } as const;

/** Cases about the trail that every storage must pass. */
export const AUDIT_CASES: Record<string, StorageCase> = inSuite("operations", {
  "listEntries() gives back what insertEntry() stored, by user, actor and type, in both orders":
    async (storage) => {
      await storage.createUser(record({ id: "ada" }));
      await storage.createUser(record({ id: "eve" }));
      const full = entry("a", {
        actorId: "eve",
        type: "disabled",
        people: [person("user", "ada"), person("actor", "eve")],
      });
      await storage.insertEntry(full);
      await storage.insertEntry({ ...full, text: "another" });
      await storage.insertEntry(entry("b", { userId: null, actorId: null, type: "refused" }));
      await storage.insertEntry(entry("c"));
      assert.deepEqual(await storage.listEntries({ ...ALL, limit: 1 }), [full]);
      assert.deepEqual(await idsOf(storage), ["a", "b", "c"]);
      assert.deepEqual(await idsOf(storage, { order: "newest", limit: 2 }), ["c", "b"]);
      assert.deepEqual(await idsOf(storage, { from: "b", to: "c" }), ["b"]);
      const onlyA = { from: "a", to: "c", userId: "ada" };
      assert.deepEqual(await idsOf(storage, onlyA), ["a"]);
      assert.deepEqual(await idsOf(storage, { ...onlyA, actorId: "eve", type: "disabled" }), ["a"]);
      for (const other of [{ userId: "eve" }, { actorId: "ada" }, { type: "refused" }]) {
        const all = { ...onlyA, actorId: "eve", type: "disabled", ...other };
        assert.deepEqual(await idsOf(storage, all), []);
      }
      for (const by of [{ actorId: "ada" }, { type: "sign-in" }]) {
        assert.deepEqual(await idsOf(storage, { from: "a", to: "c", ...by }), []);
        assert.deepEqual(await idsOf(storage, { from: "c", to: "d", ...by }), ["c"]);
      }
      assert.deepEqual(await idsOf(storage, { userId: "ada" }), ["a", "c"]);
      assert.deepEqual(await idsOf(storage, { actorId: "eve" }), ["a"]);
      assert.deepEqual(await idsOf(storage, { type: "refused" }), ["b"]);
      assert.deepEqual(await idsOf(storage, { userId: "ada", actorId: "ada", type: "sign-in" }), [
        "c",
      ]);
      assert.deepEqual(await idsOf(storage, { userId: "eve" }), []);
    },
  // Tracks: R187
  "a person's deletion takes what is personal, and leaves the entries": async (storage) => {
    for (const id of ["ada", "eve"]) await storage.createUser(record({ id }));
    const both = [person("user", "ada"), person("actor", "eve")];
    await storage.insertEntry(entry("a", { people: both }));
    await storage.deleteUser("ada");
    assert.deepEqual(await storage.listEntries(ALL), [entry("a", { people: [both[1]!] })]);
    await storage.insertEntry(entry("b", { people: both }));
    assert.deepEqual((await storage.listEntries({ ...ALL, from: "b" }))[0]!.people, [both[1]]);
  },
  // Tracks: R187
  "an entry is stored with the change of a user, each of them": async (storage) => {
    const options = (id: string) => ({
      entry: storage.prepareEntry(entry(id, { people: [person("user", "ada")] })),
    });
    await storage.createUser(record({ id: "ada" }));
    assert.equal(await storage.disableUser("ada", NOW, options("a")), true);
    assert.equal(await storage.enableUser("ada", NOW, options("b")), true);
    const roles = { role: "admin" };
    const user = await storage.setUserRoles("ada", { roles, at: NOW, ...options("c") });
    assert.equal(user?.role, "admin");
    assert.equal((await storage.listEntries(ALL))[2]!.people.length, 1);
    assert.equal(await storage.deleteUser("ada", options("d")), true);
    assert.deepEqual(await idsOf(storage), ["a", "b", "c", "d"]);
    for (const { people } of await storage.listEntries(ALL)) assert.deepEqual(people, []);
  },
  "dropEntries() removes the oldest entries and seals, with what is personal": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    for (const id of ["a", "b", "c"]) {
      await storage.insertEntry(entry(id, { people: [person("user", "ada")] }));
    }
    await storage.putSeal(seal(HOUR));
    await storage.putSeal(seal(2 * HOUR));
    assert.equal(await storage.dropEntries({ id: "b", hour: HOUR }, 1), 1);
    assert.deepEqual(await idsOf(storage), ["b", "c"]);
    assert.equal(await storage.dropEntries({ id: "b", hour: HOUR }, 9), 1);
    assert.deepEqual(await idsOf(storage), ["c"]);
    assert.deepEqual((await storage.listSeals(0, 9)).map(({ hour }) => hour), [2 * HOUR]);
  },
});

/** Races about seals of the trail that every storage must pass. */
export const AUDIT_RACES: Record<string, StorageCase> = inSuite("races", {
  // Tracks: R187
  "putSeal() puts a seal behind all others, once, and of several at once one": async (storage) => {
    assert.equal(await storage.lastSeal(), null);
    const results = await Promise.all([1, 2, 3].map(() => storage.putSeal(seal(2 * HOUR))));
    assert.deepEqual(results.filter((one) => one).length, 1);
    assert.equal(await storage.putSeal(seal(HOUR)), false);
    assert.equal(await storage.putSeal(seal(3 * HOUR, { previous: "d", digest: "f" })), true);
    assert.equal((await storage.lastSeal())?.hour, 3 * HOUR);
    assert.deepEqual((await storage.listSeals(0, 10)).map(({ hour }) => hour), [
      2 * HOUR,
      3 * HOUR,
    ]);
    assert.deepEqual((await storage.listSeals(2 * HOUR + 1, 10)).map(({ hour }) => hour), [
      3 * HOUR,
    ]);
    assert.deepEqual(await storage.listSeals(0, 1), [seal(2 * HOUR)]);
  },
  "insertEntry() stores an id once of several at once": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const texts = Array.from({ length: 6 }, (_, index) => `{"index":${index}}`);
    const people = [person("user", "ada")];
    await Promise.all(texts.map((text) => storage.insertEntry(entry("a", { text, people }))));
    const [stored, ...others] = await storage.listEntries(ALL);
    assert.deepEqual([others, stored!.people], [[], people]);
    assert.ok(texts.includes(stored!.text));
  },
});
