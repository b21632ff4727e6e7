/**
 * PostgreSQL in the shape of D1.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import { wrongOption } from "../lib/options.ts";
import { findRunningRequest } from "../lib/runtime.ts";
import { postgresDialect } from "./postgres_dialect.ts";
import {
  type Pglite,
  poolOfClient,
  poolOfPglite,
  poolOfPostgresJs,
  type PostgresClient,
  type PostgresJs,
} from "./postgres_handles.ts";
import type { PostgresConnection, PostgresPool, PostgresResult } from "./postgres_pool.ts";
import { driverName } from "./rows.ts";
import type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./sql_database.ts";
import { forApplications } from "./sql_executor.ts";
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

/** Runs one statement on the connection of a transaction. */
type Ask = (text: string, values?: unknown[]) => Promise<PostgresResult>;

interface AdaptedStatement extends SqlStatement {
  executeOn(ask: Ask): Promise<SqlResult>;
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

/**
 * The server may end a connection with what it says to welcome it, before anybody who awaits it listens. The pool says
 * again what happens to connections that nobody uses, and ends the process too when nobody listens.
 */
function hearNew(pool: PostgresPool): void {
  if (heard.has(pool)) return;
  heard.add(pool);
  pool.on?.("connect", hearErrors);
  pool.on?.("error", () => {});
}

/** Error thrown when the time limit has passed; `postgresDialect` recognizes it by its code. */
function timeoutError(code: "ETIMEDOUT" | "NO_CONNECTION", milliseconds: number): Error {
  const what = code === "ETIMEDOUT" ? "PostgreSQL has not answered" : "There was no connection";
  return Object.assign(new Error(`${what} within ${Math.round(milliseconds)} ms`), { code });
}

/** Rejects when a promise takes too long. */
async function within<T>(
  promise: Promise<T>,
  milliseconds: number,
  code: "ETIMEDOUT" | "NO_CONNECTION",
): Promise<T> {
  if (milliseconds === Infinity) return await promise;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError(code, milliseconds)), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function readTimeout(name: keyof PostgresDatabaseOptions, value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > 2 ** 31 - 1) {
    throw wrongOption(name, value, "a whole number of milliseconds, or 0");
  }
  return value === 0 ? Infinity : value;
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
  if (typeof driver.unsafe === "function" && typeof driver.begin === "function") {
    const limit = readTimeout("statementTimeout", options.statementTimeout ?? 5000);
    return withMigrate(poolDatabase(poolOfPostgresJs(driver, serverLimit(limit)), options, true));
  }
  if (driver.waitReady && typeof driver.transaction === "function") {
    return withMigrate(poolDatabase(poolOfPglite(driver), options, true));
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
  return withMigrate(poolDatabase(isOne ? poolOfClient(driver) : driver, options));
}

/** Time limit for the server, a tenth less, so that it normally reports the timeout itself. */
const serverLimit = (limit: number): number | null =>
  limit === Infinity ? null : Math.ceil(limit * 0.9);

/**
 * A database over connections, in the shape of D1.
 *
 * @param isTold Whether connections have `statement_timeout` from their start. Default false.
 */
function poolDatabase(
  pool: PostgresPool,
  options: PostgresDatabaseOptions,
  isTold: boolean = false,
): SqlDatabase {
  const connectionTimeout = readTimeout("connectionTimeout", options.connectionTimeout ?? 5000);
  const statementTimeout = readTimeout("statementTimeout", options.statementTimeout ?? 5000);
  const requestTimeout = readTimeout("requestTimeout", options.requestTimeout ?? 10_000);
  hearNew(pool);
  // A connection that is never made takes the place of another one for good.
  if (pool.options && !pool.options.connectionTimeoutMillis && connectionTimeout !== Infinity) {
    pool.options.connectionTimeoutMillis = connectionTimeout;
  }

  const patiences = new WeakMap<object, Patience>();
  /** Moment of the last answer on each connection; a new one has none. */
  const heardAt = new WeakMap<PostgresConnection, number>();
  /** Moment since which connections are silent: those with no answer after it have gone the same way. */
  let silentSince = 0;

  function patienceNow(): Patience {
    const request = findRunningRequest();
    let patience = request && patiences.get(request);
    if (patience === undefined) {
      patience = createPatience(requestTimeout, () => performance.now());
      if (request !== undefined) patiences.set(request, patience);
    }
    return patience;
  }

  async function connect(patience: Patience): Promise<PostgresConnection> {
    const limit = Math.min(connectionTimeout, patience.left());
    if (limit <= 0) throw timeoutError("NO_CONNECTION", requestTimeout);
    const connecting = pool.connect();
    try {
      return await within(connecting, limit, "NO_CONNECTION");
    } catch (error) {
      connecting.then((late) => late.release(), () => {});
      throw error;
    }
  }

  /** Runs one statement in the time that there is. */
  async function ask(
    connection: PostgresConnection,
    { text, values, limit }: { text: string; values: unknown[] | undefined; limit: number },
  ): Promise<PostgresResult> {
    if (limit <= 0) throw timeoutError("ETIMEDOUT", requestTimeout);
    const begun = performance.now();
    try {
      const result = await within(connection.query(text, values), limit, "ETIMEDOUT");
      heardAt.set(connection, performance.now());
      return result;
    } catch (error) {
      if ((error as { code?: unknown }).code === "ETIMEDOUT") silentSince = begun;
      throw error;
    }
  }

  /** The work with a connection; one whose work failed in an unknown state is closed. */
  async function withConnection<T>(
    work: (ask: Ask) => Promise<T>,
    most: number = statementTimeout,
  ): Promise<T> {
    const patience = patienceNow();
    patience.begin();
    try {
      let connection = await connect(patience);
      while ((heardAt.get(connection) ?? Infinity) < silentSince) {
        connection.release(true);
        connection = await connect(patience);
      }
      hearErrors(connection);
      const askHere = (text: string, values?: unknown[]) => {
        const limit = most === Infinity ? most : Math.min(most, patience.left());
        return ask(connection, { text, values, limit });
      };
      let destroy = true;
      try {
        const told = serverLimit(statementTimeout);
        if (!isTold && told !== null && !heardAt.has(connection)) {
          await askHere(`SET statement_timeout = ${told}`);
        }
        const result = await work(askHere);
        destroy = false;
        return result;
      } catch (error) {
        // A statement that the server refused leaves the connection as good as it was.
        destroy = !isRefusal(error);
        throw error;
      } finally {
        connection.release(destroy);
      }
    } finally {
      patience.end();
    }
  }

  function adapt(text: string, values: SqlValue[]): AdaptedStatement {
    async function executeOn(ask: Ask): Promise<SqlResult> {
      return toResult(await ask(text, values.map(toPostgres)));
    }
    const execute = (): Promise<SqlResult> => withConnection(executeOn);
    return {
      // Of any pool: it runs on the connection of the batch.
      of: "PostgreSQL",
      executeOn,
      bind: (...bound) => adapt(text, bound),
      first: async <T>() => ((await execute()).results[0] ?? null) as T | null,
      all: async <T>() => await execute() as SqlResult<T>,
      run: execute,
    };
  }

  return forApplications({
    dialect: postgresDialect,
    prepare: (sql) => adapt(toPostgresText(sql), []),
    batch(statements, { statementTimeout: given } = {}) {
      return withConnection(
        async (ask) => {
          await ask("BEGIN");
          const results: SqlResult[] = [];
          try {
            for (const statement of statements as AdaptedStatement[]) {
              results.push(await statement.executeOn(ask));
            }
            await ask("COMMIT");
          } catch (error) {
            // Closing a connection rolls back as well.
            if (isRefusal(error)) await rollBack(ask, error);
            throw error;
          }
          return results;
        },
        given === undefined ? statementTimeout : readTimeout("statementTimeout", given),
      );
    },
  });
}

async function rollBack(ask: Ask, cause: unknown): Promise<void> {
  try {
    await ask("ROLLBACK");
  } catch {
    // No refusal, so the connection is closed: that rolls back as well.
    throw new Error("The connection terminated before a transaction was rolled back", { cause });
  }
}
/** An answer of the server with an SQLSTATE, as opposed to a connection that broke. */
function isRefusal(error: unknown): boolean {
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

/**
 * Remaining time for which a request may wait for the database, over all of its statements and
 * their retries.
 */
interface Patience {
  /** Waiting begins. */
  begin(): void;
  /** Waiting ends. */
  end(): void;
  /** Milliseconds that are left of what it may wait; not above 0 when there are none. */
  left(): number;
}

/**
 * Makes the patience of one request. Waiting at the same time counts once. Time in which it does not wait gives back as
 * much: a request that lasts for hours and asks the database now and then never comes to an end of it.
 *
 * @param limit Milliseconds, over all.
 * @param now A clock, in milliseconds.
 */
export function createPatience(limit: number, now: () => number): Patience {
  let waiting = 0;
  let spent = 0;
  let since = now();
  return {
    begin() {
      if (waiting++ > 0) return;
      spent = Math.max(0, spent - (now() - since));
      since = now();
    },
    end() {
      if (--waiting > 0) return;
      spent += now() - since;
      since = now();
    },
    left: () => limit - spent - (waiting > 0 ? now() - since : 0),
  };
}
