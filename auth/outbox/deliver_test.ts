import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createAuth } from "../app/create_auth.ts";
import { createUser, deleteUser } from "../session/users.ts";
import { outboxGroup, type OutboxStorage } from "../storage/outbox.ts";
import { createSqlStorage } from "../storage/sql.ts";
import { groupOf, type Storage } from "../storage/storage.ts";
import { sqlite } from "../storage/sqlite.ts";
import type { StorageGroup } from "../storage/group.ts";
import { deadLetters } from "./dead_letters.ts";
import { deliverIn } from "./deliver.ts";
import { DeliveryError } from "./errors.ts";
import type { Destination } from "./message.ts";
import { outbox } from "./outbox.ts";
import { DAY, destination, NONE, NOW, open } from "../tests/outbox_application.ts";

Deno.test("what the receiver says of its own holds: later, and never", async () => {
  const all = destination("all");
  using app = open({ destinations: [all.one] });
  await app.auth.migrate();
  await app.run(() => createUser({ id: "ada" }));
  all.failures.push(
    new DeliveryError("DELIVERY_REFUSED", "status 503", { retryAt: NOW + 3_600_000 }),
  );
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, failed: 1 });
  app.clock.now = NOW + 3_599_999;
  assert.deepEqual(await app.auth.deliver({}), NONE);
  app.clock.now = NOW + 3_600_000;
  all.failures.push(new DeliveryError("DELIVERY_GONE", "status 410"));
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, dead: 1 });
  await app.run(async () => {
    const [letter] = (await deadLetters({ destination: "all" })).letters;
    assert.equal(letter!.failure, "status 410");
  });
  // Nor does a receiver that wants it at once use up the tries of three days.
  await app.run(() => createUser({ id: "bob" }));
  const text = "x".repeat(1000);
  all.failures.push(new DeliveryError("DELIVERY_REFUSED", text, { retryAt: app.clock.now + 1 }));
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, failed: 1 });
  app.clock.now += 1000;
  assert.deepEqual(await app.auth.deliver({}), NONE);
  // What a database keeps of it is short.
  const kept = app.file.prepare("SELECT failure FROM auth_outbox WHERE due_at IS NOT NULL").get()!;
  assert.equal(kept.failure, text.slice(0, 300));
  app.clock.now += 10_000;
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, delivered: 1 });
  // A year is no time that a receiver may ask for.
  await app.run(() => createUser({ id: "eve" }));
  all.failures.push(
    new DeliveryError("DELIVERY_REFUSED", "status 503", { retryAt: app.clock.now + 365 * DAY }),
  );
  await app.auth.deliver({});
  app.clock.now += DAY + 1;
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, delivered: 1 });
  // Dead letters go after thirty days.
  app.clock.now += 31 * DAY;
  await app.auth.deliver({});
  assert.deepEqual(app.rows(), []);
});

