import { CliError } from "../terminal/exit.ts";
import { isNext } from "./apply.ts";
import type { Migration } from "./files.ts";
import { checksumOf, type LedgerEntry, type MigrationDatabase, quoteName } from "./ledger.ts";
import { pendingMigrations, type Place, wayOut } from "./plan.ts";
import { checkedPostgres } from "./postgres_statements.ts";
import type { FileStatement } from "./statements.ts";
import { frame, MEND } from "./transaction.ts";

/** One connection of the package `pg`, as far as it is needed here: the command has no package in its own graph. */
export interface PostgresConnection {
  /** Runs a statement; without values it may be several. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /** Gives the connection back; with `true` it is closed, because nobody knows what state it is in. */
  release(destroy?: boolean): void;
}

/** Opens a connection, which nobody else uses until it is released. */
export type Connect = () => Promise<PostgresConnection>;

/** Table of what is applied. */
const LEDGER = `CREATE TABLE IF NOT EXISTS framework_migrations (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  applied_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  checksum TEXT NOT NULL
)`;

/** Time for which a migration of another process is waited for. */
const LOCK_TIMEOUT = "60s";

/**
 * Creates access to a PostgreSQL database. One file and its record are one transaction, under a lock of the database
 * that its transaction holds, so that of several processes each file is applied by one, through poolers too.
 *
 * @param connect Opens a connection.
 * @param place Whether the database is on this machine.
 */
export function createPostgresMigrations(connect: Connect, place: Place): MigrationDatabase {
  return {
    split: checkedPostgres,
    ledger: () => withConnection(connect, readLedger),
    apply: (migrations, { signal, steps = Infinity, onDone, onOutOfOrder }) =>
      withConnection(connect, async (connection) => {
        const statements = new Map(migrations.map((file) => [file.name, checkedPostgres(file)]));
        for (let count = 0; count < steps && !signal.aborted; count++) {
          const applied = await inTransaction(connection, async () => {
            const [next] = pendingMigrations(migrations, await readLedger(connection), {
              ...{ statements, place, steps: steps - count },
              onOutOfOrder: count === 0 ? onOutOfOrder : () => {},
            });
            if (next === undefined) return undefined;
            await runStatements(connection, next.name, statements.get(next.name) ?? [], MEND);
            await connection.query(
              "INSERT INTO framework_migrations (name, checksum) VALUES ($1, $2)",
              [next.name, checksumOf(next.sql)],
            );
            return next.name;
          });
          if (applied === undefined) return;
          onDone(applied);
        }
      }),
    revert: (files, { signal, onDone }) =>
      withConnection(connect, async (connection) => {
        for (const { name, sql } of files) {
          if (signal.aborted) return;
          const reverted = await inTransaction(connection, async () => {
            if (!isNext(await readLedger(connection), name)) return false;
            const file: Migration = { name: `down/${name}`, sql };
            const hint = wayOut(MEND, place);
            await runStatements(connection, file.name, checkedPostgres(file), hint);
            await connection.query("DELETE FROM framework_migrations WHERE name = $1", [name]);
            return true;
          });
          if (reverted) onDone(name);
        }
      }),
    empty: (dryRun) =>
      withConnection(connect, async (connection) => {
        if (place === "remote") {
          throw new CliError("--force empties a database on this machine only.", {
            hint: "DATABASE_URL names another machine: use the files of migrations/down/.",
          });
        }
        return await emptySchema(connection, dryRun);
      }),
  };
}

async function withConnection<T>(
  connect: Connect,
  work: (connection: PostgresConnection) => Promise<T>,
): Promise<T> {
  const connection = await connect();
  let isSound = false;
  try {
    const result = await work(connection);
    isSound = true;
    return result;
  } finally {
    connection.release(!isSound);
  }
}

/** Lists the applied migrations; creates nothing. */
async function readLedger(connection: PostgresConnection): Promise<LedgerEntry[]> {
  const { rows: [table] } = await connection.query(
    "SELECT to_regclass('framework_migrations') IS NOT NULL AS exists",
  );
  if ((table as { exists: boolean }).exists !== true) return [];
  const { rows } = await connection.query(
    "SELECT name, to_char(applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS at, checksum " +
      "FROM framework_migrations ORDER BY id",
  );
  return (rows as { name: string; at: string; checksum: string }[])
    .map(({ name, at, checksum }) => ({ name, appliedAt: at, checksum }));
}

/**
 * Runs work in a transaction that no other migration runs beside.
 *
 * @throws {CliError} Exit code 1 when another process holds the lock, or the work failed.
 */
async function inTransaction<T>(
  connection: PostgresConnection,
  work: () => Promise<T>,
): Promise<T> {
  await connection.query("BEGIN");
  try {
    await connection.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await connection.query(
      "SELECT pg_advisory_xact_lock(hashtextextended('framework_migrations', 0))",
    ).catch((error) => {
      if ((error as { code?: unknown }).code !== "55P03") throw error;
      throw new CliError("Another process is migrating the database.", {
        hint: "Wait until it has finished, then run the command again.",
        cause: error,
      });
    });
    // An index of many rows takes its time.
    await connection.query("SET LOCAL lock_timeout = DEFAULT; SET LOCAL statement_timeout = 0");
    await connection.query(LEDGER);
    const result = await work();
    await connection.query("COMMIT");
    return result;
  } catch (error) {
    // A lost connection has taken it back already.
    await connection.query("ROLLBACK").catch(() => {});
    if (error instanceof CliError) throw error;
    throw new CliError(`PostgreSQL refused the migration: ${reason(error)}.`, {
      hint: "Nothing of this migration was applied.",
      cause: error,
    });
  }
}

async function runStatements(
  connection: PostgresConnection,
  file: string,
  statements: FileStatement[],
  hint: string,
): Promise<void> {
  for (const [index, statement] of statements.entries()) {
    try {
      await connection.query(statement.text);
    } catch (error) {
      const place = `statement ${index + 1} of ${statements.length}`;
      throw new CliError(
        `${file}:${lineOf(error, statement)}: ${reason(error)} (${place})\n${frame(statement)}`,
        { hint, cause: error },
      );
    }
  }
  // What a file sets for itself is not to hide the table of what is applied.
  await connection.query("RESET ALL");
}

/** Line of the file in which the server found the mistake. */
function lineOf(error: unknown, { text, line }: FileStatement): number {
  const position = Number((error as { position?: unknown }).position);
  if (!(position > 0)) return line;
  // Counted in characters, from 1.
  const before = Array.from(text).slice(0, position - 1).join("");
  return line + before.split("\n").length - 1;
}

function reason(error: unknown): string {
  const { message, detail } = error as { message?: unknown; detail?: unknown };
  const text = String(message ?? error).replace(/\.$/, "");
  return typeof detail === "string" ? `${text}: ${detail.replace(/\.$/, "")}` : text;
}

/** Makes the schema anew in which tables are made. */
async function emptySchema(
  connection: PostgresConnection,
  dryRun: boolean,
): Promise<{ name: string; statement: string }[]> {
  const { rows: [row] } = await connection.query("SELECT current_schema() AS name");
  const { name } = row as { name: string };
  const schema = quoteName(name);
  const statements = [`DROP SCHEMA ${schema} CASCADE`, `CREATE SCHEMA ${schema}`];
  if (!dryRun) await connection.query(statements.join("; "));
  return statements.map((statement) => ({ name, statement }));
}
