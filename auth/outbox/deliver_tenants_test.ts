import assert from "node:assert/strict";
import { reportChange } from "../core/report.ts";
import { currentRequest } from "../core/request.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { NONE, open } from "../tests/outbox_application.ts";
import { DeliveryError } from "./errors.ts";
import {
  addTenantWebhook,
  listTenantWebhooks,
  removeTenantWebhook,
  type TenantWebhook,
  tenantWebhooks,
} from "./tenant_webhooks.ts";

/** Ten addresses of each team whose name begins with "slow" take no event in time. Others' take them at once. */
function openTeams(rest: Parameters<typeof open>[1] = {}) {
  const asked: string[] = [];
  const app = open({
    destinations: [],
    tenants: tenantWebhooks({
      fetch(url) {
        const [team] = new URL(String(url)).host.split(".") as [string];
        asked.push(team);
        return team.startsWith("slow")
          ? Promise.reject(new DeliveryError("DELIVERY_TIMEOUT"))
          : Promise.resolve(new Response(null, { status: 204 }));
      },
    }),
  }, rest);

  /** Removes the addresses of a team, and sets as many new ones. */
  const setAnew = (team: string, count: number) =>
    app.run(async () => {
      for (const { id } of await listTenantWebhooks(team)) await removeTenantWebhook(team, id);
      for (let n = 0; n < count; n++) {
        await addTenantWebhook(team, { url: `https://${team}.example/${n}` });
      }
    });
  const change = (team: string) =>
    app.run(() =>
      reportChange(currentRequest("test"), {
        events: [{ type: "member-added", userId: "ada", tenantId: team }],
        happened: () => true,
      }, () => Promise.resolve())
    );
  return { ...app, asked, setAnew, change };
}

for (
  const [storage, rest] of [["SQLite", {}], ["memory", {
    database: createMemoryStorage(),
  }]] as const
) {
  Deno.test(`a team that hangs keeps no other waiting, whatever addresses it sets anew, ${storage}`, async () => {
    using app = openTeams(rest);
    const { auth, asked, clock, setAnew, change } = app;
    if (storage === "SQLite") await auth.migrate();
    await setAnew("quick", 1);
    const slow = ["slow-1", "slow-2", "slow-3", "slow-4", "slow-5"];
    for (let round = 0; round < 3; round++) {
      for (const team of slow) {
        await setAnew(team, 10);
        clock.now++;
        for (let n = 0; n < 2; n++) await change(team);
      }
      clock.now++;
      await change("quick");
      asked.length = 0;
      const { delivered, failed } = await auth.deliver({});
      assert.equal(delivered, 1);
      // It has its turn in the first round of tries. In later ones the slow teams are known, by whatever addresses.
      assert.ok(asked.indexOf("quick") <= slow.length, asked.join(" "));
      assert.equal(failed, round === 0 ? 20 - 1 : 0);
      clock.now += 10_000;
    }
    // They are asked again after a while.
    clock.now += 45_000;
    assert.ok((await auth.deliver({})).failed > 0);
  });
}

Deno.test("a team with ever so many events that are due has a hundred, and then comes whoever waits behind them", async () => {
  using app = openTeams();
  const { auth, file, asked, clock, run, setAnew, change } = app;
  await auth.migrate();
  for (const team of ["many", "few"]) await setAnew(team, 1);
  await run(async () => {
    const [{ id }] = await listTenantWebhooks("many") as [TenantWebhook];
    const insert = file.prepare(
      "INSERT INTO auth_outbox (id, destination, type, text, at, due_at) VALUES (?, ?, 'member-added', '{}', 0, 0)",
    );
    for (let n = 0; n < 1200; n++) insert.run(`evt_${n}`, `tenant:${id}`);
  });
  clock.now++;
  await change("few");
  const { more } = await auth.deliver({});
  assert.equal(asked.indexOf("few"), 100);
  // Alone again, it has all the rest of the call.
  assert.ok(more && asked.length > 900, `${asked.length}`);
});

Deno.test("a team alone has all of a round, and those who come later their turn before the rest of it", async () => {
  using app = openTeams();
  const { auth, asked, clock, setAnew, change } = app;
  await auth.migrate();
  for (const team of ["many", "few"]) await setAnew(team, team === "many" ? 10 : 1);
  for (let n = 0; n < 4; n++) {
    clock.now++;
    await change("many");
  }
  clock.now++;
  await change("few");
  // Five are shared out, and eleven delivered, and so on: a look is a step, too.
  await auth.deliver({}, { limit: 6 });
  assert.deepEqual(await auth.deliver({}, { limit: 11 }), { ...NONE, delivered: 11, more: true });
  assert.equal(asked.indexOf("few"), 1);
  assert.equal((await auth.deliver({})).delivered, 30);
});
