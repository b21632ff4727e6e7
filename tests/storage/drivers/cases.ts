import type { SqlDatabase } from "@framework/auth/storage";
import process from "node:process";
import { ALL_CASES } from "../../../auth/tests/handle_cases.ts";

/** A database that nobody else uses, with the library's tables. */
export interface Opened {
  database: SqlDatabase;
  close(): unknown;
}

/** Runs every case on a database of its own, and prints what failed. */
export async function runCases(open: (name: string) => Promise<Opened>): Promise<void> {
  const failures: string[] = [];
  let passed = 0;
  for (const [name, run] of Object.entries(ALL_CASES)) {
    const { database, close } = await open(`${passed + failures.length}.db`);
    try {
      await run(database);
      passed++;
    } catch (error) {
      failures.push(`${name}: ${(error as Error).stack}`);
    } finally {
      await close();
    }
  }
  process.stdout.write(JSON.stringify({ passed, failures }));
}
