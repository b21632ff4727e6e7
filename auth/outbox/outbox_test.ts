import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createAuth } from "../app/create_auth.ts";
import { unlinkAccount } from "../account/linked_accounts.ts";
import { createApiKey, revokeApiKey, rotateApiKey } from "../api_key/operations.ts";
import { apiKeys } from "../api_key/provider.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import type { AuthOptions } from "../app/options.ts";
import type { DeliverOptions } from "../core/contracts.ts";
import {
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  passwordChanged,
  setUserRoles,
  transaction,
} from "../session/users.ts";
import { credentials } from "../sign_in/credentials.ts";
import { passwords } from "../sign_in/password/provider.ts";
import { outboxGroup, type OutboxStorage } from "../storage/outbox.ts";
import { createSqlStorage } from "../storage/sql.ts";
import { groupOf, type Storage } from "../storage/storage.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import type { SqlDatabase, SqlStatement } from "../storage/sql_database.ts";
import { sqlite } from "../storage/sqlite.ts";
import type { StorageGroup } from "../storage/group.ts";
import { EVENT_TYPES } from "../types/events.ts";
import { addMember, removeMember, setMemberRoles } from "../tenant/operations.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import { createSqlTenantStorage } from "../tenant/sql.ts";
import { deadLetters, sendAgain } from "./dead_letters.ts";
import { deliverIn, pauseAfter } from "./deliver.ts";
import { DeliveryError } from "./errors.ts";
import type { Destination, OutboxMessage } from "./message.ts";
import { outbox, type OutboxOptions } from "./outbox.ts";

const NOW = Date.UTC(2026, 10, 28);
const DAY = 86_400_000;
const MEMBER_EVENTS = ["member-added", "member-removed", "member-roles-changed"] as const;

interface Arrived extends OutboxMessage {
  attempt: number;
}

/** A destination that fails as often as it is told. */
function destination(id: string, rest: Partial<Destination> = {}) {
  const arrived: Arrived[] = [];
  const failures: unknown[] = [];
  const one: Destination = {
    id,
    deliver(message, { attempt }) {
      const failure = failures.shift();
      if (failure !== undefined) return Promise.reject(failure);
      arrived.push({ ...message, attempt });
      return Promise.resolve();
    },
    ...rest,
  };
  return { one, arrived, failures };
}

function open(options: OutboxOptions, rest: Partial<AuthOptions> = {}) {
  const file = new DatabaseSync(":memory:");
  const clock = { now: NOW };
  const logged: [string, Record<string, unknown>][] = [];
  const log = (event: string, fields?: object) => void logged.push([event, { ...fields }]);
  const auth = createAuth({
    database: sqlite(file),
    secret: "a secret of at least thirty-two bytes",
    providers: [outbox(options)],
    now: () => clock.now,
    logger: { info() {}, warn: log, error: log },
    ...rest,
  });
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  async function run(work: () => Promise<unknown>): Promise<void> {
    const request = new Request("http://localhost/", { method: "POST" });
    const info = { waitUntil, clientAddress: "203.0.113.7" };
    const response = await auth.run(request, {}, info, async () => {
      await work();
      return new Response();
    });
    assert.equal(response.status, 200, await response.text());
    while (background.length > 0) await background.shift();
  }
  const rows = () => file.prepare("SELECT type, destination FROM auth_outbox").all();
  return { auth, clock, file, logged, run, rows, [Symbol.dispose]: () => file.close() };
}

const NONE = { delivered: 0, failed: 0, dead: 0, more: false };

