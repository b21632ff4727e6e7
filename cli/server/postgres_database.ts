import { postgres, type PostgresPool } from "@framework/auth/postgres";
import { type Dialect, PostgresDialect, type PostgresPool as KyselyPool } from "kysely";
import { readMigrations } from "../migrate/files.ts";
import { planMigrations } from "../migrate/plan.ts";
import { createPostgresMigrations } from "../migrate/postgres.ts";
import { OWN_TABLES, refuseTransactions, type ServerDatabase } from "./database.ts";

/** Pool of the application's `pg`. */
export interface ServerPool extends PostgresPool {
  /** Closes all connections. */
  end(): Promise<void>;
}

/** Tables of the server in the words of PostgreSQL: texts are compared by their bytes, as by SQLite. */
const TABLES = OWN_TABLES.replace(/\bBLOB\b/g, "BYTEA").replace(/\bINTEGER\b/g, "BIGINT")
  .replace(/\bTEXT\b/g, 'TEXT COLLATE "C"');

/** Name of what is missing while `migrate` has not made the tables of this version. */
const OWN = "the tables of the server";

/**
 * Opens the PostgreSQL database of a server.
 *
 * @param pool Connections.
 * @param folder Absolute path of the folder with the migrations.
 */
export async function openPostgresDatabase(
  pool: ServerPool,
  folder: string,
): Promise<ServerDatabase> {
  const migrations = await readMigrations(folder);
  const files = createPostgresMigrations(() => pool.connect(), "remote");
  const binding = Object.assign(refuseTransactions(postgres(pool)), {
    createDialect: (): Dialect => new PostgresDialect({ pool: pool as unknown as KyselyPool }),
  });
  return {
    binding,
    async pending() {
      const plan = planMigrations(migrations, await files.ledger());
      const names = plan.filter(({ state }) => state === "pending").map(({ name }) => name);
      return await hasTables(pool) ? names : [OWN, ...names];
    },
    async migrate({ signal, onApplied }) {
      await makeTables(pool);
      await files.apply(migrations, {
        ...{ signal, steps: undefined, onDone: onApplied },
        onOutOfOrder: () => {},
      });
    },
    close: () => pool.end(),
  };
}

/** Returns true when all of the tables are there. */
async function hasTables(pool: ServerPool): Promise<boolean> {
  const connection = await pool.connect();
  try {
    const names = [...TABLES.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)/g)].map(([, name]) => name);
    const { rows } = await connection.query(
      "SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL",
      [names],
    );
    return rows.length === 0;
  } finally {
    connection.release();
  }
}

/** Makes the tables of the server; of several processes that do so at once, one after the other. */
async function makeTables(pool: ServerPool): Promise<void> {
  const connection = await pool.connect();
  let isSound = false;
  try {
    await connection.query(
      "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('framework_migrations', 0))",
    );
    await connection.query(`${TABLES} COMMIT`);
    isSound = true;
  } finally {
    connection.release(!isSound);
  }
}
