import assert from "node:assert/strict";
import { reportChange } from "../core/report.ts";
import { currentRequest } from "../core/request.ts";
import { createUser } from "../session/users.ts";
import { deadLetters, sendAgain } from "./dead_letters.ts";
import { pauseAfter } from "./deliver.ts";
import { DeliveryError } from "./errors.ts";
import type { Destination } from "./message.ts";
import { addTenantWebhook, removeTenantWebhook, tenantWebhooks } from "./tenant_webhooks.ts";
import { DAY, destination, NONE, NOW, open } from "../tests/outbox_application.ts";

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

Deno.test("a team sees and sends again the letters of its own addresses, and of nobody else", async () => {
  let status = 410;
  const crm = destination("crm", { events: ["member-added"] });
  using app = open({
    destinations: [crm.one],
    tenants: tenantWebhooks({ fetch: () => Promise.resolve(new Response(null, { status })) }),
  });
  await app.auth.migrate();
  const add = (team: string) =>
    app.run(async () => void await addTenantWebhook(team, { url: `https://${team}.example/` }));
  for (const team of ["a", "a", "b"]) await add(team);
  for (const tenantId of ["a", "b", "a"]) {
    await app.run(() =>
      reportChange(currentRequest("test"), {
        events: [{ type: "member-added", userId: "ada", tenantId }],
        happened: () => true,
      }, () => Promise.resolve())
    );
    app.clock.now++;
  }
  for (let n = 0; n < 3; n++) crm.failures.push(new DeliveryError("DELIVERY_GONE"));
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, dead: 8 });
  status = 204;
  await app.run(async () => {
    assert.equal((await deadLetters()).letters.length, 8);
    const all: string[] = [];
    let after: string | null = null;
    do {
      const page = await deadLetters({ tenantId: "a", after, limit: 1 });
      all.push(...page.letters.map(({ id, destination }) => `${id} ${destination}`));
      assert.equal(page.letters[0]!.data.tenantId, "a");
      assert.equal(page.letters[0]!.failure, "a.example answered with status 410");
      after = page.after;
    } while (after !== null);
    assert.equal(all.length, 4);
    assert.deepEqual(all, [...new Set(all)].sort());

    const [own] = (await deadLetters({ tenantId: "a" })).letters;
    const [other] = (await deadLetters({ tenantId: "b" })).letters;
    const { destination: id } = own!;
    assert.equal((await deadLetters({ tenantId: "a", destination: id })).letters.length, 2);
    // Not those of the application, though they tell of the team.
    for (const destination of [other!.destination, "crm"]) {
      assert.deepEqual((await deadLetters({ tenantId: "a", destination })).letters, []);
      assert.equal(await sendAgain({ id: own!.id, destination }, { tenantId: "a" }), false);
    }
    assert.equal(await sendAgain(other!, { tenantId: "a" }), false);
    // An id that is missing by mistake is that of no team.
    for (const tenantId of [undefined, null, "", "c", "a\0", 7, {}] as string[]) {
      assert.deepEqual((await deadLetters({ tenantId })).letters, [], String(tenantId));
      assert.equal(await sendAgain(own!, { tenantId }), false, String(tenantId));
    }
    assert.equal(await sendAgain(own!, { tenantId: "a" }), true);
    // What is removed takes its letters with it, also from one who has the id of the team later.
    assert.equal(await removeTenantWebhook("b", other!.destination.slice("tenant:".length)), true);
    assert.deepEqual((await deadLetters({ tenantId: "b" })).letters, []);
  });
  assert.deepEqual(await app.auth.deliver({}), { ...NONE, delivered: 1 });

  using without = open({ destinations: [] });
  await without.auth.migrate();
  await without.run(async () => {
    await assert.rejects(deadLetters({ tenantId: "a" }), { code: "CONFIGURATION" });
  });
});
