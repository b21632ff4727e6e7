/**
 * PostgreSQL in the shape of D1.
 *
 * @module
 */

import { ConfigurationError, RequestError } from "../errors.ts";
import { postgresDialect } from "./postgres_dialect.ts";
import {
  type Pglite,
  poolOfClient,
  poolOfPglite,
  poolOfPostgresJs,
  type PostgresClient,
  type PostgresJs,
} from "./postgres_handles.ts";
import type { PostgresPool, PostgresResult } from "./postgres_pool.ts";
import { driverName } from "./rows.ts";
import { readTimeout, serverDatabase, serverLimit } from "./server_database.ts";
import type { SqlDatabase, SqlResult, SqlValue } from "./sql_database.ts";
import { withMigrate } from "./upgrade.ts";

/** Handles that {@linkcode postgres} accepts, recognized by their methods. */
export type PostgresHandle = PostgresPool | PostgresClient | PostgresJs | Pglite;

/** Options of {@linkcode postgres}, each in milliseconds. */
export interface PostgresDatabaseOptions {
  /**
   * Time that a statement waits for a connection, in the pool's queue or for a new one, in
   * milliseconds. A pool without `connectionTimeoutMillis` gets this one. Default 5,000.
   */
  connectionTimeout?: number;
  /**
   * Time limit of a statement in milliseconds; 0 for none. The server's own limit is a tenth less
   * (`statement_timeout` of the connections used here), so that it normally reports the timeout
   * itself. A connection that does not answer in time is closed. Default 5,000.
   */
  statementTimeout?: number;
  /**
   * Time limit for one request's use of the database in milliseconds, over all of its statements
   * and their retries; 0 for none. Default 10,000.
   */
  requestTimeout?: number;
}

// The type number of BIGINT, which drivers give as texts since it may exceed what a number holds.
const INT8 = 20;

function toPostgres(value: SqlValue): unknown {
  // No text of PostgreSQL has it: the request is at fault, and not the database.
  if (typeof value === "string" && value.includes("\0")) {
    throw new RequestError(
      "A text has a NUL character, which PostgreSQL cannot hold: leave it out",
    );
  }
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
 * The database for `createAuth({ database })` over an open handle of PostgreSQL, whatever its driver:
 *
 * - a `Pool` of `pg`, or anything with its `connect()`
 * - a `Client` of `pg`, of which the library is the only user: one connection, one statement at a time
 * - the `sql` of postgres.js
 * - a `Pool` or a `Client` of `@neondatabase/serverless`, over WebSockets
 * - a `PGlite`, PostgreSQL in the process, in which one transaction runs after the other
 *
 * The tables are those of `postgresSchema`. Statements are written with `?1`, `?2`, … or with `$1`, `$2`, …, and
 * `batch()` is one transaction. Nothing waits for a database that does not answer longer than the options say; then it
 * is a 503. What the application asks it by `prepare()` is tried again when it only reads, as in `authorize()`.
 *
 * @param handle The open handle. It stays the application's to end. Errors of a pool and of a client are listened to
 * here: without that a restart of the server ends the process. A client that has lost its connection stays lost; a pool
 * and postgres.js make another.
 * @param options Timeouts in milliseconds. Default: 5,000 for a connection, 5,000 for a statement, 10,000 for a
 * request.
 * @throws {ConfigurationError} For a timeout that is no number of milliseconds, a handle of another kind, which the
 * message names, and postgres.js with a `transform`, which would rename the library's columns.
 *
 * @example
 * ```ts
 * import { postgres, type PostgresPool } from "@framework/auth/postgres";
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
 * const statement = postgres(pool).prepare("SELECT name FROM users WHERE id = ?1");
 * deepEqual(await statement.bind("ada").first(), {
 *   text: "SELECT name FROM users WHERE id = $1",
 *   values: ["ada"],
 * });
 * ```
 */
export function postgres(
  handle: PostgresHandle,
  options: PostgresDatabaseOptions = {},
): SqlDatabase {
  const driver = Object(handle);
  const limit = serverLimit(readTimeout("statementTimeout", options.statementTimeout));
  const make = (pool: PostgresPool, isTold: boolean) =>
    withMigrate(poolDatabase(pool, options, isTold ? null : limit));
  if (typeof driver.unsafe === "function" && typeof driver.begin === "function") {
    return make(poolOfPostgresJs(driver, limit), true);
  }
  if (driver.waitReady && typeof driver.transaction === "function") {
    return make(poolOfPglite(driver), true);
  }
  if (typeof driver.connect !== "function") {
    throw new ConfigurationError(
      `postgres() cannot use ${driverName(handle)}: it takes a Pool or a Client of pg or of ` +
        "@neondatabase/serverless, the sql of postgres.js, or a PGlite",
      { field: "database" },
    );
  }
  // A pool counts its connections; what answers queries and counts nothing is one connection.
  const isOne = typeof driver.query === "function" && !("totalCount" in driver);
  return make(isOne ? poolOfClient(driver) : driver, false);
}

/**
 * A database over connections, in the shape of D1.
 *
 * @param told Time limit in milliseconds that connections are told at their start; null where they have one, or none.
 */
function poolDatabase(
  pool: PostgresPool,
  options: PostgresDatabaseOptions,
  told: number | null,
): SqlDatabase {
  return serverDatabase<PostgresResult>(
    {
      name: "PostgreSQL",
      dialect: postgresDialect,
      begin: "BEGIN",
      commit: "COMMIT",
      rollback: "ROLLBACK",
      welcome: told === null ? undefined : (ask) => ask(`SET statement_timeout = ${told}`),
      isRefusal,
      compile(sql) {
        const text = toPostgresText(sql);
        return {
          execute: async (ask, values) => toResult(await ask(text, values.map(toPostgres))),
        };
      },
    },
    pool,
    options,
  );
}

/** An answer of the server with an SQLSTATE, or a text that it was not sent, as opposed to a connection that broke. */
function isRefusal(error: unknown): boolean {
  if (error instanceof RequestError) return true;
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  // Class 57 is the server going away, but for a statement that took too long, class 08 a broken connection, and
  // 25006 a replica, which stays one: with its connection the pool would never find the primary.
  return typeof code === "string" && /^(?!57(?!014)|08|25006)[0-9A-Z]{5}$/.test(code);
}

// What is no placeholder: texts (in E'…' a backslash escapes the quote), quoted names, comments, and texts
// between dollar signs.
const TOKENS =
  /\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\1|\?(\d+)/g;

/** Writes the places for values as PostgreSQL does: `?1` becomes `$1`. */
export function toPostgresText(sql: string): string {
  return sql.replace(
    TOKENS,
    (token, _quote: string | undefined, place: string | undefined) =>
      place === undefined ? token : `$${place}`,
  );
}
