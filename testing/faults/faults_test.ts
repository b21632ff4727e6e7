import assert from "node:assert/strict";
import { createFaults } from "./faults.ts";

const faultsOf = (...names: string[]) =>
  createFaults({
    stores: names.map((name) => ({ name, mayBeStale: false })),
    copy: () => ({}),
    nothing: "there is none",
  });

const exchange = (run: () => Promise<string>) => ({
  binding: "DB",
  operation: "run",
  detail: () => "",
  isCall: false,
  mayBeStale: false,
  error: () => new Error("lost"),
  run,
});

Deno.test("createFaults() begins what is slow only after its delay", async () => {
  const control = faultsOf("DB");
  const faults = control.begin({ storage: "slow", delay: 1 });
  let runs = 0;
  const answer = control.exchange(exchange(() => Promise.resolve(`run ${++runs}`)), null);
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  assert.equal(runs, 0);
  assert.equal(await answer, "run 1");
  assert.equal(faults.count, 1);
});

Deno.test("createFaults() has the newest fault come first, and counts each by itself", async () => {
  const control = faultsOf("DB");
  const ask = () =>
    control.exchange(exchange(() => Promise.resolve("done")), null).catch(() => "lost");
  const older = control.begin({ storage: "down" });
  const newer = control.begin({ storage: { DB: "slow" }, delay: 0, after: 1, times: 2 });
  assert.deepEqual([await ask(), await ask(), await ask(), await ask()], [
    "lost",
    "done",
    "done",
    "lost",
  ]);
  assert.deepEqual([older.count, newer.count], [2, 2]);
  older.heal();
  older.heal();
  assert.equal(await ask(), "done");
});

Deno.test("createFaults() adds up the skews of the clock", () => {
  const control = faultsOf();
  assert.equal(control.skew(), 0);
  const ahead = control.begin({ clockSkew: 5000 });
  using _ = control.begin({ clockSkew: -1000 });
  assert.equal(control.skew(), 4000);
  ahead.heal();
  assert.equal(control.skew(), -1000);
});

Deno.test("createFaults() knows the errors that it has caused, also behind others", async () => {
  const control = faultsOf("DB");
  control.begin({ storage: "down", network: "down" });
  const ofStorage = await control.exchange(exchange(() => Promise.resolve("")), null)
    .catch((error: unknown) => error);
  const ofNetwork = await control.call(() => Promise.resolve(new Response()))
    .catch((error: unknown) => error);
  for (const error of [ofStorage, ofNetwork, new Error("behind", { cause: ofStorage })]) {
    assert.equal(control.isCause(error), true);
  }
  assert.equal(control.isCause(new Error("lost")), false);
  assert.equal(control.isCause("lost"), false);
});
