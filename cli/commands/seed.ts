import { basename } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { loadConfig, type ProjectConfig } from "../config/load.ts";
import { findDatabase, localDatabasePath, openLocalDatabase } from "../migrate/local_database.ts";
import { readPending } from "../migrate/pending.ts";
import { connectRemote, joinStatements } from "../migrate/remote.ts";
import { remoteDatabase } from "../migrate/remote_database.ts";
import { readMigrations } from "../migrate/files.ts";
import { planMigrations } from "../migrate/plan.ts";
import { readDatabaseUrl } from "../migrate/postgres_address.ts";
import { openPool, type Pool } from "../migrate/postgres_connection.ts";
import { readSeed, type Seed } from "../migrate/seed_files.ts";
import type { FileStatement } from "../migrate/statements.ts";
import { migrationTarget, targetOptions } from "../migrate/target.ts";
import { findEnvironment } from "../platform/environments.ts";
import { readDevVars } from "../platform/worker_request.ts";
import { type Platform, readPlatform } from "../platform/wrangler_file.ts";
import type { Command, CommandContext } from "../terminal/command.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { confirm } from "../terminal/keyboard.ts";
import { requirePackage } from "../tools/packages.ts";

/** `framework seed [environment]`. */
export const command: Command = {
  name: "seed",
  summary: "Write the data of an environment to the database",
  positionals: [{
    name: "environment",
    summary: "Name of a file in seeds/ (default: development, with --remote production)",
    completes: "seeds",
  }],
  options: {
    ...targetOptions,
    yes: { type: "boolean", short: "y", summary: "Do not ask before writing with --remote" },
  },
  examples: ["framework seed", "framework seed demo", "framework seed staging --remote --yes"],
  async run(ctx) {
    const { output, values } = ctx;
    const remote = values["remote"] === true;
    const config = await loadConfig(ctx.cwd, ctx.config);
    if (config.dialect === "postgres") return await seedPostgres(ctx, config);
    const environment = readEnvironment(ctx, remote);
    const platform = await readPlatform(config);
    const target = remote ? remoteTarget(platform, environment, config) : null;
    if (target === null) await refusePending(config, platform);
    const seed = await readSeed(config.root, environment);
    if (target !== null) {
      requirePackage("wrangler", config.root);
      const question = `Write ${seed.file} to the database ${target.name} of the platform?`;
      await confirm(question, {
        ...ctx,
        yes: values["yes"] === true,
        effect: "writes to the platform's database",
      });
      await seedRemote(seed, { ctx, config, target });
    } else {
      await seedLocal(seed, { config, platform });
    }
    output.success(`Wrote ${seed.file} to ${target?.name ?? "the local database"}`);
    return ExitCode.ok;
  },
};

function readEnvironment({ positionals, explicit }: CommandContext, remote: boolean): string {
  if (remote && explicit.has("local")) {
    throw new CliError("The options --local and --remote exclude each other.", {
      hint: "Pass one of them.",
    });
  }
  const environment = positionals[0] ?? (remote ? "production" : "development");
  if (!/^[a-z][a-z0-9_-]{0,62}$/.test(environment)) {
    throw new CliError(`${JSON.stringify(environment)} cannot be the name of an environment.`, {
      hint: "Use lower-case letters, digits and dashes, such as development.",
    });
  }
  if (environment === "production" && !remote && !explicit.has("local")) {
    throw new CliError("The data of production belongs to the platform's database.", {
      hint: "Add --remote, or --local to write it to the local database.",
    });
  }
  return environment;
}

interface RemoteTarget {
  /** Name of the database, for display. */
  name: string;
  /** Arguments for wrangler. */
  args: string[];
  /** Plain variables of the environment. */
  vars: Record<string, unknown>;
}

/**
 * Finds the database of an environment of the platform file; `production` means its top level unless it has a block of
 * that name.
 */
function remoteTarget(
  platform: Platform,
  environment: string,
  { database }: ProjectConfig,
): RemoteTarget {
  const { name, args, section } = findEnvironment(platform, environment);
  const entries = Array.isArray(section["d1_databases"]) ? section["d1_databases"] : [];
  const entry = entries.map((each) => Object(each) as Record<string, unknown>)
    .find(({ binding }) => binding === database);
  if (entry === undefined) {
    throw new CliError(
      `${basename(platform.file)} declares no D1 database ${database} in env.${environment}.`,
      { exitCode: ExitCode.config, hint: "Environments do not inherit databases: add it there." },
    );
  }
  const shown = entry["database_name"];
  return {
    name: typeof shown === "string" ? shown : database,
    args: name === null ? [] : args,
    vars: Object(section["vars"]) as Record<string, unknown>,
  };
}

