import { basename } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { ProjectConfig } from "../config/load.ts";
import { currentVersion } from "../generate/auth.ts";
import { type LedgerEntry, readLedger } from "../migrate/ledger.ts";
import { findDatabase, localDatabasePath, readLocalDatabase } from "../migrate/local_database.ts";
import { type Migration, readMigrations } from "../migrate/files.ts";
import { planMigrations, wayOut } from "../migrate/plan.ts";
import { createPostgresMigrations } from "../migrate/postgres.ts";
import { readDatabaseUrl } from "../migrate/postgres_address.ts";
import { connectPostgres } from "../migrate/postgres_connection.ts";
import { checkedPostgres } from "../migrate/postgres_statements.ts";
import { checkedStatements } from "../migrate/statements.ts";
import { readDevVars } from "../platform/worker_request.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { CliError } from "../terminal/exit.ts";
import { type Finding, ok, problem, warning } from "./checks.ts";

/**
 * Checks the database: its declaration, its migrations, and the version of the authentication
 * tables.
 *
 * @param config The project.
 * @param platform The platform's file.
 * @param env Environment variables, for `DATABASE_URL`.
 * @returns Nothing for a project without a database.
 */
export async function checkDatabase(
  config: ProjectConfig,
  platform: Platform,
  env: Record<string, string | undefined>,
): Promise<Finding[]> {
  if (config.dialect === "postgres") return await checkPostgres(config, env);
  // What needs one, another check says.
  if (platform.d1Databases.length === 0) return [];
  let declared: ReturnType<typeof findDatabase>;
  try {
    declared = findDatabase(platform, config.database);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [warning("database", error.message, error.hint ?? "Declare it.")];
  }
  const { databaseId, databaseName, migrationsTable } = declared;
  const isReal = databaseId !== undefined && /[1-9a-f]/i.test(databaseId);
  const name = databaseName ?? config.database;
  const findings = [
    isReal ? ok("database", `${config.database} is ${name}`) : warning(
      "database",
      `${config.database} has no database_id of the platform yet, which local development does not need`,
      `Before you deploy, run \`npx wrangler d1 create ${name}\` and write its id to ${
        basename(platform.file)
      }.`,
    ),
  ];
  const database = await readLocalDatabase(
    localDatabasePath(platform, config.database, config.root),
  );
  try {
    const ledger = database === undefined ? [] : readLedger(database, migrationsTable);
    findings.push(await checkMigrations(config, ledger));
    const schema = database && checkSchema(schemaOf(database));
    if (schema !== undefined) findings.push(schema);
  } finally {
    database?.close();
  }
  return findings;
}

/** Checks PostgreSQL. One on another machine is not asked. */
async function checkPostgres(
  config: ProjectConfig,
  env: Record<string, string | undefined>,
): Promise<Finding[]> {
  const { root } = config;
  // The files tell without the database, which may be unknown yet, or on another machine.
  const wrong = checkFiles(config, await readMigrations(config.migrationsDir));
  if (wrong !== undefined) return [wrong];
  const address = readDatabaseUrl({ ...readDevVars(root), ...env });
  const { databaseName, place } = address;
  const is = `${config.database} is PostgreSQL, database ${databaseName}`;
  if (place === "remote") return [ok("database", `${is} on another machine, which was not asked`)];
  const connection = await connectPostgres(root, address);
  try {
    const { ledger } = createPostgresMigrations(
      () => Promise.resolve({ ...connection, release() {} }),
      place,
    );
    const { rows: [row] } = await connection.query("SELECT * FROM auth_schema").catch(() => ({
      rows: [],
    }));
    const schema = checkSchema(row as SchemaRow | undefined);
    return [
      ok("database", is),
      await checkMigrations(config, await ledger()),
      ...schema === undefined ? [] : [schema],
    ];
  } finally {
    connection.release();
  }
}

/** Checks whether `framework migrate` takes the files at all; undefined when it does. */
function checkFiles({ dialect }: ProjectConfig, files: Migration[]): Finding | undefined {
  try {
    files.forEach(dialect === "postgres" ? checkedPostgres : checkedStatements);
    return undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return problem("migrations", error.message, error.hint);
  }
}

async function checkMigrations(config: ProjectConfig, ledger: LedgerEntry[]): Promise<Finding> {
  const check = "migrations";
  const files = await readMigrations(config.migrationsDir);
  const wrong = checkFiles(config, files);
  if (wrong !== undefined) return wrong;
  const plan = planMigrations(files, ledger);
  const drifted = plan.filter(({ state }) => state === "changed" || state === "missing");
  if (drifted.length > 0) {
    const names = drifted.map(({ name, state }) => `${name} (${state})`).join(", ");
    return problem(
      check,
      `the files and the local database differ: ${names}`,
      wayOut("Restore the files, and put changes into a new migration.", "local"),
    );
  }
  const pending = plan.filter(({ state }) => state === "pending");
  const twin = pending.find(({ name }) =>
    files.some((file) => file.name !== name && parseInt(file.name) === parseInt(name))
  );
  if (twin !== undefined) {
    return warning(
      check,
      `${twin.name} has the number of another migration`,
      "Give it the next one that is free, before a database has it: their order would depend on the names.",
    );
  }
  if (pending.length === 0) return ok(check, `${plan.length} applied locally`);
  return warning(check, `${pending.length} pending locally`, "Run `framework migrate up`.");
}

/** Row of the version of the tables; the first versions had no second number. */
interface SchemaRow {
  version: unknown;
  compatible?: unknown;
}

function schemaOf(database: DatabaseSync): SchemaRow | undefined {
  try {
    return database.prepare("SELECT * FROM auth_schema").get() as SchemaRow | undefined;
  } catch {
    return undefined;
  }
}

/** Checks the version of the tables; undefined when there are none. */
function checkSchema(row: SchemaRow | undefined): Finding | undefined {
  const check = "auth schema";
  if (row === undefined) return undefined;
  const { version, compatible = version } = row;
  const found = { version: Number(version), compatible: Number(compatible) };
  const expected = currentVersion();
  if (found.version < expected) {
    return problem(
      check,
      `the tables have version ${found.version}, but this version of the library uses ${expected}`,
      "Run `framework generate auth --upgrade`, then `framework migrate up`.",
    );
  }
  if (found.compatible > expected) {
    return problem(
      check,
      `the tables require version ${found.compatible} or later of the library, which has ${expected}`,
      "Install a newer @framework/auth.",
    );
  }
  return ok(check, `version ${found.version}`);
}
