import { DatabaseSync } from "node:sqlite";
import type { Logger } from "../lib/logger.ts";
import { sqlite } from "../storage/sqlite.ts";
import { authSchema } from "../storage/schema.ts";
import { createSqlStorage } from "../storage/sql.ts";
import { type CompleteStorage, completeStorage } from "../../testing/storage/complete_storage.ts";
import { createFaultyDatabase, type FaultyDatabase } from "./faulty_database.ts";
import {
  account,
  activity,
  HOUR,
  NOW,
  passkey,
  record,
  secret,
  session,
} from "../../testing/storage/records.ts";

/** A storage to be troubled. */
export interface Bench {
  file: DatabaseSync;
  database: FaultyDatabase;
  storage: CompleteStorage;
  log: Record<string, unknown>[];
}

/** Runs a test with a database that holds ada, her session s1, and one of each that a user may have. */
export async function withBench(run: (bench: Bench) => Promise<void>): Promise<void> {
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  const database = createFaultyDatabase(sqlite(file));
  const log: Record<string, unknown>[] = [];
  const ignore = () => {};
  const logger: Logger = {
    info: ignore,
    warn: ignore,
    error: (event, fields) => void log.push({ event, ...fields }),
  };
  const storage = completeStorage(createSqlStorage(database, { logger }));
  await storage.createUser(record({ id: "ada", email: "ada@example.com", name: "Ada" }));
  await storage.insertSession(session("s1", "ada"));
  await storage.linkAccount(account("code", "ada"));
  await storage.insertPasskey(passkey("key", "ada"));
  await storage.putSecret(secret("h1", { userId: "ada", identifier: "ada@example.com" }));
  await storage.insertActivity(activity("a1", "ada"), { keep: 10, since: 0 });
  await run({ file, database, storage, log });
  file.close();
}

/** Number of rows of a table. */
export function countOf(file: DatabaseSync, table: string): unknown {
  return file.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n;
}

/** Renewal of a session of {@linkcode session}. */
export const RENEWAL = { from: NOW, at: NOW + 1, expiresAt: NOW + 2 * HOUR };