Deno.test("deliver() brings each event to the destinations that want it, once, in what order ever", async () => {
  const all = destination("all");
  const few = destination("few", { events: ["user-deleted"] });
  using app = open({ destinations: [all.one, few.one] });
  await app.auth.migrate();
  assert.deepEqual(await app.auth.deliver({}), NONE);
  await app.run(async () => {
    await createUser({ id: "ada", email: "ada@example.com", name: "Ada" });
    await setUserRoles("ada", { role: "admin" });
    await disableUser("ada");
    await enableUser("ada");
    await deleteUser("ada");
  });
  assert.deepEqual(await app.auth.deliver(), { ...NONE, delivered: 8 });
  assert.deepEqual(all.arrived.map(({ type }) => type).sort(), [
    "roles-changed",
    "session-revoked",
    "session-revoked",
    "sign-up",
    "user-deleted",
    "user-disabled",
    "user-enabled",
  ]);
  assert.deepEqual(few.arrived.map(({ type }) => type), ["user-deleted"]);
  const [deleted] = few.arrived as [Arrived];
  assert.equal(all.arrived.find(({ type }) => type === "user-deleted")!.id, deleted.id);
  assert.match(deleted.id, /^evt_[0-9a-f]{32}$/);
  assert.deepEqual([deleted.at, deleted.attempt, deleted.data.userId], [NOW, 1, "ada"]);
  // Ids, and no address of any kind.
  for (const { data } of all.arrived) {
    assert.doesNotMatch(JSON.stringify(data), /example\.com|203\.0\.113|Ada/);
  }
  assert.deepEqual(app.rows(), []);
  assert.deepEqual(await app.auth.deliver({}), NONE);
});

Deno.test("with include the address of the client is among the fields", async () => {
  const all = destination("all");
  using app = open({ destinations: [all.one], include: ["address"] });
  await app.auth.migrate();
  await app.run(() => createUser({ id: "ada" }));
  await app.auth.deliver({});
  assert.equal(all.arrived[0]!.data.address, "203.0.113.7");
});

Deno.test("a failed delivery is tried ten times more in three days, under one id, and kept as a dead letter then", async () => {
  const all = destination("all");
  using app = open({ destinations: [all.one] });
  await app.auth.migrate();
  await app.run(() => createUser({ id: "ada" }));
  const begun = app.clock.now;
  let tries = 0;
  for (let outcome = NONE; outcome.dead === 0; tries++) {
    all.failures.push(new Error("password=hunter2"));
    outcome = await app.auth.deliver({});
    assert.deepEqual(outcome, { ...NONE, [tries < 10 ? "failed" : "dead"]: 1 });
    // Not before its time, and no later than a day and a quarter.
    if (tries < 10) assert.deepEqual(await app.auth.deliver({}), NONE);
    const [{ due_at: due } = { due_at: null }] = app.file
      .prepare("SELECT due_at FROM auth_outbox").all() as { due_at: number | null }[];
    if (due !== null) app.clock.now = due;
  }
  assert.equal(tries, 11);
  const days = (app.clock.now - begun) / DAY;
  assert.ok(days > 2.2 && days < 3.8, `${days}`);
  await app.run(async () => {
    const { letters, after } = await deadLetters();
    assert.equal(after, null);
    const [letter] = letters;
    assert.deepEqual([letter!.type, letter!.destination, letter!.tries], ["sign-up", "all", 11]);
    // What a destination throws may hold anything.
    assert.equal(letter!.failure, "The destination failed with Error");
    assert.equal(await sendAgain(letter!), true);
    assert.equal(await sendAgain(letter!), false);
    assert.deepEqual((await deadLetters()).letters, []);
  });
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, delivered: 1 });
  assert.equal(all.arrived[0]!.attempt, 1);
  assert.deepEqual(
    [...new Set(app.logged.map(([event]) => event))],
    ["event-delivery-failed", "event-not-delivered"],
  );
});

