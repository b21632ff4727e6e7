/**
 * MariaDB in the shape of D1.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import { cureOf, LOCK_TEXT, mariadbDialect } from "./mariadb_dialect.ts";
import { NAME_TAKEN } from "./mariadb_schema.ts";
import { compileMariadb, limitedText, type MariadbAnswer } from "./mariadb_text.ts";
import { driverName } from "./rows.ts";
import {
  type Ask,
  poolOfOne,
  type ServerConnection,
  serverDatabase,
  serverLimit,
  type ServerPool,
} from "./server_database.ts";
import type { SqlDatabase, SqlValue } from "./sql_database.ts";
import { withMigrate } from "./upgrade.ts";

/** A statement, and options that go before those of the pool. */
export interface MariadbStatement {
  /** Text with a `?` for each value. */
  sql: string;
  /** Values of the places, in order. */
  // deno-lint-ignore no-explicit-any -- what a driver takes
  values?: any[];
  /** False: rows are objects. */
  rowsAsArray: false;
  /** False: their columns are their own. */
  nestTables: false;
  /** True: integers that no number holds are texts. */
  supportBigNumbers: true;
  /** False: the others are numbers. */
  bigNumberStrings: false;
}

/** One connection: the part of a connection of `mysql2/promise` that is needed here. */
export interface MariadbConnection {
  /** Runs a statement that the server prepares. */
  // deno-lint-ignore no-explicit-any -- rows or a header, as the driver's own types say it
  execute(statement: MariadbStatement): Promise<[any, any]>;
  /** Runs a statement of one text. */
  // deno-lint-ignore no-explicit-any -- rows or a header, as the driver's own types say it
  query(statement: MariadbStatement): Promise<[any, any]>;
  /** Closes it at once. */
  destroy(): void;
  /** Listens to the failure of the connection while no query runs on it. */
  // deno-lint-ignore no-explicit-any -- its own types differ by event
  on(event: "error", listener: (error: any) => any): unknown;
}

/** A connection of a pool. */
export interface MariadbPoolConnection extends MariadbConnection {
  /** Gives it back. */
  release(): void;
  /** The connection itself, which stays the same each time it is taken. */
  readonly connection?: object;
}

/** Source of connections: the part of a pool of `mysql2/promise` that is needed here. */
export interface MariadbPool {
  /** Takes a connection, which nobody else uses until it is released. */
  getConnection(): Promise<MariadbPoolConnection>;
}

/** A pool or a connection of `mysql2` itself, which takes callbacks. */
export interface MariadbCallbacks {
  /** The same one with promises. */
  promise(): MariadbPool | MariadbConnection;
}

/** Handles that {@linkcode mariadb} accepts, recognized by their methods. */
export type MariadbHandle = MariadbPool | MariadbConnection | MariadbCallbacks;

/** Options of {@linkcode mariadb}, each in milliseconds. */
export interface MariadbDatabaseOptions {
  /**
   * Time that a statement waits for a connection, in the pool's queue or for a new one, in milliseconds. Default 5,000.
   */
  connectionTimeout?: number;
  /**
   * Time limit of a statement in milliseconds; 0 for none. The server's own limit is a tenth less (`max_statement_time`,
   * of each statement alone), so that it normally reports the timeout itself. A connection that does not answer in time
   * is closed. Default 5,000.
   */
  statementTimeout?: number;
  /**
   * Time limit for one request's use of the database in milliseconds, over all of its statements
   * and their retries; 0 for none. Default 10,000.
   */
  requestTimeout?: number;
}

/** Result of a query by mysql2. */
interface Outcome {
  /** Rows, or the header of a statement that gives none. */
  result: unknown;
  /** The statement. */
  text: string;
}

interface Header {
  affectedRows?: number;
  insertId?: number;
  info?: string;
}

function readOutcome({ result, text }: Outcome): MariadbAnswer {
  if (Array.isArray(result)) {
    return {
      rows: result,
      changes: /\bRETURNING\b/i.test(text) ? result.length : 0,
      insertId: 0,
    };
  }
  const { affectedRows = 0, insertId = 0, info = "" } = result as Header;
  // Whether the pool has the flag FOUND_ROWS or not: a row that is as it should be was found.
  const found = /^Rows matched: (\d+)/.exec(info)?.[1];
  return { rows: [], changes: found === undefined ? affectedRows : Number(found), insertId };
}