/** Writes to the database of DATABASE_URL, whose migrations have to be applied. */
async function seedPostgres(ctx: CommandContext, config: ProjectConfig): Promise<number> {
  const { root, migrationsDir } = config;
  const variables = { ...readDevVars(root), ...ctx.env };
  const { database, place, databaseName } = await migrationTarget(ctx);
  const environment = readEnvironment(ctx, place === "remote");
  const plan = planMigrations(await readMigrations(migrationsDir), await database.ledger());
  const pending = plan.filter(({ state }) => state === "pending").map(({ name }) => name);
  if (pending.length > 0) {
    throw new CliError(`The database lacks ${pending.join(", ")}.`, {
      hint: "Run `framework migrate up` first.",
    });
  }
  const seed = await readSeed(root, environment, "postgres");
  if (place === "remote") {
    const question = `Write ${seed.file} to the database ${databaseName} of another machine?`;
    const effect = "writes to a database of another machine";
    await confirm(question, { ...ctx, yes: ctx.values["yes"] === true, effect });
  }
  const pool = await openPool(root, readDatabaseUrl(variables));
  try {
    if ("statements" in seed) await runPostgres(pool, seed);
    else {
      const wrapped = seed.wrap(pool);
      const env = {
        ...(await readPlatform(config)).vars,
        ...readDevVars(root),
        [config.database]: wrapped,
      };
      await runSeed(seed, () => seed.run(wrapped, env));
    }
  } finally {
    await pool.end();
  }
  ctx.output.success(`Wrote ${seed.file} to ${databaseName}`);
  return ExitCode.ok;
}

/** Runs the statements of a file as one transaction. */
async function runPostgres(
  pool: Pool,
  { file, statements }: { file: string; statements: FileStatement[] },
): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query("BEGIN");
    for (const { text, line } of statements) {
      await connection.query(text).catch((error) => {
        throw new CliError(`${file}:${line}: ${(error as Error).message}`, {
          hint: "Nothing was written. Correct the statement, then run the command again.",
          cause: error,
        });
      });
    }
    await connection.query("COMMIT");
  } finally {
    // A transaction that failed ends with its connection.
    connection.release(true);
  }
}

async function refusePending(config: ProjectConfig, platform: Platform): Promise<void> {
  findDatabase(platform, config.database);
  const { pending } = await readPending(config, platform);
  if (pending.length === 0) return;
  throw new CliError(`The local database lacks ${pending.join(", ")}.`, {
    hint: "Run `framework migrate up` first.",
  });
}

async function seedLocal(
  seed: Seed,
  { config, platform }: { config: ProjectConfig; platform: Platform },
): Promise<void> {
  const path = localDatabasePath(platform, config.database, config.root);
  const handle = await openLocalDatabase(path);
  try {
    if ("statements" in seed) return runStatements(handle, seed);
    const database = seed.wrap(handle);
    const env = { ...platform.vars, ...readDevVars(config.root), [config.database]: database };
    await runSeed(seed, () => seed.run(database, env));
  } finally {
    handle.close();
  }
}

/** Runs the statements of a file as one transaction. */
function runStatements(
  database: DatabaseSync,
  { file, statements }: { file: string; statements: FileStatement[] },
): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    for (const { text, line } of statements) {
      try {
        database.exec(text);
      } catch (error) {
        throw new CliError(`${file}:${line}: ${(error as Error).message}`, {
          hint: "Nothing was written. Correct the statement, then run the command again.",
          cause: error,
        });
      }
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction !== false) database.exec("ROLLBACK");
    throw error;
  }
}

async function seedRemote(
  seed: Seed,
  { ctx, config, target }: { ctx: CommandContext; config: ProjectConfig; target: RemoteTarget },
): Promise<void> {
  const { root, platformFile, database: binding } = config;
  const { env, signal } = ctx;
  const connection = connectRemote({ root, platformFile, binding, env, signal, args: target.args });
  if ("statements" in seed) {
    const texts = seed.statements.map(({ text }) => text.replace(/;\s*$/, ""));
    return await connection.execute(joinStatements(texts));
  }
  const database = remoteDatabase(connection);
  await runSeed(seed, () => seed.run(database, { ...target.vars, [binding]: database }));
}

async function runSeed({ file }: { file: string }, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`${file} failed: ${reason}`, {
      hint: "What it had written before stays. Correct it, then run the command again.",
      cause: error,
    });
  }
}
