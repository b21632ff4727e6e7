import assert from "node:assert/strict";
import { CliError } from "../terminal/exit.ts";
import { checksumOf, type LedgerEntry } from "./ledger.ts";
import { outOfOrder, planMigrations, refuseDrift } from "./plan.ts";

function file(name: string, sql = name) {
  return { name, sql };
}
function applied(name: string, checksum: string | undefined = checksumOf(name)): LedgerEntry {
  return { name, appliedAt: "2026-01-01 00:00:00", checksum };
}

Deno.test("planMigrations() tells applied, pending, changed and missing apart", () => {
  const plan = planMigrations(
    [file("1_a.sql"), file("2_b.sql", "edited"), file("4_d.sql"), file("10_e.sql")],
    [applied("1_a.sql"), applied("2_b.sql"), applied("3_c.sql")],
  );
  assert.deepEqual(plan.map(({ name, state }) => `${name} ${state}`), [
    "1_a.sql applied",
    "2_b.sql changed",
    "3_c.sql missing",
    "4_d.sql pending",
    "10_e.sql pending",
  ]);
});

Deno.test("planMigrations() believes a record without checksum, which wrangler wrote", () => {
  const [entry] = planMigrations([file("1_a.sql")], [{
    name: "1_a.sql",
    appliedAt: "x",
    checksum: undefined,
  }]);
  assert.equal(entry?.state, "applied");
});

// Tracks: F39
Deno.test("refuseDrift() names the changed and the missing file", () => {
  assert.throws(
    () => refuseDrift(planMigrations([file("1_a.sql", "edited")], [applied("1_a.sql")]), "local"),
    (error) => error instanceof CliError && /^1_a\.sql was changed/.test(error.message),
  );
  assert.throws(
    () => refuseDrift(planMigrations([], [applied("1_a.sql")]), "local"),
    (error) =>
      error instanceof CliError && /^1_a\.sql has been applied, but .* missing/.test(error.message),
  );
  refuseDrift(planMigrations([file("1_a.sql"), file("2_b.sql")], [applied("1_a.sql")]), "local");
});

// Tracks: F39
Deno.test("outOfOrder() finds pending files before an applied one", () => {
  const files = [file("1_a.sql"), file("2_b.sql"), file("3_c.sql"), file("4_d.sql")];
  assert.deepEqual(outOfOrder(planMigrations(files, [applied("3_c.sql")])), ["1_a.sql", "2_b.sql"]);
  assert.deepEqual(outOfOrder(planMigrations(files, [applied("1_a.sql")])), []);
  assert.deepEqual(outOfOrder(planMigrations(files, [])), []);
});
