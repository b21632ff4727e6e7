import { basename } from "node:path";
import type { ProjectConfig } from "../config/load.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { readLedger } from "./ledger.ts";
import { localDatabasePath, readLocalDatabase } from "./local_database.ts";
import { migrationNames, readMigrations } from "./files.ts";
import { planMigrations } from "./plan.ts";

/**
 * Finds the migrations that the local database lacks, and those that it alone has. Creates no database.
 *
 * @param config The project.
 * @param platform The platform's file; without the configured database in it nothing is pending.
 * @returns Number of files, the names of those that are pending, and of applied migrations whose file is gone.
 * @throws {CliError} When a file cannot be a migration, or the database cannot be read.
 */
export async function readPending(
  config: ProjectConfig,
  platform: Platform,
): Promise<{ files: number; pending: string[]; missing: string[] }> {
  const migrations = await readMigrations(config.migrationsDir);
  const files = migrations.length;
  const declared = platform.d1Databases.find(({ binding }) => binding === config.database);
  if (declared === undefined) return { files, pending: [], missing: [] };
  const path = localDatabasePath(platform, config.database, config.root);
  const database = await readLocalDatabase(path);
  try {
    const ledger = database === undefined ? [] : readLedger(database, declared.migrationsTable);
    const planned = planMigrations(migrations, ledger);
    const those = (wanted: string): string[] =>
      planned.filter(({ state }) => state === wanted).map(({ name }) => name);
    return { files, pending: those("pending"), missing: those("missing") };
  } finally {
    database?.close();
  }
}

/**
 * Describes migrations whose database the platform's file does not declare: `context.db` then takes any table, since
 * nothing has a type, and fails in each request.
 *
 * @param config The project.
 * @param platform The platform's file.
 * @returns null when the database is declared, and for a project without migrations.
 */
export async function describeUndeclared(
  { database, dialect, migrationsDir }: ProjectConfig,
  { d1Databases, file }: Platform,
): Promise<string | null> {
  if (dialect === "postgres" || d1Databases.some(({ binding }) => binding === database)) {
    return null;
  }
  if ((await migrationNames(migrationsDir)).length === 0) return null;
  const remedy = d1Databases.length === 0
    ? "Run `framework doctor --fix`, which adds it."
    : "Add it to d1_databases, or name another one in framework.config.ts (database).";
  return `${basename(file)} declares no D1 database ${database}, which the migrations are for: ` +
    `context.db has no types, and does not work. ${remedy}`;
}
