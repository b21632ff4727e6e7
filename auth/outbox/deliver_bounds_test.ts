import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createAuth } from "../app/create_auth.ts";
import type { DeliverOptions } from "../core/contracts.ts";
import { createUser } from "../session/users.ts";
import type { SqlDatabase, SqlStatement } from "../storage/sql_database.ts";
import { sqlite } from "../storage/sqlite.ts";
import { DeliveryError } from "./errors.ts";
import type { Destination } from "./message.ts";
import { outbox } from "./outbox.ts";
import { asWorker } from "../tests/as_worker.ts";
import { destination, NONE, NOW, open } from "../tests/outbox_application.ts";

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

// D1 ends a call of a worker that asks once more with an error, after the delivery and before it is noted.
Deno.test("a call in a worker asks the database fewer than 1,000 times, however much waits, and says that more does", async () => {
  const all = destination("all");
  const file = new DatabaseSync(":memory:");
  const { database, asked } = counted(file);
  const auth = createAuth({
    database,
    now: () => NOW,
    providers: [outbox({ destinations: [all.one] })],
  });
  await sqlite(file).migrate!();
  const insert = file.prepare(
    "INSERT INTO auth_outbox (id, destination, type, text, at, due_at) VALUES (?, 'all', 'sign-up', '{}', 0, 0)",
  );
  for (let n = 0; n < 1200; n++) insert.run(`evt_${n}`);
  const before = asked();
  const outcome = await asWorker(() => auth.deliver({}));
  assert.ok(asked() - before < 1000, `${asked() - before}`);
  // One that fails, or is shared out, asks up to three times.
  assert.ok(outcome.delivered * 3 < 1000 && outcome.delivered > 200, `${outcome.delivered}`);
  assert.equal(outcome.more, true);
  // Elsewhere nobody counts, and a call does more.
  const rest = { ...NONE, delivered: 1200 - outcome.delivered };
  assert.deepEqual(await auth.deliver({}), rest);
  file.close();
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