Deno.test("what has been given up can be seen and sent again for a while, however shortly it is kept", async () => {
  const failing: Destination = {
    id: "failing",
    deliver: () => Promise.reject(new DeliveryError("DELIVERY_REFUSED", "status 500")),
  };
  using app = open({ destinations: [failing], keep: 5 });
  await app.auth.migrate();
  await app.run(() => createUser({ id: "ada" }));
  // As late as each try may be: the pause, a quarter more, and a minute until a cron job comes.
  for (let tries = 1; (await app.auth.deliver({})).dead === 0; tries++) {
    app.clock.now += pauseAfter(tries, 1)! + 60_000;
  }
  const letters = async () => {
    let count = 0;
    await app.run(async () => void (count = (await deadLetters()).letters.length));
    return count;
  };
  await app.auth.deliver({});
  assert.equal(await letters(), 1);
  app.clock.now = NOW + 5 * DAY;
  await app.auth.deliver({});
  assert.equal(await letters(), 1);
  app.clock.now++;
  await app.auth.deliver({});
  assert.equal(await letters(), 0);
});

Deno.test("no more is given up in a call than the next one can drop", async () => {
  using app = open({ destinations: [] });
  await app.auth.migrate();
  const insert = app.file.prepare(
    "INSERT INTO auth_outbox (id, destination, type, text, at, failure) VALUES (?, 'crm', 'sign-up', '{}', 0, 'no answer')",
  );
  for (let n = 0; n < 1010; n++) insert.run(`evt_${n}`);
  await app.auth.deliver({}, { limit: 5 });
  assert.equal(app.rows().length, 1005);
  await app.auth.deliver({});
  assert.equal(app.rows().length, 5);
  for (let n = 0; n < 1010; n++) insert.run(`evt_more_${n}`);
  // One transaction has at most a thousand, whatever the limit is.
  await app.auth.deliver({}, { limit: 5000 });
  assert.equal(app.rows().length, 15);
});

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

Deno.test("the limit bounds what a call asks of the database, however many events wait to be shared out", async () => {
  const all = destination("all");
  using app = open({ destinations: [all.one] });
  await app.auth.migrate();
  await app.run(async () => {
    for (let n = 0; n < 100; n++) {
      app.clock.now++;
      await createUser({ id: `user-${n}` });
    }
  });
  const shared = () => app.rows().filter(({ destination }) => destination !== "").length;
  for (let ten = 1; ten <= 10; ten++) {
    app.clock.now++;
    assert.deepEqual(await app.auth.deliver({}, { limit: 10 }), { ...NONE, more: true });
    assert.deepEqual([all.arrived.length, shared()], [10 * (ten - 1), 10]);
    // Those that came first arrive first: none waits until all are shared out.
    const outcome = await app.auth.deliver({}, { limit: 10 });
    assert.deepEqual(outcome, { ...NONE, delivered: 10, more: true });
    assert.deepEqual([all.arrived.length, shared()], [10 * ten, 0]);
  }
  assert.deepEqual(await app.auth.deliver({}), NONE);
});

Deno.test("the seconds bound a call whose destinations take their time", async () => {
  const arrived: string[] = [];
  const slow: Destination = {
    id: "slow",
    async deliver({ id }) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      arrived.push(id);
    },
  };
  using app = open({ destinations: [slow] });
  await app.auth.migrate();
  await app.run(async () => {
    for (let n = 0; n < 60; n++) await createUser({ id: `user-${n}` });
  });
  const { more } = await app.auth.deliver({}, { seconds: 0.02 });
  assert.equal(more, true);
  assert.ok(arrived.length <= 20, `${arrived.length}`);
  await app.auth.deliver({});
  assert.equal(arrived.length, 60);
});

