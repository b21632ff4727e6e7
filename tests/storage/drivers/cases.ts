import type { SchemaStep, SqlDatabase } from "@framework/auth/storage";
import { equal } from "node:assert/strict";
import process from "node:process";
import { type AskedSuite, refusesBare, SUITES } from "../../../auth/tests/handle_cases.ts";
import { POSTGRES_VERSION_1, SQLITE_VERSION_1 } from "../../../auth/tests/schema_version_1.ts";
import { EMPTY_POSTGRES } from "../../support/empty_postgres.ts";

/** A database that nobody else uses, with the tables that were asked for. */
export interface Opened {
  database: SqlDatabase;
  /** A second connection to it, for drivers that have one each. Default: none. */
  rival?: SqlDatabase;
  /** The driver's own handle. */
  handle: unknown;
  close(): unknown;
}

/** A kind of database under test. */
export interface Kind {
  /** What the message about a handle as it is calls it, and the function that takes it. */
  bare: Parameters<typeof refusesBare>[1];
  /** Tables of today, with their steps. */
  schema: { up: string; steps: readonly SchemaStep[] };
  /**
   * Opens an empty database.
   *
   * @param tables Statements that make its tables.
   * @param file Path of a file that nobody has used; for SQLite it is in memory without one.
   */
  open(tables: string, file?: string): Promise<Opened>;
}

/** What became of the cases of a suite. */
export interface Outcome {
  passed: number;
  failures: string[];
}

/** A commit is on the disk before it is acknowledged: some drivers leave it to chance. */
export async function writesThrough(database: SqlDatabase): Promise<void> {
  const row = await database.prepare("PRAGMA synchronous").first<{ synchronous: number }>();
  equal(row?.synchronous, 2);
}

/** Makes a PostgreSQL hold the tables that are asked for, empty, and nothing else. */
export function postgresTables(
  run: (sql: string) => Promise<unknown>,
): (tables: string) => Promise<void> {
  let current = "";
  return async (tables) => {
    if (tables === current) return void await run(EMPTY_POSTGRES);
    await run("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    await run(tables);
    // Those of version 1 are brought up to date by each case.
    current = tables === POSTGRES_VERSION_1 ? "" : tables;
  };
}

/** Runs every case of the suites on a database of its own. */
export async function runSuites(
  suites: readonly AskedSuite[],
  { bare, schema, open }: Kind,
): Promise<Record<string, Outcome>> {
  const outcomes: Record<string, Outcome> = {};
  const old = bare.call === "sqlite" ? SQLITE_VERSION_1 : POSTGRES_VERSION_1;
  for (const suite of suites) {
    const outcome: Outcome = outcomes[suite] = { passed: 0, failures: [] };
    for (const [index, [name, run]] of Object.entries(SUITES[suite]).entries()) {
      const tables = suite === "migration" ? old : schema.up;
      // Only connections of one file can be rivals, and their commits wait for the disk.
      const isFile = suite === "races" && process.env.TEST_MATRIX === "true";
      const file = isFile ? `${process.argv[2]}/${index}.db` : undefined;
      const { handle, close, ...opened } = await open(tables, file);
      try {
        refusesBare(handle, bare);
        if (bare.call === "sqlite") await writesThrough(opened.database);
        await run({ ...opened, steps: schema.steps });
        outcome.passed++;
      } catch (error) {
        outcome.failures.push(`${name}: ${(error as Error).stack}`);
      } finally {
        await close();
      }
    }
  }
  return outcomes;
}

/** As a program: the suites are its third argument, and what became of them is what it prints. */
export async function runCases(kind: Kind): Promise<void> {
  const suites = process.argv[4]!.split(",") as AskedSuite[];
  process.stdout.write(JSON.stringify(await runSuites(suites, kind)));
}