function toMariadb(value: unknown): unknown {
  const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
  const { Buffer } = globalThis as { Buffer?: { from(bytes: Uint8Array): unknown } };
  return bytes instanceof Uint8Array && Buffer ? Buffer.from(bytes) : bytes;
}

async function ask(
  connection: MariadbConnection,
  text: string,
  values: unknown[] = [],
): Promise<Outcome> {
  const statement: MariadbStatement = {
    sql: text,
    rowsAsArray: false,
    nestTables: false,
    supportBigNumbers: true,
    bigNumberStrings: false,
  };
  try {
    const [result] = values.length === 0
      ? await connection.query(statement)
      : await connection.execute({ ...statement, values: values.map(toMariadb) });
    return { result, text };
  } catch (cause) {
    const { sqlState, sqlMessage } = Object(cause);
    if (sqlState !== NAME_TAKEN) throw cause;
    throw new ConfigurationError(
      `The database has a table "${sqlMessage}" that is not the library's, so its own cannot be made: give the library ` +
        "a database of its own, or rename that table and copy its rows afterwards",
      { field: "database", cause },
    );
  }
}

const heard = new WeakSet<object>();

function poolOf(pool: MariadbPool): ServerPool<Outcome> {
  const known = new WeakMap<object, ServerConnection<Outcome>>();

  function adapt(taken: MariadbPoolConnection, itself: object): ServerConnection<Outcome> {
    return {
      query: (text, values) => ask(taken, text, values),
      release: (destroy) => destroy ? taken.destroy() : taken.release(),
      on(event, listener) {
        // Once, however many databases have the pool.
        if (!heard.has(itself)) taken.on(event, listener);
        heard.add(itself);
      },
    };
  }

  return {
    async connect() {
      const taken = await pool.getConnection();
      // The driver wraps it anew each time.
      const itself = taken.connection ?? taken;
      const connection = known.get(itself) ?? adapt(taken, itself);
      known.set(itself, connection);
      return connection;
    },
  };
}

/** Refuses what the library cannot work with, once for each connection. */
async function welcome(ask: Ask<Outcome>): Promise<void> {
  const { result } = await ask("SELECT VERSION() AS version, @@character_set_client AS charset");
  const [{ version, charset }] = result as [{ version: string; charset: string }];
  const [, major, minor] = /^(?:5\.5\.5-)?(\d+)\.(\d+)/.exec(version) ?? [];
  if (!/mariadb/i.test(version) || Number(major) * 1000 + Number(minor) < 10_011) {
    throw new ConfigurationError(
      `mariadb() needs MariaDB 10.11 or later: the server says that it is ${version}`,
      { field: "database" },
    );
  }
  // Another one would write "?" for letters that it has not, and two addresses would be one.
  if (charset !== "utf8mb4") {
    throw new ConfigurationError(
      `mariadb() needs connections in utf8mb4, and this one is in ${charset}: leave \`charset\` out of the options of ` +
        "the pool, or set it to utf8mb4",
      { field: "database" },
    );
  }
}

// The server goes away, ended the statement or the connection, or is a replica, which stays one.
const GONE: readonly unknown[] = [1053, 1290, 1317, 1836, 1927];

/** An answer of the server with an SQLSTATE, as opposed to a connection that broke. */
function isRefusal(error: unknown): boolean {
  const { sqlState, errno, fatal } = Object(error);
  return typeof sqlState === "string" && !sqlState.startsWith("08") && !fatal &&
    !GONE.includes(errno);
}

/** Takes the lock that {@linkcode LOCK_TEXT} names; the end of the transaction gives it back. */
async function takeLock(answer: Promise<{ results: unknown[] }>) {
  const { results } = await answer;
  const [row] = results as [{ locked: unknown }];
  if (Number(row.locked) === 1) return { results, meta: {} };
  // As the server says it of a row.
  throw Object.assign(new Error("The lock was waited for in vain"), {
    errno: 1205,
    sqlState: "HY000",
  });
}

