/**
 * Clients of libSQL in the shape of D1.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import { narrow } from "./rows.ts";
import type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./sql_database.ts";
import { forApplications } from "./sql_executor.ts";

/** A value that libSQL takes. */
export type LibsqlValue = string | number | bigint | boolean | null | ArrayBuffer | Uint8Array;

/** A statement with the values of `?1`, `?2`, … */
export interface LibsqlStatement {
  /** The text. */
  sql: string;
  /** The values, in order. */
  args: LibsqlValue[];
}

/** Result of a statement: the part of `ResultSet` of `@libsql/client` that is needed here. */
export interface LibsqlResult {
  /** The rows, with their values by the names of the columns. */
  rows: unknown[];
  /** Number of changed rows. */
  rowsAffected: number;
  /** The id of the row that was inserted last. */
  lastInsertRowid?: bigint | undefined;
}

/** The part of `Client` of `@libsql/client` that is needed here. */
export interface LibsqlClient {
  /** Runs one statement. */
  execute(statement: LibsqlStatement): Promise<LibsqlResult>;
  /** Runs statements in order, as one transaction that may write. */
  batch(statements: LibsqlStatement[], mode: "write"): Promise<LibsqlResult[]>;
  /** Protocol of the connection: "file" for a database in the process. */
  readonly protocol?: string;
}

interface Bound extends SqlStatement {
  readonly statement: LibsqlStatement;
}

const READS = /^\s*(?:SELECT|VALUES|PRAGMA|EXPLAIN)\b/i;

function toResult(sql: string, result: LibsqlResult): SqlResult {
  const { rows, rowsAffected, lastInsertRowid } = result;
  const meta = {
    // A file counts no rows of RETURNING.
    changes: READS.test(sql) ? 0 : Math.max(rowsAffected, rows.length),
    ...(lastInsertRowid !== undefined && { ["last_row_id"]: Number(lastInsertRowid) }),
  };
  return { results: rows.map(narrow), meta };
}

/**
 * Converts the client's error for an unreachable server to a message that `sqliteFailureOf()`
 * recognizes.
 */
function named(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const lost =
    /^(?:HRANA_(?:CLOSED|WEBSOCKET)_ERROR|SERVER_ERROR|ECONNRESET|EPIPE)$/.test(String(code)) ||
    (error instanceof TypeError && /fetch failed|error sending request/i.test(String(message)));
  return lost ? new Error(`Network connection lost: ${message}`, { cause: error }) : error;
}

/** Gives a client of libSQL the shape of D1. See `sqlite()`. */
export function libsqlDatabase(
  client: LibsqlClient,
  { busyTimeout, wal }: { busyTimeout: number; wal: boolean },
): SqlDatabase {
  let settled: Promise<void> | undefined;

  async function readsForeignKeys(): Promise<boolean> {
    const [row] = (await client.execute({ sql: "PRAGMA foreign_keys", args: [] })).rows;
    // A server that says nothing of it has settings of its own.
    return row === undefined || Number((row as Record<string, unknown>).foreign_keys) === 1;
  }

  async function settle(): Promise<void> {
    if (client.protocol === "file") {
      await client.execute({ sql: `PRAGMA busy_timeout = ${busyTimeout}`, args: [] });
      if (wal) await client.execute({ sql: "PRAGMA journal_mode = WAL", args: [] });
    }
    if (await readsForeignKeys()) return;
    await client.execute({ sql: "PRAGMA foreign_keys = ON", args: [] });
    if (await readsForeignKeys()) return;
    // Sessions would outlive their user.
    throw new ConfigurationError(
      "This libSQL database does not enforce foreign keys, which end the sessions of a user who is deleted: " +
        "turn them on for every connection",
      { field: "database" },
    );
  }

  async function ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      await (settled ??= settle());
    } catch (error) {
      settled = undefined;
      throw named(error);
    }
    try {
      return await work();
    } catch (error) {
      throw named(error);
    }
  }

  function adapt(sql: string, args: SqlValue[]): Bound {
    const statement = { sql, args };
    const run = () => ask(async () => toResult(sql, await client.execute(statement)));
    return {
      // Of any client: a batch is texts.
      of: "libSQL",
      statement,
      bind: (...values) => adapt(sql, values),
      first: async <T>() => ((await run()).results[0] ?? null) as T | null,
      all: async <T>() => await run() as SqlResult<T>,
      run,
    };
  }

  return forApplications({
    prepare: (sql) => adapt(sql, []),
    batch: (statements) =>
      ask(async () => {
        const texts = (statements as Bound[]).map(({ statement }) => statement);
        const results = await client.batch(texts, "write");
        return results.map((result, index) => toResult(texts[index]!.sql, result));
      }),
  });
}
