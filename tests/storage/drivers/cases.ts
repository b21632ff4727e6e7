import type { SqlDatabase } from "@framework/auth/storage";
import { equal } from "node:assert/strict";
import process from "node:process";
import { ALL_CASES, refusesBare } from "../../../auth/tests/handle_cases.ts";

/** A database that nobody else uses, with the library's tables. */
export interface Opened {
  database: SqlDatabase;
  /** The driver's own handle. */
  handle: unknown;
  close(): unknown;
}

/** A commit is on the disk before it is acknowledged: some drivers leave it to chance. */
export async function writesThrough(database: SqlDatabase): Promise<void> {
  const row = await database.prepare("PRAGMA synchronous").first<{ synchronous: number }>();
  equal(row?.synchronous, 2);
}

/**
 * Runs every case on a database of its own, and prints what failed.
 *
 * @param bare What the message about a handle as it is calls it, and the function that takes it.
 */
export async function runCases(
  bare: Parameters<typeof refusesBare>[1],
  open: (name: string) => Promise<Opened>,
): Promise<void> {
  const failures: string[] = [];
  let passed = 0;
  for (const [name, run] of Object.entries(ALL_CASES)) {
    const { database, handle, close } = await open(`${passed + failures.length}.db`);
    try {
      refusesBare(handle, bare);
      if (bare.call === "sqlite") await writesThrough(database);
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