Deno.test("the statements of the page on webhooks tell what waits, and have it tried at once", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/webhooks.md", import.meta.url));
  const [look, hurry] = [...page.matchAll(/```sql\n([^`]+)```/g)].map(([, text]) => text!);
  const crm = destination("crm");
  using app = open({ destinations: [crm.one] });
  await app.auth.migrate();
  await app.run(() => createUser({ id: "ada" }));
  const down = new DeliveryError("DELIVERY_REFUSED", "hooks.example answered with status 503");
  for (let tries = 1; tries <= 5; tries++) {
    crm.failures.push(down);
    assert.deepEqual(await app.auth.deliver({}), { ...NONE, failed: 1 });
    app.clock.now += 1800 * 1250;
  }
  assert.deepEqual(await app.auth.deliver({}), NONE);
  assert.deepEqual(Object.values(app.file.prepare(look!).get()!), ["crm", 1, NOW, down.message]);
  app.file.exec(hurry!);
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, delivered: 1 });
});

Deno.test("a destination that is gone from the options keeps its events until it is back", async () => {
  const file = new DatabaseSync(":memory:");
  const clock = { now: NOW };
  const crm = destination("crm");
  const make = (destinations: Destination[]) =>
    createAuth({
      database: sqlite(file),
      secret: "a secret of at least thirty-two bytes",
      providers: [outbox({ destinations })],
      now: () => clock.now,
      logger: { info() {}, warn() {}, error() {} },
    });
  const before = make([crm.one]);
  await before.migrate();
  await before.run(new Request("http://localhost/", { method: "POST" }), {}, {}, async () => {
    await createUser({ id: "ada" });
    return new Response();
  });
  crm.failures.push(new Error("no"));
  await before.deliver({});
  clock.now += 10_000;
  assert.deepEqual(await make([]).deliver({}), { ...NONE, failed: 1 });
  clock.now += 100_000;
  assert.deepEqual(await make([crm.one]).deliver({}), { ...NONE, delivered: 1 });
  file.close();
});

Deno.test("of many runners at once each event has one, and what one leaves behind another takes later", async () => {
  const all = destination("all");
  using app = open({ destinations: [all.one] });
  await app.auth.migrate();
  await app.run(async () => {
    for (let n = 0; n < 50; n++) await createUser({ id: `user-${n}` });
  });
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 4 }, () => app.auth.deliver({})));
  }
  assert.equal(all.arrived.length, 50);
  assert.equal(new Set(all.arrived.map(({ id }) => id)).size, 50);

  // A runner that has died has them for a minute.
  await app.run(() => createUser({ id: "late" }));
  const storage = groupOf(app.auth.storage({}), outboxGroup);
  const lease = { lease: "dead", now: NOW, until: NOW + 60_000, limit: 9 };
  assert.equal((await storage.leaseMessages(lease)).length, 1);
  assert.deepEqual(await app.auth.deliver({}), NONE);
  app.clock.now += 60_000;
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, delivered: 1 });
});

Deno.test("a try that does not end is over after its time, and its signal says so", async () => {
  let aborted: unknown;
  const slow: Destination = {
    id: "slow",
    deliver: (_, { signal }) =>
      new Promise(() => signal.addEventListener("abort", () => void (aborted = signal.reason))),
  };
  const message = { id: "evt_1", type: "sign-up", at: NOW, data: {} };
  const late = (error: unknown) =>
    error instanceof DeliveryError && error.code === "DELIVERY_TIMEOUT" && !error.final;
  await assert.rejects(deliverIn(20, slow, message, { attempt: 1, now: NOW }), late);
  assert.ok(late(aborted));
});

Deno.test("a destination that knows its answer when the time is over says it itself", async () => {
  const drips: Destination = {
    id: "drips",
    async deliver(_, { signal }) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      // As webhook() does, which stops to read an answer whose status it has.
      for (let n = 0; n < 50; n++) await null;
    },
  };
  const message = { id: "evt_1", type: "sign-up", at: NOW, data: {} };
  await deliverIn(20, drips, message, { attempt: 1, now: NOW });
});

Deno.test("events of others do not wait behind those of a destination that hangs", async () => {
  const slow = destination("slow");
  const quick = destination("quick", { events: ["user-deleted"] });
  using app = open({ destinations: [slow.one, quick.one] });
  await app.auth.migrate();
  await app.run(async () => {
    for (let n = 0; n < 100; n++) await createUser({ id: `user-${n}` });
  });
  app.clock.now++;
  await app.run(() => deleteUser("user-1"));
  for (let n = 0; n < 200; n++) slow.failures.push(new DeliveryError("DELIVERY_TIMEOUT"));
  const { delivered, failed, dead } = await app.auth.deliver({});
  assert.equal(delivered, 1);
  assert.equal(quick.arrived.length, 1);
  // One round of tries has hung, and no more than that.
  assert.ok(failed > 0 && failed <= 20, `${failed}`);
  assert.equal(dead, 0);
  // What was put off has lost none of its tries, and arrives when the destination is back.
  slow.failures.length = 0;
  app.clock.now += 100_000;
  await app.auth.deliver({});
  assert.equal(slow.arrived.length, 102);
  assert.equal(slow.arrived.filter(({ attempt }) => attempt === 1).length, 102 - failed);
});

Deno.test("a destination that fails slowly, whatever it says, keeps nobody waiting for longer than once", async () => {
  let tries = 0;
  const slow: Destination = {
    id: "slow",
    async deliver() {
      tries++;
      await new Promise((resolve) => setTimeout(resolve, 2100));
      throw new DeliveryError("DELIVERY_REFUSED", "status 500");
    },
  };
  const quick = destination("quick", { events: ["user-deleted"] });
  using app = open({ destinations: [slow, quick.one] });
  await app.auth.migrate();
  await app.run(async () => {
    for (let n = 0; n < 60; n++) await createUser({ id: `user-${n}` });
  });
  app.clock.now++;
  await app.run(() => deleteUser("user-1"));
  await app.auth.deliver({});
  assert.deepEqual([tries <= 20, quick.arrived.length], [true, 1]);
  // The next call knows it still, and asks it when it had time to recover.
  const before = tries;
  app.clock.now += 44_000;
  assert.deepEqual(await app.auth.deliver({}), NONE);
  assert.equal(tries, before);
  app.clock.now += 1000;
  await app.auth.deliver({});
  assert.ok(tries > before && tries <= before + 20, `${tries}`);
});

Deno.test("a destination that is slow and takes every event in the end keeps nobody waiting for longer than once", async () => {
  const order: string[] = [];
  const slow: Destination = {
    id: "slow",
    events: ["sign-up"],
    async deliver() {
      await new Promise((resolve) => setTimeout(resolve, 2100));
      order.push("slow");
    },
  };
  const quick: Destination = {
    id: "quick",
    events: ["user-deleted"],
    deliver: () => Promise.resolve(void order.push("quick")),
  };
  using app = open({ destinations: [slow, quick] });
  await app.auth.migrate();
  await app.run(async () => {
    // Two rounds of tries, behind which it would be the last of all.
    for (let n = 0; n < 40; n++) await createUser({ id: `user-${n}` });
  });
  app.clock.now++;
  await app.run(() => deleteUser("user-1"));
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, delivered: 41 });
  assert.equal(order.indexOf("quick"), 20);
  // The next call knows it still, and begins with the others.
  order.length = 0;
  await app.run(async () => {
    for (let n = 0; n < 20; n++) await createUser({ id: `another-${n}` });
  });
  app.clock.now++;
  await app.run(() => deleteUser("user-2"));
  await app.auth.deliver({});
  assert.equal(order.indexOf("quick"), 0);
});

Deno.test("of very many slow destinations a statement names the newest, and no more than fifty", async () => {
  using file = new DatabaseSync(":memory:");
  const asked: (readonly string[])[] = [];
  const storage = createSqlStorage(sqlite(file));
  const database: Storage = {
    ...storage,
    group<Operations>(wanted: StorageGroup<Operations>) {
      const operations = storage.group!(wanted);
      if (wanted.name !== outboxGroup.name) return operations;
      const own: OutboxStorage = {
        ...operations as OutboxStorage,
        leaseMessages(lease) {
          asked.push(lease.without ?? []);
          return (operations as OutboxStorage).leaseMessages(lease);
        },
      };
      return own as Operations;
    },
  };
  const ids = Array.from({ length: 60 }, (_, n) => `late-${String(n).padStart(2, "0")}`);
  const late = ids.map((id): Destination => ({
    id,
    deliver: () => Promise.reject(new DeliveryError("DELIVERY_TIMEOUT")),
  }));
  using app = open({ destinations: late }, { database });
  await sqlite(file).migrate!();
  await app.run(() => createUser({ id: "ada" }));
  await app.auth.deliver({});
  asked.length = 0;
  app.clock.now += 10_000;
  await app.auth.deliver({});
  const [first, second] = asked as [string[], string[]];
  assert.deepEqual(first.toSorted(), ids.slice(10));
  // Those that it did not name were asked, and are the newest then.
  assert.equal(second.length, 50);
  assert.deepEqual(second.slice(-10).toSorted(), ids.slice(0, 10));
});