Deno.test("what a delivery makes anew while a call runs does not make it longer than its limit", async () => {
  let count = 0;
  const insert = () =>
    app.file.prepare(
      "INSERT INTO auth_outbox (id, destination, type, text, at, due_at) VALUES (?, '', 'sign-up', '{}', 0, 0)",
    ).run(`evt_${count}`);
  const echo: Destination = {
    id: "echo",
    deliver() {
      count++;
      return Promise.resolve(void insert());
    },
  };
  using app = open({ destinations: [echo] });
  await app.auth.migrate();
  insert();
  // One at a time is leased and shared out, leased and delivered: each of the four is a question.
  assert.deepEqual(await app.auth.deliver({}, { limit: 10 }), {
    ...NONE,
    delivered: 2,
    more: true,
  });
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

Deno.test("the limit bounds events that nobody gets, too", async () => {
  const all = destination("all", { events: ["sign-up"] });
  using app = open({ destinations: [all.one] });
  await app.auth.migrate();
  const insert = app.file.prepare(
    "INSERT INTO auth_outbox (id, destination, type, text, at, due_at) VALUES (?, '', ?, '{}', 0, 0)",
  );
  for (let n = 0; n < 50; n++) insert.run(`evt_${n}`, "user-deleted");
  assert.deepEqual(await app.auth.deliver({}, { limit: 10 }), { ...NONE, more: true });
  assert.equal(app.rows().length, 40);
  assert.deepEqual(await app.auth.deliver({}), NONE);
  assert.deepEqual(app.rows(), []);
});

Deno.test("what a destination throws, and what somebody has written into the table, keeps no other event from its way", async () => {
  const odd: Destination = { id: "odd", deliver: () => Promise.reject(null) };
  const all = destination("all");
  using app = open({ destinations: [odd, all.one] });
  await app.auth.migrate();
  await app.run(() => createUser({ id: "ada" }));
  const insert = app.file.prepare(
    "INSERT INTO auth_outbox (id, destination, type, text, at, due_at) VALUES (?, '', 'sign-up', ?, 0, 0)",
  );
  for (const [id, text] of [["evt_0", "no JSON"], ["evt_1", "null"], ["evt_2", "[]"]]) {
    insert.run(id!, text!);
  }
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, delivered: 4, failed: 4 });
  assert.deepEqual(all.arrived.map(({ data }) => data.userId).filter(Boolean), ["ada"]);
});

/** A database that counts how often it is asked: in the shape of D1 and without more. */
function counted(file: DatabaseSync): { database: SqlDatabase; asked: () => number } {
  const real = sqlite(file);
  const inner = new WeakMap<SqlStatement, SqlStatement>();
  let count = 0;
  const counting = (statement: SqlStatement): SqlStatement => {
    const one: SqlStatement = {
      bind: (...values) => counting(statement.bind(...values)),
      first: <T>() => (count++, statement.first<T>()),
      all: <T>() => (count++, statement.all<T>()),
      run: () => (count++, statement.run()),
    };
    inner.set(one, statement);
    return one;
  };
  const database: SqlDatabase = {
    prepare: (text) => counting(real.prepare(text)),
    batch: (statements) => (count++, real.batch(statements.map((one) => inner.get(one)!))),
  };
  return { database, asked: () => count };
}

Deno.test("bounds: a call asks at most three times for each step, delivers the oldest first, and leaves the rest to the next", async () => {
  const arrivals: string[] = [];
  const to = (id: string, fails = false): Destination => ({
    id,
    deliver({ data }) {
      arrivals.push(`${id} ${data.userId}`);
      return fails ? Promise.reject(new DeliveryError("DELIVERY_REFUSED")) : Promise.resolve();
    },
  });
  const file = new DatabaseSync(":memory:");
  const { database, asked } = counted(file);
  // Each event of a time of its own: those of one millisecond come in no order.
  let time = NOW;
  const auth = createAuth({
    database,
    now: () => time++,
    providers: [outbox({ destinations: [to("a"), to("b"), to("c", true)] })],
  });
  await sqlite(file).migrate!();
  await auth.run(new Request("http://localhost/", { method: "POST" }), {}, {}, async () => {
    for (let n = 0; n < 30; n++) await createUser({ id: `user-${n}` });
    return new Response();
  });
  const done = { delivered: 0, failed: 0 };
  let calls = 0;
  for (let more = true; more; calls++) {
    const before = [asked(), arrivals.length] as const;
    const result = await auth.deliver({}, { limit: 14 });
    const both = asked() - before[0] + arrivals.length - before[1];
    assert.ok(both <= 3 * 14 + 5, `${both}`);
    done.delivered += result.delivered;
    done.failed += result.failed;
    more = result.more;
    if (calls === 1) assert.deepEqual(arrivals.slice(0, 2), ["a user-0", "b user-0"]);
  }
  assert.deepEqual(done, { delivered: 60, failed: 30 });
  // 30 events that are shared out and 90 deliveries.
  assert.ok(calls <= 15, `${calls}`);
  const wrong: unknown[] = [{ limit: 0 }, { limit: 1.5 }, { seconds: 0 }, { seconds: NaN }, {
    max: 5,
  }];
  for (const bounds of wrong) {
    await assert.rejects(auth.deliver({}, bounds as DeliverOptions), { code: "CONFIGURATION" });
  }
  file.close();
});

