import assert from "node:assert/strict";
import type { OutboxRecord } from "@framework/auth/storage";
import type { CompleteStorage, StorageCase } from "./complete_storage.ts";
import { NOW } from "./records.ts";
import { inSuite } from "./suites.ts";

function message(id: string, changes: Partial<OutboxRecord> = {}): OutboxRecord {
  return {
    id,
    destination: "",
    type: "sign-up",
    text: `{"userId":"${id}"}`,
    at: NOW,
    tries: 0,
    dueAt: NOW,
    failure: null,
    ...changes,
  };
}

function dead(id: string, destination: string, changes: Partial<OutboxRecord> = {}): OutboxRecord {
  return message(id, { destination, dueAt: null, tries: 11, failure: "no answer", ...changes });
}

async function lease(
  storage: CompleteStorage,
  name: string,
  { now = NOW, limit = 10 }: { now?: number; limit?: number } = {},
): Promise<OutboxRecord[]> {
  return await storage.leaseMessages({ lease: name, now, until: now + 1000, limit });
}

const idsOf = (messages: readonly OutboxRecord[]) => messages.map(({ id }) => id).sort();

/** Cases about events to deliver that every storage must pass. */
export const OUTBOX_CASES: Record<string, StorageCase> = inSuite("operations", {
  "leaseMessages() gives back what putMessages() stored, those that are due, and each to one runner until its lease is over":
    async (storage) => {
      const messages = [
        message("a", { dueAt: NOW - 1 }),
        message("b", { destination: "crm", tries: 2, failure: "status 503" }),
        message("c", { dueAt: NOW + 1 }),
      ];
      await storage.putMessages(messages);
      await storage.putMessages([]);
      // Stored once: what is there stays.
      await storage.putMessages([message("a", { text: "{}" })]);
      const leased = await lease(storage, "first");
      assert.deepEqual(
        leased.toSorted((a, b) => a.id < b.id ? -1 : 1).map(({ dueAt: _due, ...rest }) => rest),
        messages.slice(0, 2).map(({ dueAt: _due, ...rest }) => rest),
      );
      assert.deepEqual(idsOf(await lease(storage, "second")), []);
      assert.deepEqual(idsOf(await lease(storage, "second", { now: NOW + 999 })), ["c"]);
      assert.deepEqual(idsOf(await lease(storage, "third", { now: NOW + 1000 })), ["a", "b"]);
    },
  "leaseMessages() gives those that are due longest first, and no more than asked for": async (
    storage,
  ) => {
    await storage.putMessages([
      message("a", { dueAt: NOW }),
      message("b", { dueAt: NOW - 2 }),
      message("c", { dueAt: NOW - 1 }),
      message("d", { dueAt: null, failure: "no answer" }),
    ]);
    assert.deepEqual(idsOf(await lease(storage, "first", { limit: 2 })), ["b", "c"]);
    assert.deepEqual(idsOf(await lease(storage, "second", { limit: 2 })), ["a"]);
  },
  "leaseMessages() leaves out destinations that it is told, and what has none yet by its empty name":
    async (
      storage,
    ) => {
      await storage.putMessages([
        message("a", { dueAt: NOW - 3 }),
        message("b", { dueAt: NOW - 2, destination: "crm" }),
        message("c", { dueAt: NOW - 1, destination: "mail" }),
      ]);
      const options = { now: NOW, until: NOW + 1000, limit: 10 };
      const without = async (lease: string, names: readonly string[]) =>
        idsOf(await storage.leaseMessages({ ...options, lease, without: names }));
      assert.deepEqual(await without("first", ["", "crm", "mail"]), []);
      assert.deepEqual(await without("second", ["", "crm"]), ["c"]);
      assert.deepEqual(await without("third", ["crm", "none"]), ["a"]);
      assert.deepEqual(await without("fourth", []), ["b"]);
    },
  "leaseMessages() by turns gives one message of each tenant before the second of any, beside those of no tenant":
    async (storage) => {
      const to = (id: string, tenant: string, address: number, dueAt: number) =>
        message(id, { destination: `tenant:wh_${tenant.repeat(10)}${address}`, dueAt });
      await storage.putMessages([
        ...[1, 2, 3].map((address) => to("a", "a", address, NOW - 9)),
        to("b", "b", 1, NOW - 8),
        message("crm", { destination: "crm", dueAt: NOW - 7 }),
        message("next", { destination: "crm", dueAt: NOW - 6 }),
        message("new", { dueAt: NOW - 5 }),
        ...[1, 2].map((address) => to("c", "c", address, NOW - 4)),
      ]);
      const next = async (lease: string, limit: number, without: string[] = []) => {
        const options = { lease, now: NOW, until: NOW + 1000, limit, without, byTurns: true };
        return (await storage.leaseMessages(options)).map(({ id }) => id);
      };
      // All addresses of one tenant are in its lane.
      const lane = `tenant:wh_${"c".repeat(10)}`;
      assert.deepEqual(await next("first", 4, ["crm", lane]), ["a", "b", "new", "a"]);
      assert.deepEqual(await next("second", 9), ["a", "crm", "next", "c", "c"]);
    },
  "leaseMessages() of many runners at once has each find what the others leave": async (
    storage,
  ) => {
    const all = Array.from({ length: 30 }, (_, index) => message(`m${index + 10}`));
    await storage.putMessages(all);
    const leased = await Promise.all(
      ["a", "b", "c"].map((name) => lease(storage, name, { limit: 10 })),
    );
    assert.ok(leased.every(({ length }) => length > 0), `${leased.map(({ length }) => length)}`);
    const ids = idsOf(leased.flat());
    assert.equal(new Set(ids).size, ids.length);
  },
  "endMessage() removes a message of one's own lease, with those that come in its place, once":
    async (storage) => {
      await storage.putMessages([message("a")]);
      await lease(storage, "mine");
      const others = [
        message("a", { destination: "crm" }),
        message("a", { destination: "mail" }),
      ];
      const [id, destination] = ["a", ""];
      assert.equal(await storage.endMessage({ id, destination, lease: "other" }, others), false);
      assert.deepEqual(await lease(storage, "second"), []);
      assert.equal(await storage.endMessage({ id, destination, lease: "mine" }, others), true);
      assert.equal(await storage.endMessage({ id, destination, lease: "mine" }, others), false);
      const shared = await lease(storage, "third");
      assert.deepEqual(shared.map((one) => one.destination).sort(), ["crm", "mail"]);
      for (const one of ["crm", "mail"]) {
        assert.equal(await storage.endMessage({ id, destination: one, lease: "third" }), true);
      }
      assert.deepEqual(await lease(storage, "fourth", { now: NOW + 5000 }), []);
    },
  "putOffMessage() has a message of one's own lease wait, or be tried no more": async (storage) => {
    await storage.putMessages([message("a", { destination: "crm" })]);
    await lease(storage, "mine");
    const own = { id: "a", destination: "crm", lease: "mine" };
    const next = { tries: 1, dueAt: NOW + 50, failure: "status 503" };
    assert.equal(await storage.putOffMessage({ ...own, lease: "other" }, next), false);
    assert.equal(await storage.putOffMessage(own, next), true);
    assert.equal(await storage.putOffMessage(own, next), false);
    assert.deepEqual(await lease(storage, "second", { now: NOW + 49 }), []);
    const [again] = await lease(storage, "third", { now: NOW + 50 });
    assert.deepEqual([again!.tries, again!.failure, again!.text], [
      1,
      "status 503",
      '{"userId":"a"}',
    ]);
    const last = { tries: 2, dueAt: null, failure: "status 410" };
    assert.equal(await storage.putOffMessage({ ...own, lease: "third" }, last), true);
    assert.deepEqual(await lease(storage, "fourth", { now: NOW + 1e9 }), []);
    assert.deepEqual(await storage.listDeadMessages({ limit: 10 }), [
      message("a", { destination: "crm", ...last }),
    ]);
  },
  "listDeadMessages() lists what is no longer tried, by id and destination, page by page": async (
    storage,
  ) => {
    const all = [dead("a", "crm"), dead("a", "mail"), dead("b", "crm"), dead("c", "crm")];
    // Neither waits for its next try, nor was it made due yet.
    await storage.putMessages([
      ...all.toReversed(),
      message("d", { destination: "crm", failure: "status 503" }),
      message("e", { dueAt: null }),
    ]);
    assert.deepEqual(await storage.listDeadMessages({ limit: 10 }), all);
    assert.deepEqual(await storage.listDeadMessages({ limit: 2 }), all.slice(0, 2));
    const after = { id: "a", destination: "mail" };
    assert.deepEqual(await storage.listDeadMessages({ limit: 2, after }), all.slice(2));
    assert.deepEqual(await storage.listDeadMessages({ limit: 9, destination: "mail" }), [all[1]]);
    assert.deepEqual(
      await storage.listDeadMessages({ limit: 1, destination: "crm", after }),
      [all[2]],
    );
  },
  "reviveMessage() has what is no longer tried be tried again, from its first try on": async (
    storage,
  ) => {
    await storage.putMessages([dead("a", "crm"), message("b", { dueAt: NOW + 50 })]);
    assert.equal(await storage.reviveMessage({ id: "a", destination: "mail" }, NOW), false);
    assert.equal(await storage.reviveMessage({ id: "b", destination: "" }, NOW), false);
    assert.equal(await storage.reviveMessage({ id: "a", destination: "crm" }, NOW), true);
    assert.equal(await storage.reviveMessage({ id: "a", destination: "crm" }, NOW), false);
    assert.deepEqual(await storage.listDeadMessages({ limit: 10 }), []);
    const [again] = await lease(storage, "first");
    assert.deepEqual([again!.id, again!.tries], ["a", 0]);
  },
  "dropDeadMessages() removes what is no longer tried of events before a time, the oldest first":
    async (storage) => {
      await storage.putMessages([
        dead("a", "crm", { at: NOW - 1 }),
        dead("b", "crm", { at: NOW - 2 }),
        dead("c", "crm"),
        message("d", { at: NOW - 3, dueAt: NOW + 1 }),
      ]);
      assert.equal(await storage.dropDeadMessages(NOW, 1), 1);
      assert.deepEqual(idsOf(await storage.listDeadMessages({ limit: 10 })), ["a", "c"]);
      assert.equal(await storage.dropDeadMessages(NOW, 10), 1);
      assert.equal(await storage.dropDeadMessages(NOW, 10), 0);
      assert.deepEqual(idsOf(await storage.listDeadMessages({ limit: 10 })), ["c"]);
      assert.deepEqual(idsOf(await lease(storage, "first", { now: NOW + 1 })), ["d"]);
    },
  "dropMessages() removes messages that nobody has begun to deliver": async (storage) => {
    await storage.putMessages([
      message("a"),
      message("b", { dueAt: NOW + 1 }),
      message("c", { destination: "crm", dueAt: NOW + 1 }),
    ]);
    await lease(storage, "mine");
    await storage.dropMessages(["a", "b", "c", "d"]);
    await storage.dropMessages([]);
    assert.deepEqual(idsOf(await lease(storage, "second", { now: NOW + 2000 })), ["a", "c"]);
  },
});

