import { sqlite } from "@framework/auth/sqlite";
import type { SqlDatabase, SqlStatement, SqlValue } from "@framework/auth/storage";
import type { DatabaseSync } from "node:sqlite";
import { applyMigrations } from "../migrate/apply.ts";
import { readMigrations } from "../migrate/files.ts";
import { readLedger } from "../migrate/ledger.ts";
import { openLocalDatabase } from "../migrate/local_database.ts";
import { planMigrations } from "../migrate/plan.ts";
import { CRON_TABLES } from "./cron.ts";
import { FILE_TABLES } from "./files.ts";
import { KV_TABLES } from "./kv.ts";
import { QUEUE_TABLES } from "./queue.ts";

/** The database of a server, which its processes share. */
export interface ServerDatabase {
  /** The database in the shape of D1, as the application's `env` has it. */
  binding: SqlDatabase;
  /** Names of the migrations that are not applied yet. */
  pending(): Promise<string[]>;
  /** Applies them; of several processes that do, each file is applied by one. */
  migrate(options: { signal: AbortSignal; onApplied(name: string): void }): Promise<void>;
  close(): Promise<void>;
}

/** SQL of the tables that a server keeps for itself. */
export const OWN_TABLES: string = [KV_TABLES, QUEUE_TABLES, CRON_TABLES, FILE_TABLES].join("");

/** Place of a file and its migrations. */
export interface ServerDatabaseOptions {
  /** Absolute path of its file. */
  file: string;
  /** Absolute path of the folder with the migrations. */
  migrations: string;
  /** Table in which applied migrations are recorded. */
  table: string;
}

/**
 * Opens the file of SQLite of a server; makes it when it does not exist.
 *
 * @throws {CliError} Exit code 1 when the file cannot be opened.
 */
export async function openServerDatabase(
  { file, migrations: folder, table }: ServerDatabaseOptions,
): Promise<ServerDatabase> {
  const handle = await openLocalDatabase(file);
  const binding = refuseTransactions(withD1Methods(sqlite(handle), handle));
  handle.exec(OWN_TABLES);
  const migrations = await readMigrations(folder);
  return {
    binding,
    pending: () =>
      Promise.resolve(
        planMigrations(migrations, readLedger(handle, table))
          .filter(({ state }) => state === "pending").map(({ name }) => name),
      ),
    async migrate({ signal, onApplied }) {
      await applyMigrations(handle, migrations, {
        table,
        signal,
        onApplied,
        place: "remote",
        onOutOfOrder: () => {},
      });
    },
    close: () => Promise.resolve(handle.close()),
  };
}

/** Statement with the rest of D1's methods. */
interface D1Statement extends SqlStatement {
  bind(...values: SqlValue[]): D1Statement;
  first<T>(column?: string): Promise<T | null>;
  raw<T extends unknown[]>(options?: { columnNames?: boolean }): Promise<T[]>;
}

const TRANSACTION = /^\s*(BEGIN|START|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE|PREPARE)\b/i;

/**
 * Has a database refuse the statements of transactions, as D1 does: one that is left open would take in what other
 * requests write, which is lost with it.
 *
 * @throws {Error} From `prepare()`, for such a statement.
 */
export function refuseTransactions<Database extends SqlDatabase>(database: Database): Database {
  const { prepare } = database;
  return Object.assign(database, {
    prepare(sql: string): SqlStatement {
      const word = TRANSACTION.exec(sql.replace(/--.*|\/\*[^]*?\*\//g, " "))?.[1];
      if (word === undefined) return prepare(sql);
      throw new Error(
        `${word.toUpperCase()} cannot be prepared: a transaction that is left open would take in what other requests ` +
          "write. Call batch(), whose statements are all done or none.",
      );
    },
  });
}

/** Adds the methods of D1 that the library does not need: `first(column)`, `raw()`, `exec()` and `withSession()`. */
function withD1Methods(database: SqlDatabase, handle: DatabaseSync): SqlDatabase {
  const plain = database.prepare;
  function extend(statement: SqlStatement, sql: string, values: SqlValue[]): D1Statement {
    const { bind, first } = statement;
    return Object.assign(statement, {
      bind: (...given: SqlValue[]) => extend(bind(...given), sql, given),
      first: async <T>(column?: string): Promise<T | null> => {
        const row = await first<Record<string, T>>();
        if (column === undefined || row === null) return row as T | null;
        if (Object.hasOwn(row, column)) return row[column]!;
        throw new Error(`D1_COLUMN_NOTFOUND: Column not found (${column})`);
      },
      // An object would hold one of two columns with the same name, as joins have them.
      raw: <T extends unknown[]>(options: { columnNames?: boolean } = {}): Promise<T[]> =>
        new Promise((resolve) => {
          const prepared = handle.prepare(sql) as ArrayStatement;
          if (prepared.setReturnArrays === undefined) {
            throw new Error("raw() of the database requires Node 22.16 or newer.");
          }
          prepared.setReturnArrays(true);
          const rows = prepared.all(...values.map(toSqlite)) as unknown as T[];
          const names = prepared.columns().map(({ name }) => name) as T;
          resolve(options.columnNames === true ? [names, ...rows] : rows);
        }),
    });
  }
  const extended = Object.assign(database, {
    prepare: (sql: string): D1Statement => extend(plain(sql), sql, []),
    exec: (sql: string): Promise<{ count: number; duration: number }> =>
      new Promise((resolve) => {
        handle.exec(sql);
        resolve({ count: sql.trim().split("\n").length, duration: 0 });
      }),
    withSession: () => Object.assign(Object.create(extended), { getBookmark: () => null }),
  });
  return extended;
}

/** Statement of `node:sqlite` as newer releases have it. */
type ArrayStatement = ReturnType<DatabaseSync["prepare"]> & {
  setReturnArrays?(enabled: boolean): void;
  columns(): { name: string }[];
};

function toSqlite(value: SqlValue): string | number | null | Uint8Array {
  if (typeof value === "boolean") return value ? 1 : 0;
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}
