import { postgresDialect } from "./postgres_dialect.ts";
import { toPostgresText } from "./postgres_text.ts";
import type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./sql_database.ts";

/** What a query gave: the part of `QueryResult` of the npm package `pg` that is needed here. */
export interface PostgresResult {
  /** The rows, as objects by the names of their columns. */
  rows: unknown[];
  /** How many rows there are or were changed; null when that means nothing. */
  rowCount: number | null;
  /** The kind of the statement: `SELECT`, `UPDATE`, … */
  command: string;
  /** The columns, with the number of their type. */
  fields: { name: string; dataTypeID: number }[];
}

/** One connection to PostgreSQL. */
export interface PostgresConnection {
  /** Runs one statement with the values of `$1`, `$2`, … */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** Gives the connection back; with `true` it is closed, because nobody knows what state it is in. */
  release(destroy?: boolean): void;
  /** Listens to the failure of the connection while no query runs on it. */
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** Where connections come from: the part of `Pool` of the npm package `pg` that is needed here. */
export interface PostgresPool {
  /** Takes a connection, which nobody else uses until it is released. */
  connect(): Promise<PostgresConnection>;
  /** Tells of each new connection at once, before `connect()` resolves. */
  on?(event: "connect", listener: (connection: PostgresConnection) => void): unknown;
}

interface AdaptedStatement extends SqlStatement {
  executeOn(connection: PostgresConnection): Promise<SqlResult>;
}

// The type number of BIGINT, which drivers give as texts since it may exceed what a number holds.
const INT8 = 20;

const heard = new WeakSet<PostgresConnection | PostgresPool>();

/**
 * A driver that emits `error` where nobody listens ends the process, and the pool listens only to
 * connections that nobody uses. The next query on such a connection rejects, so nothing is done here.
 */
function hearErrors(connection: PostgresConnection): void {
  if (heard.has(connection)) return;
  heard.add(connection);
  connection.on?.("error", () => {});
}

/** The server may end a connection with what it says to welcome it, before anybody who awaits it listens. */
function hearNew(pool: PostgresPool): void {
  if (heard.has(pool)) return;
  heard.add(pool);
  pool.on?.("connect", hearErrors);
}

function toPostgres(value: SqlValue): unknown {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}

/** As a number when a number can hold it; what a corrupt row holds stays as it came. */
function toNumber(value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function toResult({ rows, rowCount, command, fields }: PostgresResult): SqlResult {
  const big = fields.filter(({ dataTypeID }) => dataTypeID === INT8).map(({ name }) => name);
  const results = big.length === 0 ? rows : rows.map((row) => {
    const converted = { ...row as Record<string, unknown> };
    for (const name of big) converted[name] = toNumber(converted[name]);
    return converted;
  });
  return { results, meta: { changes: command === "SELECT" ? 0 : rowCount ?? 0 } };
}

/**
 * Gives PostgreSQL the shape of D1. The tables are those of `postgresSchema`. Statements are written
 * with `?1`, `?2`, … or with `$1`, `$2`, …, and `batch()` is one transaction.
 *
 * @param pool A `Pool` of the npm package `pg`, or anything with its `connect()`. It stays the
 * application's to end.
 *
 * @example
 * ```ts
 * import { createPostgresDatabase, type PostgresPool } from "@framework/auth/storage-postgres";
 * import { deepEqual } from "node:assert/strict";
 *
 * // In the place of a server.
 * const pool: PostgresPool = {
 *   connect: () =>
 *     Promise.resolve({
 *       query: (text, values) =>
 *         Promise.resolve({ rows: [{ text, values }], rowCount: 1, command: "SELECT", fields: [] }),
 *       release: () => {},
 *     }),
 * };
 * const statement = createPostgresDatabase(pool).prepare("SELECT name FROM users WHERE id = ?1");
 * deepEqual(await statement.bind("ada").first(), {
 *   text: "SELECT name FROM users WHERE id = $1",
 *   values: ["ada"],
 * });
 * ```
 */
export function createPostgresDatabase(pool: PostgresPool): SqlDatabase {
  hearNew(pool);

  /** The work with a connection; one whose work failed in an unknown state is closed. */
  async function withConnection<T>(
    work: (connection: PostgresConnection) => Promise<T>,
  ): Promise<T> {
    const connection = await pool.connect();
    hearErrors(connection);
    let destroy = true;
    try {
      const result = await work(connection);
      destroy = false;
      return result;
    } catch (error) {
      // A statement that the server refused leaves the connection as good as it was.
      destroy = !isRefusal(error);
      throw error;
    } finally {
      connection.release(destroy);
    }
  }

  function adapt(text: string, values: SqlValue[]): AdaptedStatement {
    async function executeOn(connection: PostgresConnection): Promise<SqlResult> {
      return toResult(await connection.query(text, values.map(toPostgres)));
    }
    const execute = (): Promise<SqlResult> => withConnection(executeOn);
    return {
      executeOn,
      bind: (...bound) => adapt(text, bound),
      first: async <T>() => ((await execute()).results[0] ?? null) as T | null,
      all: async <T>() => await execute() as SqlResult<T>,
      run: execute,
    };
  }

  return {
    dialect: postgresDialect,
    prepare: (sql) => adapt(toPostgresText(sql), []),
    batch: (statements) =>
      withConnection(async (connection) => {
        await connection.query("BEGIN");
        const results: SqlResult[] = [];
        try {
          for (const statement of statements as AdaptedStatement[]) {
            results.push(await statement.executeOn(connection));
          }
          await connection.query("COMMIT");
        } catch (error) {
          await rollBack(connection, error);
          throw error;
        }
        return results;
      }),
  };
}

async function rollBack(connection: PostgresConnection, cause: unknown): Promise<void> {
  try {
    await connection.query("ROLLBACK");
  } catch {
    // No refusal, so the connection is closed: that rolls back as well.
    throw new Error("The connection terminated before a transaction was rolled back", { cause });
  }
}

/** An answer of the server with an SQLSTATE, as opposed to a connection that broke. */
function isRefusal(error: unknown): boolean {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  // Class 57 is the server going away, class 08 a broken connection.
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !/^(?:57|08)/.test(code);
}
