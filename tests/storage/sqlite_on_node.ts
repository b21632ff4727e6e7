import { createSqliteDatabase } from "@framework/auth/storage-sqlite";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { SUITES } from "../../auth/tests/conformance_worker.ts";

// A program for Node: runs every case of the SQL storages on a database of its own, and prints what failed.

const failures: string[] = [];
let passed = 0;
for (const cases of [SUITES.storage, SUITES.tenants]) {
  for (const [name, run] of Object.entries(cases)) {
    const file = new DatabaseSync(":memory:");
    try {
      await run(createSqliteDatabase(file) as Parameters<typeof run>[0]);
      passed++;
    } catch (error) {
      failures.push(`${name}: ${(error as Error).stack}`);
    } finally {
      file.close();
    }
  }
}
process.stdout.write(JSON.stringify({ passed, failures }));