/**
 * The database for `createAuth({ database })` over an open handle of `mysql2` on MariaDB 10.11 or later:
 *
 * - a pool, of `mysql2/promise` or of `mysql2`
 * - a connection of either, of which the library is the only user: one statement at a time
 *
 * The tables are those of `mariadbSchema`, which `auth.migrate()` makes. Statements are written with `?1`, `?2`, … or
 * with `?`, and `batch()` is one transaction, in which reads see what is committed (READ COMMITTED); the settings of the
 * connections stay as they are. Nothing waits for a database that does not answer longer than the options say; then it
 * is a 503. What the application asks it by `prepare()` is tried again when it only reads, as in `authorize()`.
 *
 * @param handle The open handle. It stays the application's to end. A connection that is lost stays lost; a pool makes
 * another.
 * @param options Timeouts in milliseconds. Default: 5,000 for a connection, 5,000 for a statement, 10,000 for a
 * request.
 * @throws {ConfigurationError} For a timeout that is no number of milliseconds, and a handle of another kind, which the
 * message names.
 *
 * @example
 * ```ts
 * import { mariadb, type MariadbConnection } from "@framework/auth/mariadb";
 * import { deepEqual } from "node:assert/strict";
 *
 * const sent: string[] = [];
 * // In the place of a server.
 * const connection: MariadbConnection = {
 *   query: () => Promise.resolve([[{ version: "11.8.2-MariaDB", charset: "utf8mb4" }], []]),
 *   execute({ sql, values }) {
 *     sent.push(sql);
 *     return Promise.resolve([[{ name: values }], []]);
 *   },
 *   destroy() {},
 *   on() {},
 * };
 * const statement = mariadb(connection).prepare("SELECT name FROM users WHERE id = ?1");
 * deepEqual(await statement.bind("ada").first(), { name: ["ada"] });
 * deepEqual(sent[0]?.endsWith("SELECT name FROM users WHERE id = ?"), true);
 * ```
 */
export function mariadb(
  handle: MariadbHandle,
  options: MariadbDatabaseOptions = {},
): SqlDatabase {
  const given = Object(handle);
  const driver = typeof given.promise === "function" ? given.promise() : given;
  // The connector of MariaDB itself has both methods too, and resolves with something else.
  if (typeof driver.execute !== "function" || typeof driver.importFile === "function") {
    throw new ConfigurationError(
      `mariadb() cannot use ${driverName(handle)}: it takes a pool or a connection of mysql2`,
      { field: "database" },
    );
  }
  const pool: ServerPool<Outcome> = typeof driver.getConnection === "function"
    ? poolOf(driver)
    : poolOfOne({
      name: "connection of mysql2",
      query: (text, values) => ask(driver, text, values),
      open: () => Promise.resolve(),
      end: () => driver.destroy(),
      on: (event, listener) => driver.on(event, listener),
    });
  return withMigrate(serverDatabase<Outcome>(
    {
      name: "MariaDB",
      dialect: mariadbDialect,
      // For this transaction alone: REPEATABLE READ would go on reading what was before it waited for a lock.
      begin:
        "BEGIN NOT ATOMIC SET TRANSACTION ISOLATION LEVEL READ COMMITTED; START TRANSACTION; END",
      commit: "BEGIN NOT ATOMIC COMMIT; DO RELEASE_ALL_LOCKS(); END",
      rollback: "BEGIN NOT ATOMIC ROLLBACK; DO RELEASE_ALL_LOCKS(); END",
      welcome,
      limited: (text, most) => limitedText(text, serverLimit(most)!),
      isRefusal,
      cureOf,
      compile(sql) {
        const compiled = compileMariadb(sql, readOutcome);
        if (sql !== LOCK_TEXT) return compiled;
        return {
          execute: (ask: Ask<Outcome>, values: SqlValue[]) =>
            takeLock(compiled.execute(ask, values)),
        };
      },
    },
    pool,
    options,
  ));
}