/** A storage over SQLite that cannot store an event by itself: only with its change. */
function withoutFallback(file: DatabaseSync): Storage {
  const storage = createSqlStorage(sqlite(file));
  return {
    ...storage,
    group<Operations>(wanted: StorageGroup<Operations>) {
      const operations = storage.group!(wanted);
      if (wanted.name !== outboxGroup.name) return operations;
      const own: OutboxStorage = {
        ...operations as OutboxStorage,
        putMessages: () => Promise.reject(new Error("the process has ended")),
      };
      return own as Operations;
    },
  };
}

Deno.test("an event is stored with its change: nothing is left to do when the process ends after it", async () => {
  using file = new DatabaseSync(":memory:");
  const all = destination("all");
  await createAuth({ database: sqlite(file), secret: "x".repeat(32) }).migrate();
  // Every look at the clock tells another time, as on a slow machine.
  let time = NOW;
  const auth = createAuth({
    database: withoutFallback(file),
    secret: "a secret of at least thirty-two bytes",
    now: () => time++,
    providers: [
      outbox({ destinations: [all.one] }),
      apiKeys({ prefix: "acme" }),
      credentials({
        credentials: { name: { label: "Name", type: "text", required: true } },
        authorize: ({ name }) => Promise.resolve({ id: name!, name: name! }),
      }),
      passwords({ verification: "later", sendMail: () => {} }),
    ],
    logger: { info() {}, warn() {}, error() {} },
  });
  let cookie = "";
  async function post(path: string, body: unknown): Promise<void> {
    const headers = { accept: "application/json", "content-type": "application/json", cookie };
    const request = new Request(`http://localhost/auth/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const response = await auth.handle(request, {}, { clientAddress: "203.0.113.7" });
    assert.ok(response!.status < 300, `${path}: ${await response!.clone().text()}`);
    const set = response!.headers.getSetCookie().find((line) => line.includes("session-token"));
    cookie = set?.split(";")[0] ?? cookie;
  }
  async function run(work: () => Promise<unknown>): Promise<void> {
    const request = new Request("http://localhost/", { method: "POST", headers: { cookie } });
    const response = await auth.run(request, {}, { clientAddress: "203.0.113.7" }, async () => {
      await work();
      return new Response();
    });
    assert.equal(response.status, 200, await response.text());
  }

  await post("signin/credentials", { name: "ada" });
  await post("signout", {});
  await post("signin/credentials", { name: "ada" });
  await run(async () => {
    const { id } = await createApiKey({ name: "CI" });
    await rotateApiKey(id);
    await revokeApiKey(id);
    file.exec(`INSERT INTO accounts
(provider, provider_account_id, user_id, type, created_at, updated_at) VALUES ('x', '7', 'ada', 'oauth', 1, 1)`);
    // The last way in stays, and nothing tells of it.
    await assert.rejects(unlinkAccount("x", "7"), { code: "LAST_WAY_IN" });
    file.exec(`UPDATE users SET email = 'ada@example.com', email_identity = 'ada@example.com',
  email_verified = 1 WHERE id = 'ada'`);
    assert.equal(await unlinkAccount("x", "7"), true);
    await setUserRoles("ada", { role: "admin" });
    await passwordChanged("ada");
  });
  await post("signup", { email: "bob@example.com", password: "a-rarely-used-Passw0rd-of-mine" });
  await run(async () => {
    await createUser({ id: "eve" });
    await assert.rejects(createUser({ id: "eve" }), { code: "USER_EXISTS" });
    assert.equal(await deleteUser("nobody"), false);
    await disableUser("ada");
    await enableUser("ada");
    await deleteUser("ada");
  });
  await auth.deliver({});
  const arrived = new Map<string, number>();
  for (const { type } of all.arrived) arrived.set(type, (arrived.get(type) ?? 0) + 1);
  assert.deepEqual(Object.fromEntries([...arrived].sort(([a], [b]) => a < b ? -1 : 1)), {
    "account-unlinked": 1,
    "api-key-added": 1,
    "api-key-removed": 1,
    "api-key-rotated": 1,
    "password-changed": 1,
    "roles-changed": 1,
    // With the disabling; the one of the deletion tells of no row that is left, and is stored after it.
    "session-revoked": 1,
    "sign-in": 3,
    "sign-out": 1,
    "sign-up": 3,
    "user-deleted": 1,
    "user-disabled": 1,
    "user-enabled": 1,
  });
});

Deno.test("members that the application's own code adds, changes and removes are events, stored with their change", async () => {
  using file = new DatabaseSync(":memory:");
  const all = destination("all", { events: MEMBER_EVENTS });
  const real = sqlite(file);
  await real.migrate!();
  const database: SqlDatabase = {
    prepare(text) {
      // What stores an event by itself, and not with its change.
      if (/^INSERT INTO auth_outbox .* VALUES/.test(text)) throw new Error("the process has ended");
      return real.prepare(text);
    },
    batch: (statements) => real.batch(statements),
  };
  // Every look at the clock tells another time, as on a slow machine.
  let time = NOW;
  const auth = createAuth({
    database,
    now: () => time++,
    tenancy: defineTenancy({ strategy: "path" }),
    providers: [outbox({ destinations: [all.one] })],
    logger: { info() {}, warn() {}, error() {} },
  });
  const tenant = await createSqlTenantStorage(real).create({ slug: "acme", name: "Acme" });
  const request = new Request("http://localhost/t/acme/", { method: "POST" });
  await auth.run(request, {}, {}, async () => {
    await createUser({ id: "ada" });
    assert.equal(await addMember("ada", { roles: ["editor"] }), true);
    assert.equal(await addMember("ada"), false);
    assert.equal(await setMemberRoles("ada", ["owner"]), true);
    assert.equal(await setMemberRoles("eve", ["owner"]), false);
    assert.equal(await removeMember("ada"), true);
    assert.equal(await removeMember("ada"), false);
    return new Response();
  });
  await auth.deliver({});
  const who = { userId: "ada", tenantId: tenant.id };
  const arrived = all.arrived.map(({ type, data: { requestId: _id, ...data } }) => ({
    type,
    ...data,
  }));
  assert.deepEqual(arrived.toSorted((a, b) => a.type < b.type ? -1 : 1), [
    { type: "member-added", ...who },
    { type: "member-removed", ...who },
    { type: "member-roles-changed", ...who, roles: ["owner"], before: ["editor"] },
  ]);
});

Deno.test("with rows of the application's own the event is in the same transaction", async () => {
  const all = destination("all");
  using app = open({ destinations: [all.one] });
  await app.auth.migrate();
  app.file.exec("CREATE TABLE notes (text TEXT UNIQUE)");
  const database = sqlite(app.file);
  const note = () => transaction([database.prepare("INSERT INTO notes VALUES ('once')")]);
  await app.run(async () => {
    await createUser({ id: "ada" }, { within: note() });
    await assert.rejects(createUser({ id: "eve" }, { within: note() }));
  });
  await app.auth.deliver({});
  assert.deepEqual(all.arrived.map(({ data }) => data.userId), ["ada"]);
});

Deno.test("no event has a password, a token, a code, a mailbox or the address of a client, whatever a destination names", async () => {
  using file = new DatabaseSync(":memory:");
  const all = destination("all", { events: EVENT_TYPES });
  const mails: string[] = [];
  const auth = createAuth({
    database: sqlite(file),
    secret: "a secret of at least thirty-two bytes",
    providers: [
      outbox({ destinations: [all.one] }),
      apiKeys({ prefix: "acme" }),
      passwords({ sendMail: ({ url }) => void mails.push(url) }),
    ],
    logger: { info() {}, warn() {}, error() {} },
  });
  await auth.migrate();
  const secrets = ["ada@example.com", "eve@example.com", "203.0.113.7"];
  let cookie = "";
  async function ask(path: string, fields: Record<string, string>): Promise<number> {
    const background: Promise<unknown>[] = [];
    const headers = { accept: "application/json", "content-type": "application/json", cookie };
    const request = new Request(`http://localhost/auth/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(fields),
    });
    const waitUntil = (work: Promise<unknown>) => void background.push(work);
    const response = await auth.handle(request, {}, { clientAddress: "203.0.113.7", waitUntil });
    await Promise.all(background);
    const set = response!.headers.getSetCookie().find((line) => line.includes("session-token"));
    cookie = set?.split(";")[0] ?? cookie;
    secrets.push(cookie.split("=")[1] ?? "", fields.password ?? "");
    return response!.status;
  }
  async function mailed(path: string, fields: Record<string, string>): Promise<string> {
    assert.equal(await ask(path, fields), 200, path);
    const token = new URL(mails.at(-1)!).searchParams.get("token")!;
    secrets.push(token);
    return token;
  }
  const [first, second] = ["a-rarely-used-Passw0rd-of-mine", "another-rarely-used-Passw0rd"];
  const email = "ada@example.com";
  const proof = await mailed("signup", { email, password: first! });
  assert.equal(await ask("signup/confirm", { token: proof, password: first! }), 200);
  assert.equal(await ask("signin/passwords", { email, password: "a-wrong-one-of-mine" }), 401);
  const reset = await mailed("forgot", { email });
  assert.equal(await ask("reset", { token: reset, password: second! }), 200);
  assert.equal(await ask("signin/passwords", { email, password: second! }), 200);
  const request = new Request("http://localhost/", { method: "POST", headers: { cookie } });
  await auth.run(request, {}, { clientAddress: "203.0.113.7" }, async () => {
    const { id, key } = await createApiKey({ name: "CI of ada@example.com" });
    secrets.push(key);
    const rotated = await rotateApiKey(id);
    secrets.push(rotated!.key);
    const eve = await createUser({ email: "eve@example.com", name: "Eve" });
    await deleteUser(eve.id);
    return new Response();
  });
  await auth.deliver({});
  const types = new Set(all.arrived.map(({ type }) => type));
  for (
    const type of ["sign-up", "sign-in", "sign-in-failed", "password-changed", "api-key-rotated"]
  ) assert.ok(types.has(type), type);
  const text = JSON.stringify(all.arrived);
  const known = secrets.filter((one) => one !== "");
  assert.ok(known.length >= 10);
  for (const one of known) assert.ok(!text.includes(one), `${one} in ${text}`);
});

