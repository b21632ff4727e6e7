import { existsSync } from "node:fs";
import { writeTableTypes } from "../app/postgres_types.ts";
import { loadConfig, type ProjectConfig } from "../config/load.ts";
import { readDevVars } from "../platform/worker_request.ts";
import { readPlatform } from "../platform/wrangler_file.ts";
import type { CommandContext, OptionSpec } from "../terminal/command.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { requirePackage } from "../tools/packages.ts";
import { displayPath } from "../tools/paths.ts";
import { applyMigrations, emptyDatabase, revertMigrations } from "./apply.ts";
import { type MigrationDatabase, readLedger } from "./ledger.ts";
import {
  findDatabase,
  localDatabasePath,
  openLocalDatabase,
  readLocalDatabase,
} from "./local_database.ts";
import type { Place } from "./plan.ts";
import { createPostgresMigrations, type PostgresConnection } from "./postgres.ts";
import { readDatabaseUrl } from "./postgres_address.ts";
import { connectPostgres } from "./postgres_connection.ts";
import { connectRemote } from "./remote.ts";
import { createRemoteMigrations } from "./remote_migrations.ts";

/** Target of the migration commands. */
export interface MigrationTarget {
  config: ProjectConfig;
  database: MigrationDatabase;
  /** Local or remote database, for messages. */
  place: Place;
  /** `database_name` of the platform's file. */
  databaseName: string | undefined;
  /** Folder of the migrations for display. */
  folder: string;
}

/** Options of the commands that access a database. */
export const targetOptions: Record<string, OptionSpec> = {
  local: { type: "boolean", summary: "Use the local database (the default)" },
  remote: { type: "boolean", summary: "Use the platform's database, through wrangler" },
};

/**
 * Finds the database and the migrations of the project.
 *
 * @param ctx The running command.
 * @throws {CliError} Exit code 2 when configuration or platform file do not allow it, or wrangler is needed and
 * missing.
 */
export async function migrationTarget(ctx: CommandContext): Promise<MigrationTarget> {
  const { values, env, signal } = ctx;
  refuseBothTargets(ctx);
  const config = await loadConfig(ctx.cwd, ctx.config);
  if (config.dialect === "postgres") return postgresTarget(ctx, config);
  const platform = await readPlatform(config);
  const { database: binding, root, platformFile } = config;
  const declared = findDatabase(platform, binding);
  refusePattern(platform.raw, binding, declared.migrationsDir ?? "migrations");
  const place = values["remote"] === true ? "remote" : "local";
  if (place === "remote") requirePackage("wrangler", root);
  const table = declared.migrationsTable;
  return {
    config,
    place,
    databaseName: declared.databaseName,
    folder: displayPath(root, config.migrationsDir),
    database: place === "local"
      ? createLocalMigrations(localDatabasePath(platform, binding, root), table)
      : createRemoteMigrations(connectRemote({ root, platformFile, binding, env, signal }), table),
  };
}

/**
 * PostgreSQL is where DATABASE_URL says, on this machine or another. The types of the tables follow what was applied on
 * this machine.
 */
function postgresTarget({ values, env }: CommandContext, config: ProjectConfig): MigrationTarget {
  const { root, migrationsDir } = config;
  if (values["remote"] === true) {
    throw new CliError("With PostgreSQL there is one database, that of DATABASE_URL.", {
      hint: "Remove --remote, and set DATABASE_URL to the address of the other database.",
    });
  }
  const address = readDatabaseUrl({ ...readDevVars(root), ...env });
  const { place, databaseName } = address;
  if (values["local"] === true && place === "remote") {
    throw new CliError("--local was given, but DATABASE_URL names another machine.", {
      hint: "Remove --local, or set DATABASE_URL to a database on this machine.",
    });
  }
  const connect = (): Promise<PostgresConnection> => connectPostgres(root, address);
  const target = { config, place, databaseName, folder: displayPath(root, migrationsDir) };
  const database = createPostgresMigrations(connect, place);
  if (place === "remote") return { ...target, database };
  async function withTypes<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    const connection = await connect();
    await writeTableTypes(connection, migrationsDir).finally(() => connection.release());
    return result;
  }
  return {
    ...target,
    database: {
      ...database,
      apply: (...args) => withTypes(database.apply(...args)),
      revert: (...args) => withTypes(database.revert(...args)),
    },
  };
}

/**
 * Refuses `--local` together with `--remote`.
 *
 * @throws {CliError} Exit code 1 when both are given.
 */
export function refuseBothTargets({ values }: Pick<CommandContext, "values">): void {
  if (values["local"] !== true || values["remote"] !== true) return;
  throw new CliError("Options --local and --remote exclude each other.", {
    hint: "Remove one of them.",
  });
}

/**
 * Refuses a pattern, which would make wrangler apply other files than this command, including
 * `down/`.
 */
function refusePattern(raw: Record<string, unknown>, binding: string, folder: string): void {
  const entries = raw["d1_databases"] as Record<string, unknown>[];
  const pattern = entries.find((entry) => entry["binding"] === binding)?.["migrations_pattern"];
  if (pattern === undefined || pattern === `${folder.replace(/\/$/, "")}/*.sql`) return;
  throw new CliError(`migrations_pattern ${JSON.stringify(pattern)} is not supported.`, {
    exitCode: ExitCode.config,
    hint:
      `Remove it from the platform file (wrangler.jsonc): migrations are the *.sql files directly in ${folder}.`,
  });
}

/**
 * Creates access to the local database, whose file is open only during an operation.
 *
 * @param path Absolute path of its file.
 * @param table Name of wrangler's table.
 */
function createLocalMigrations(path: string, table: string): MigrationDatabase {
  return {
    async ledger() {
      const database = await readLocalDatabase(path);
      try {
        return database === undefined ? [] : readLedger(database, table);
      } finally {
        database?.close();
      }
    },
    async apply(migrations, { signal, onDone, ...rest }) {
      const database = await openLocalDatabase(path);
      try {
        await applyMigrations(database, migrations, { table, signal, onApplied: onDone, ...rest });
      } finally {
        database.close();
      }
    },
    async revert(files, { signal, onDone }) {
      const database = await openLocalDatabase(path);
      try {
        await revertMigrations(database, files, { table, signal, onReverted: onDone });
      } finally {
        database.close();
      }
    },
    async empty(dryRun) {
      if (!existsSync(path)) return undefined;
      const database = await openLocalDatabase(path);
      try {
        return emptyDatabase(database, dryRun);
      } finally {
        database.close();
      }
    },
  };
}
