import { sqlite, type SqliteDatabase } from "@framework/auth/sqlite";
import { createRequire } from "node:module";
import process from "node:process";
import { refusesBare } from "../../auth/tests/handle_cases.ts";
import { writesThrough } from "./drivers/cases.ts";
import { SUITES } from "../../auth/tests/conformance_worker.ts";

// A program for Node: runs every case of the SQL storages on a database of its own, and prints what failed. The
// argument is a folder that has better-sqlite3; without one it is node:sqlite, which Node 20 does not have.

type Driver = new (file: string) => SqliteDatabase & { close(): void };

const [folder] = process.argv.slice(2);
const Database: Driver = folder === undefined
  ? (await import("node:sqlite")).DatabaseSync
  : createRequire(`${folder}/`)("better-sqlite3");

const failures: string[] = [];
let passed = 0;
for (const cases of [SUITES.storage, SUITES.tenants]) {
  for (const [name, run] of Object.entries(cases)) {
    const file = new Database(":memory:");
    try {
      refusesBare(file, { found: Database.name, call: "sqlite" });
      const database = sqlite(file);
      await run(database as Parameters<typeof run>[0]);
      await writesThrough(database);
      passed++;
    } catch (error) {
      failures.push(`${name}: ${(error as Error).stack}`);
    } finally {
      file.close();
    }
  }
}
process.stdout.write(JSON.stringify({ passed, failures }));
