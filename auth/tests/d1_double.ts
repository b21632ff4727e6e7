import { DatabaseSync } from "node:sqlite";
import { createD1Database } from "../../testing/platform/d1.ts";
import { authSchema } from "../storage/schema.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { slowDatabase } from "./trips.ts";

/** The testing package's D1, as far away as D1 is, and what tests want to know about it. */
export interface D1Double extends SqlDatabase {
  /** The database underneath, to look into and to prepare states that the library does not make. */
  readonly sqlite: DatabaseSync;
  /** Number of prepared statements. */
  readonly prepared: number;
  /** Number of round trips. */
  readonly trips: number;
  /** Makes every further operation fail with this message; undefined heals it. */
  fail: string | undefined;
  close(): void;
}

/** Makes an empty database with the tables of the library. */
export function createD1Double(): D1Double {
  const sqlite = new DatabaseSync(":memory:");
  sqlite.exec(authSchema.up);
  let prepared = 0;
  let trips = 0;

  function guard(): void {
    if (double.fail !== undefined) throw new Error(double.fail);
  }

  // Across the network, as D1 is: whoever races, races here too.
  const distant = slowDatabase(createD1Database(sqlite, { guard }), () => void trips++);
  const double: D1Double = {
    sqlite,
    fail: undefined,
    get prepared() {
      return prepared;
    },
    get trips() {
      return trips;
    },
    prepare(sql) {
      prepared++;
      return distant.prepare(sql);
    },
    batch: distant.batch,
    close: () => sqlite.close(),
  };
  return double;
}
