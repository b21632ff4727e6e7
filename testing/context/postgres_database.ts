import { postgres, type PostgresConnection, type PostgresPool } from "@framework/auth/postgres";
import type { SqlDatabase } from "@framework/auth/storage";
import {
  CliError,
  ExitCode,
  type ProjectConfig,
  readDatabaseUrl,
  readMigrations,
} from "@framework/cli/project";
import { type Dialect, PostgresDialect, type PostgresPool as KyselyPool } from "kysely";
import { createRequire } from "node:module";
import { join } from "node:path";
import { inspect } from "node:util";
import { currentScope } from "./scope.ts";

/** Database of one test. */
export interface TestDatabase {
  /** The database in the shape of D1, as the application's `env` has it. */
  binding: SqlDatabase;
  /** Drops it with everything in it. */
  close(): Promise<void>;
}

interface Pool extends PostgresPool {
  end(): Promise<void>;
}

/** Beginning of the names of schemas of tests, before the time at which they were made. */
const PREFIX = "framework_test_";

/** Milliseconds after which the schema of a test that was killed is dropped by the next one. */
const ABANDONED = 24 * 3_600_000;

/**
 * Makes a PostgreSQL database for one test: a schema of its own, with the migrations applied, that no other schema is
 * seen from.
 *
 * @param config A project whose dialect is `postgres`.
 * @param variables Those of the process, and of `.dev.vars`. `TEST_DATABASE_URL` comes before `DATABASE_URL`.
 * @throws {CliError} Exit code 2 without an address, or where `DATABASE_URL` is another machine's; 1 when a migration
 * fails.
 */
export async function openTestDatabase(
  { root, migrationsDir, database: binding }: ProjectConfig,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<TestDatabase> {
  const own = variables["TEST_DATABASE_URL"];
  const { url, place } = readDatabaseUrl(own ? { DATABASE_URL: own } : variables);
  if (!own && place === "remote") {
    throw new CliError(
      "DATABASE_URL is on another machine, whose database tests do not write to.",
      {
        exitCode: ExitCode.config,
        hint: "Set TEST_DATABASE_URL to a database for tests.",
      },
    );
  }
  const { Pool } = requirePg(root);
  const schema = `${PREFIX}${Date.now()}_${crypto.randomUUID().slice(0, 8)}`;
  const address = new URL(url);
  const options = address.searchParams.get("options") ?? "";
  address.searchParams.set("options", `${options} -c search_path=${schema}`.trim());
  const pool = new Pool({ connectionString: address.href, max: 4, idleTimeoutMillis: 1_000 });
  pool.on!("connect", (connection) => passQueries(connection, binding));

  async function close(): Promise<void> {
    const connection = await pool.connect();
    await connection.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    connection.release();
    await pool.end();
  }

  try {
    await makeSchema(pool, { schema, migrationsDir });
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
  // As `env` of a built server has it.
  return {
    binding: Object.assign(postgres(pool), {
      createDialect: (): Dialect => new PostgresDialect({ pool: pool as unknown as KyselyPool }),
    }),
    close,
  };
}

/** Has the statements of a connection go through the faults and the trace of whoever sends them. */
function passQueries(connection: PostgresConnection, binding: string): void {
  const query = connection.query.bind(connection) as (...args: unknown[]) => Promise<never>;
  // A text with its values or an object, and for a pool's own statements a callback in the place of a promise.
  connection.query = (...args: unknown[]) => {
    const exchange = currentScope()?.faults?.exchange;
    if (exchange === undefined || typeof args.at(-1) === "function") return query(...args);
    const [text, values] = args;
    return exchange({
      binding,
      operation: "query",
      detail: () =>
        [text, values].filter((part) => part !== undefined)
          .map((part) => typeof part === "string" ? part : inspect(part)).join("\n-- "),
      isCall: false,
      mayBeStale: false,
      // As the driver says it.
      error: () =>
        Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" }),
      run: () => query(...args),
    }, connection);
  };
}

/** The project's own driver. */
function requirePg(root: string): { Pool: new (options: object) => Pool } {
  try {
    return createRequire(join(root, "package.json"))("pg");
  } catch (cause) {
    throw new CliError("The package pg is not installed in this project.", {
      exitCode: ExitCode.config,
      hint: "Add it: `npm install pg`.",
      cause,
    });
  }
}

async function makeSchema(
  pool: Pool,
  { schema, migrationsDir }: { schema: string; migrationsDir: string },
): Promise<void> {
  const connection = await pool.connect();
  try {
    const { rows } = await connection.query(
      "SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE $1",
      [`${PREFIX}%`],
    );
    for (const { name } of rows as { name: string }[]) {
      const made = Number(name.slice(PREFIX.length).split("_")[0]);
      if (made > 0 && made < Date.now() - ABANDONED) {
        await connection.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
      }
    }
    await connection.query(`CREATE SCHEMA ${schema}`);
    for (const { name, sql } of await readMigrations(migrationsDir)) {
      // Several statements in one text are one transaction.
      await connection.query(sql).catch((cause) => {
        throw new CliError(
          `Migration ${name} failed in the test database: ${(cause as Error).message}.`,
          {
            hint: "Fix the file, or run `framework migrate up` to see the statement.",
            cause,
          },
        );
      });
      await connection.query("RESET ALL");
    }
  } finally {
    connection.release();
  }
}
