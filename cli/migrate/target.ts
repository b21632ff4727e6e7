import type { CommandContext, OptionSpec } from "../commands/command.ts";
import { loadConfig, type ProjectConfig } from "../project/config.ts";
import { displayPath } from "../project/paths.ts";
import { readPlatform } from "../project/platform.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { findDatabase, localDatabasePath } from "./local_database.ts";

/** What the migration commands work on. */
export interface MigrationTarget {
  config: ProjectConfig;
  /** Absolute path of the local database's file. */
  databasePath: string;
  /** Name of wrangler's table. */
  table: string;
  /** The migrations' folder as shown to the user. */
  folder: string;
}

/** Options of the commands that work on a database. */
export const targetOptions: Record<string, OptionSpec> = {
  local: { type: "boolean", summary: "Work on the local database, which is the default" },
};

/**
 * Finds the database and the migrations of the project.
 *
 * @param ctx The running command.
 * @throws {CliError} Exit code 2 when configuration or platform file do not allow it.
 */
export async function migrationTarget(ctx: CommandContext): Promise<MigrationTarget> {
  const config = await loadConfig(ctx.cwd, ctx.config);
  const platform = await readPlatform(config);
  const database = findDatabase(platform, config.database);
  const folder = displayPath(config.root, config.migrationsDir);
  refusePattern(platform.raw, config.database, database.migrationsDir ?? "migrations");
  return {
    config,
    databasePath: localDatabasePath(platform, config.database, config.root),
    table: database.migrationsTable,
    folder,
  };
}

/** Another pattern would make wrangler apply other files than this command, `down/` among them. */
function refusePattern(raw: Record<string, unknown>, binding: string, folder: string): void {
  const entries = raw["d1_databases"] as Record<string, unknown>[];
  const pattern = entries.find((entry) => entry["binding"] === binding)?.["migrations_pattern"];
  if (pattern === undefined || pattern === `${folder.replace(/\/$/, "")}/*.sql`) return;
  throw new CliError(`migrations_pattern ${JSON.stringify(pattern)} is not supported.`, {
    exitCode: ExitCode.config,
    hint:
      `Remove it from the platform's file: migrations are the *.sql files directly in ${folder}.`,
  });
}
