import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { CliError } from "../terminal/exit.ts";
import { applyMigrations, lastApplied, revertMigrations } from "./apply.ts";
import { readLedger } from "./ledger.ts";

const table = "d1_migrations";
const ups = [
  { name: "1_a.sql", sql: "CREATE TABLE a (x);" },
  { name: "2_b.sql", sql: "CREATE TABLE b (x);" },
];
const downs = [
  { name: "2_b.sql", sql: "DROP TABLE b;" },
  { name: "1_a.sql", sql: "DROP TABLE a;" },
];

async function withApplied(test: (database: DatabaseSync) => Promise<void>): Promise<void> {
  const database = new DatabaseSync(":memory:");
  try {
    await applyMigrations(database, ups, {
      table,
      signal: new AbortController().signal,
      onApplied() {},
      onOutOfOrder() {},
    });
    await test(database);
  } finally {
    database.close();
  }
}

async function revert(
  database: DatabaseSync,
  files: { name: string; sql: string }[],
  signal: AbortSignal = new AbortController().signal,
): Promise<string[]> {
  const reverted: string[] = [];
  const onReverted = (name: string): unknown => reverted.push(name);
  await revertMigrations(database, files, { table, signal, onReverted });
  return reverted;
}

function state(database: DatabaseSync): { tables: unknown[]; records: string[] } {
  const query = "SELECT name FROM sqlite_master WHERE name IN ('a', 'b') ORDER BY name";
  return {
    tables: database.prepare(query).all().map((row) => row["name"]),
    records: readLedger(database, table).map(({ name }) => name),
  };
}

Deno.test("lastApplied() names what was applied last first, whatever the numbers say", () => {
  const ledger = ["2_b.sql", "1_a.sql"].map((name) => ({ name, appliedAt: "", checksum: "" }));
  assert.deepEqual(lastApplied(ledger), ["1_a.sql", "2_b.sql"]);
  assert.deepEqual(lastApplied(ledger, 1), ["1_a.sql"]);
});

Deno.test("revertMigrations() takes back tables and records, and up can follow", () =>
  withApplied(async (database) => {
    assert.deepEqual(await revert(database, downs), ["2_b.sql", "1_a.sql"]);
    assert.deepEqual(state(database), { tables: [], records: [] });
    assert.equal(
      database.prepare("SELECT count(*) AS n FROM framework_migrations").get()?.["n"],
      0,
    );
  }));

// Tracks: F40
Deno.test("revertMigrations() leaves a file that fails as it was, with place and statement", () =>
  withApplied(async (database) => {
    const files = [downs[0]!, { name: "1_a.sql", sql: "DROP TABLE a;\nDROP TABLE nowhere;" }];
    await assert.rejects(
      revert(database, files),
      (error) =>
        error instanceof CliError &&
        error.message ===
          "down/1_a.sql:2: no such table: nowhere (statement 2 of 2)\n  2 | DROP TABLE nowhere;",
    );
    assert.deepEqual(state(database), { tables: ["a"], records: ["1_a.sql"] });
  }));

// Tracks: F40
Deno.test("revertMigrations() stops between files when interrupted", () =>
  withApplied(async (database) => {
    const interruption = new AbortController();
    interruption.abort();
    assert.deepEqual(await revert(database, downs, interruption.signal), ["2_b.sql"]);
    assert.deepEqual(state(database), { tables: ["a"], records: ["1_a.sql"] });
  }));

Deno.test("revertMigrations() takes back nothing that another process has taken back or built upon", () =>
  withApplied(async (database) => {
    await assert.rejects(revert(database, [downs[1]!]), {
      message: "2_b.sql was applied meanwhile, after 1_a.sql.",
    });
    assert.deepEqual(await revert(database, [downs[0]!]), ["2_b.sql"]);
    assert.deepEqual(await revert(database, [downs[0]!]), []);
    assert.deepEqual(state(database), { tables: ["a"], records: ["1_a.sql"] });
  }));