/** Races about events to deliver that every storage must pass. */
export const OUTBOX_RACES: Record<string, StorageCase> = inSuite("races", {
  "leaseMessages() gives each message to one of several runners at once": async (storage) => {
    const ids = Array.from({ length: 12 }, (_, index) => `m${String(index).padStart(2, "0")}`);
    await storage.putMessages(ids.map((id) => message(id)));
    const leased: string[] = [];
    // Of runners who choose the same ones some go away with nothing.
    for (let round = 0; round < 12 && leased.length < ids.length; round++) {
      const runners = await Promise.all(
        ["a", "b", "c", "d"].map((name) => lease(storage, `${name}${round}`, { limit: 4 })),
      );
      leased.push(...runners.flat().map(({ id }) => id));
    }
    assert.deepEqual(leased.sort(), ids);
  },
  "endMessage() stores what comes in place of a message once, of two at once": async (storage) => {
    await storage.putMessages([message("a")]);
    await lease(storage, "mine");
    const own = { id: "a", destination: "", lease: "mine" };
    const others = [message("a", { destination: "crm" })];
    const ended = await Promise.all([1, 2, 3].map(() => storage.endMessage(own, others)));
    assert.equal(ended.filter((one) => one).length, 1);
    assert.deepEqual(idsOf(await lease(storage, "second")), ["a"]);
  },
});
