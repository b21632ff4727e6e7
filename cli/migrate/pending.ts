import type { ProjectConfig } from "../config/load.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { readLedger } from "./ledger.ts";
import { localDatabasePath, readLocalDatabase } from "./local_database.ts";
import { readMigrations } from "./files.ts";
import { planMigrations } from "./plan.ts";

/**
 * Finds the migrations that the local database lacks. Creates no database.
 *
 * @param config The project.
 * @param platform The platform's file; without the configured database in it nothing is pending.
 * @returns Number of files, and the names of those that are pending.
 * @throws {CliError} When a file cannot be a migration, or the database cannot be read.
 */
export async function readPending(
  config: ProjectConfig,
  platform: Platform,
): Promise<{ files: number; pending: string[] }> {
  const migrations = await readMigrations(config.migrationsDir);
  const files = migrations.length;
  const declared = platform.d1Databases.find(({ binding }) => binding === config.database);
  if (declared === undefined) return { files, pending: [] };
  const path = localDatabasePath(platform, config.database, config.root);
  const database = await readLocalDatabase(path);
  try {
    const ledger = database === undefined ? [] : readLedger(database, declared.migrationsTable);
    const planned = planMigrations(migrations, ledger).filter(({ state }) => state === "pending");
    return { files, pending: planned.map(({ name }) => name) };
  } finally {
    database?.close();
  }
}