Deno.test("strangers make no events unless a destination names their types", async () => {
  for (const [events, expected] of [[undefined, 0], [["origin-refused"], 1]] as const) {
    const all = destination("all", { events });
    using app = open({ destinations: [all.one] });
    await app.auth.migrate();
    const headers = { origin: "https://evil.example" };
    const request = new Request("http://localhost/auth/signout", { method: "POST", headers });
    const background: Promise<unknown>[] = [];
    const waitUntil = (work: Promise<unknown>) => void background.push(work);
    assert.equal((await app.auth.handle(request, {}, { waitUntil }))!.status, 403);
    await Promise.all(background);
    assert.equal((await app.auth.deliver({})).delivered, expected);
  }
});

Deno.test("the storage in memory delivers too, and an application without an outbox says what is missing", async () => {
  const all = destination("all");
  using app = open({ destinations: [all.one] }, { database: createMemoryStorage() });
  await app.run(() => createUser({ id: "ada" }));
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, delivered: 1 });
  const without = createAuth({
    database: createMemoryStorage(),
    providers: [passwords({ sendMail() {} })],
  });
  await assert.rejects(without.deliver({}), { code: "CONFIGURATION", message: /outbox\(\)/ });
  const request = new Request("http://localhost/");
  await without.run(request, {}, {}, async () => {
    for (const operation of [deadLetters, () => sendAgain({ id: "a", destination: "b" })]) {
      await assert.rejects(operation(), { code: "CONFIGURATION" });
    }
    return new Response();
  });
});

