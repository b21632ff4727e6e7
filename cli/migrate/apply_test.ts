import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { CliError } from "../terminal/exit.ts";
import { applyMigrations } from "./apply.ts";
import { readLedger } from "./ledger.ts";
import type { Migration } from "./files.ts";

async function withDatabase(test: (database: DatabaseSync) => Promise<void>): Promise<void> {
  const database = new DatabaseSync(":memory:");
  try {
    await test(database);
  } finally {
    database.close();
  }
}

async function apply(database: DatabaseSync, migrations: Migration[], signal?: AbortSignal) {
  const applied: string[] = [];
  const early: string[] = [];
  const count = await applyMigrations(database, migrations, {
    table: "d1_migrations",
    signal: signal ?? new AbortController().signal,
    onApplied: (name) => applied.push(name),
    onOutOfOrder: (names) => early.push(...names),
  });
  assert.equal(count, applied.length);
  return { applied, early };
}

function tables(database: DatabaseSync): unknown[] {
  const query =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB '[a-c]' ORDER BY 1";
  return database.prepare(query).all().map((row) => row["name"]);
}

const first = { name: "1_a.sql", sql: "CREATE TABLE a (x);" };
const second = { name: "2_b.sql", sql: "CREATE TABLE b (x);\nINSERT INTO b VALUES (1);" };

Deno.test("applyMigrations() applies each file once", () =>
  withDatabase(async (database) => {
    assert.deepEqual((await apply(database, [first, second])).applied, ["1_a.sql", "2_b.sql"]);
    assert.deepEqual((await apply(database, [first, second])).applied, []);
    assert.deepEqual(tables(database), ["a", "b"]);
  }));

// Tracks: SP-W6
Deno.test("applyMigrations() applies nothing while one of the files to apply holds no statement", () =>
  withDatabase(async (database) => {
    const empty = { name: "2.sql", sql: "-- nothing yet\n" };
    await assert.rejects(apply(database, [first, empty]), {
      message: "2.sql contains no statement, so nothing was applied.",
    });
    assert.deepEqual(tables(database), []);
    const { applied } = await apply(database, [first, { ...empty, sql: "SELECT 1;" }]);
    assert.deepEqual(applied, ["1_a.sql", "2.sql"]);
  }));

// Tracks: F39
Deno.test("applyMigrations() takes a failed file back whole and names file, line and statement", () =>
  withDatabase(async (database) => {
    const bad = {
      name: "2_b.sql",
      sql: "CREATE TABLE b (x);\n\nINSERT INTO\n  nowhere VALUES (1);\n",
    };
    await assert.rejects(
      apply(database, [first, bad, { name: "3_c.sql", sql: "CREATE TABLE c (x);" }]),
      (error) =>
        error instanceof CliError && error.exitCode === 1 &&
        error.message === "2_b.sql:3: no such table: nowhere (statement 2 of 2)\n" +
            "  3 | INSERT INTO\n  4 |   nowhere VALUES (1);",
    );
    assert.deepEqual(tables(database), ["a"]);
    assert.deepEqual(readLedger(database, "d1_migrations").map(({ name }) => name), ["1_a.sql"]);
    assert.deepEqual((await apply(database, [first, second])).applied, ["2_b.sql"]);
  }));

Deno.test("applyMigrations() takes a file back when only the commit fails", () =>
  withDatabase(async (database) => {
    const sql = `PRAGMA defer_foreign_keys = ON; CREATE TABLE a (x INTEGER PRIMARY KEY);
      CREATE TABLE b (x REFERENCES a (x)); INSERT INTO b VALUES (7);`;
    await assert.rejects(
      apply(database, [{ name: "1.sql", sql }]),
      (error) => error instanceof CliError && /FOREIGN KEY constraint failed/.test(error.message),
    );
    assert.deepEqual(tables(database), []);
    assert.deepEqual(readLedger(database, "d1_migrations"), []);
  }));

Deno.test("applyMigrations() checks every file before it touches the database", () =>
  withDatabase(async (database) => {
    const bad = { name: "2_b.sql", sql: "CREATE TABLE b (x);\nCOMMIT;" };
    await assert.rejects(apply(database, [first, bad]), {
      message: "2_b.sql:2: COMMIT is not allowed in a migration.",
    });
    assert.deepEqual(tables(database), []);
  }));

// Tracks: F39
Deno.test("applyMigrations() stops at a changed or missing file", () =>
  withDatabase(async (database) => {
    await apply(database, [first]);
    await assert.rejects(apply(database, [{ ...first, sql: "CREATE TABLE a (y);" }, second]), {
      message: "1_a.sql was changed after it was applied.",
    });
    await assert.rejects(apply(database, [second]), {
      message: "1_a.sql has been applied, but its file is missing.",
    });
    assert.deepEqual(tables(database), ["a"]);
  }));

// Tracks: F39
Deno.test("applyMigrations() applies a file that comes late and says so once", () =>
  withDatabase(async (database) => {
    await apply(database, [{ name: "3_c.sql", sql: "CREATE TABLE c (x);" }]);
    const files = [first, second, { name: "3_c.sql", sql: "CREATE TABLE c (x);" }];
    const { applied, early } = await apply(database, files);
    assert.deepEqual(applied, ["1_a.sql", "2_b.sql"]);
    assert.deepEqual(early, ["1_a.sql", "2_b.sql"]);
  }));

Deno.test("applyMigrations() notices later changes of what wrangler applied", () =>
  withDatabase(async (database) => {
    await apply(database, []);
    database.exec("CREATE TABLE a (x); INSERT INTO d1_migrations (name) VALUES ('1_a.sql')");
    assert.deepEqual((await apply(database, [first])).applied, []);
    await assert.rejects(apply(database, [{ ...first, sql: "CREATE TABLE a (y);" }]), {
      message: "1_a.sql was changed after it was applied.",
    });
  }));

Deno.test("applyMigrations() stops between files when interrupted", () =>
  withDatabase(async (database) => {
    const interruption = new AbortController();
    interruption.abort();
    const { applied } = await apply(database, [first, second], interruption.signal);
    assert.deepEqual(applied, ["1_a.sql"]);
    assert.deepEqual(tables(database), ["a"]);
  }));