Deno.test("wrong options of outbox() say what to write", () => {
  const { one } = destination("crm");
  const wrong: unknown[] = [
    undefined,
    {},
    { destinations: one },
    { destinations: [{ ...one, id: "" }] },
    { destinations: [{ ...one, id: "a b" }] },
    { destinations: [{ ...one, deliver: "https://example.com" }] },
    { destinations: [{ ...one, events: "sign-up" }] },
    { destinations: [{ ...one, events: ["*"] }] },
    { destinations: [{ ...one, events: ["sign-up", undefined] }] },
    { destinations: [one, one] },
    { destinations: [one], include: ["email"] },
    { destinations: [one], keep: 0 },
    { destinations: [one], keep: 4 },
    { destinations: [one], retries: 3 },
  ];
  for (const options of wrong) {
    assert.throws(() => outbox(options as OutboxOptions), { code: "CONFIGURATION" });
  }
  // Else it would never come, and nobody would miss it.
  const misspelled = { ...one, events: ["sign-in", "signup"] } as unknown as Destination;
  assert.throws(() => outbox({ destinations: [misspelled] }), {
    code: "CONFIGURATION",
    field: "destinations[0].events[1]",
    message:
      /^There are no events "signup", in "destinations\[0\]\.events\[1\]"\. Did you mean "sign-up"\? /,
  });
  assert.throws(
    () =>
      createAuth({
        session: { strategy: jwtSessions },
        secret: "x".repeat(32),
        providers: [outbox({ destinations: [one] })],
      }),
    { code: "CONFIGURATION", message: /which outbox\(\) needs/ },
  );
});

Deno.test("a page of dead letters goes on where the one before has ended", async () => {
  const all = destination("all");
  using app = open({ destinations: [all.one] });
  await app.auth.migrate();
  await app.run(async () => {
    for (let n = 0; n < 5; n++) await createUser({ id: `user-${n}` });
  });
  for (let n = 0; n < 5; n++) all.failures.push(new DeliveryError("DELIVERY_GONE"));
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, dead: 5 });
  await app.run(async () => {
    const ids: string[] = [];
    let after: string | null = null;
    do {
      const page = await deadLetters({ limit: 2, after });
      ids.push(...page.letters.map(({ id }) => id));
      after = page.after;
    } while (after !== null);
    assert.equal(new Set(ids).size, 5);
    assert.deepEqual(ids, ids.toSorted());
    assert.deepEqual((await deadLetters({ destination: "crm" })).letters, []);
    assert.equal((await deadLetters({ destination: "all" })).letters.length, 5);
    for (const options of [{ limit: 0 }, { limit: 501 }, { after: "x" }, { after: "a b" }]) {
      await assert.rejects(deadLetters(options), { code: "BAD_REQUEST" });
    }
  });
});
