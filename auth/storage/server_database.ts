/**
 * Databases on a server in the shape of D1: connections of a pool, their timeouts and transactions.
 *
 * @module
 */

import { StorageUnavailableError } from "../errors.ts";
import { wrongOption } from "../lib/options.ts";
import { findRunningRequest } from "../lib/runtime.ts";
import type {
  SqlBatchOptions,
  SqlDatabase,
  SqlDialect,
  SqlResult,
  SqlStatement,
  SqlValue,
} from "./sql_database.ts";
import { forApplications } from "./sql_executor.ts";

/** Options of a database on a server, each in milliseconds. */
export interface ServerDatabaseOptions {
  /** Time that a statement waits for a connection. Default 5,000. */
  connectionTimeout?: number;
  /** Time limit of a statement; 0 for none. Default 5,000. */
  statementTimeout?: number;
  /** Time limit for one request's use of the database, over all of its statements and their retries; 0 for none. Default 10,000. */
  requestTimeout?: number;
}

/** A connection to a server, and the result that its driver gives. */
export interface ServerConnection<Result> {
  /** Runs one statement. */
  query(text: string, values?: unknown[]): Promise<Result>;
  /** Gives the connection back; with `true` it is closed, because nobody knows what state it is in. */
  release(destroy?: boolean): void;
  /** Listens to the failure of the connection while no query runs on it. */
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** Source of connections. */
export interface ServerPool<Result> {
  /** Takes a connection, which nobody else uses until it is released. */
  connect(): Promise<ServerConnection<Result>>;
  /** Tells of each new connection at once, before `connect()` resolves. */
  on?(event: "connect", listener: (connection: ServerConnection<Result>) => void): unknown;
  /** Tells of the failure of a connection that nobody uses. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** Options of the pool. */
  readonly options?: { connectionTimeoutMillis?: number | undefined };
}

/** One connection that an application opened. */
export interface OneConnection<Result> extends Pick<ServerConnection<Result>, "query"> {
  /** Its kind, for messages. */
  readonly name: string;
  /** Connects, before the first statement. */
  open(): Promise<unknown>;
  /** Closes it. */
  end(): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** A pool of one connection, which one at a time has. */
export function poolOfOne<Result>(one: OneConnection<Result>): ServerPool<Result> {
  let opening: Promise<unknown> | undefined;
  let turn: Promise<void> = Promise.resolve();
  let pass = () => {};
  let isLost = false;
  const connection: ServerConnection<Result> = {
    query: (text, values) => one.query(text, values),
    release(destroy) {
      if (destroy) {
        isLost = true;
        one.end();
      }
      pass();
    },
    on: (event, listener) => one.on(event, listener),
  };
  connection.on!("error", () => {});

  return {
    async connect() {
      const before = turn;
      let end = () => {};
      turn = new Promise((resolve) => end = resolve);
      await before;
      try {
        if (isLost) {
          throw Object.assign(
            new Error(`The connection of this ${one.name} has ended; a Pool makes another`),
            { code: "NO_CONNECTION" },
          );
        }
        await (opening ??= one.open());
      } catch (error) {
        end();
        throw error;
      }
      pass = end;
      return connection;
    },
  };
}

/** Runs one statement on the connection of a transaction. */
export type Ask<Result> = (text: string, values?: unknown[]) => Promise<Result>;

/** A statement of the library or of an application, as a server runs it. */
export interface CompiledStatement<Result> {
  /** Runs it on a connection. */
  execute(ask: Ask<Result>, values: SqlValue[]): Promise<SqlResult>;
  /** True when it is several statements there, which need a transaction. Default false. */
  readonly isSeveral?: boolean;
}

/** Parts that each server has of its own. */
export interface Server<Result> {
  /** Its name, for messages; statements of one kind of server run on any of its pools. */
  readonly name: string;
  readonly dialect: SqlDialect;
  /** Statements that begin a transaction and end it. */
  readonly begin: string;
  readonly commit: string;
  readonly rollback: string;
  /** Runs first on each connection. Default: nothing does. */
  readonly welcome?: ((ask: Ask<Result>) => Promise<unknown>) | undefined;
  /** The statement with a time limit of its own, in milliseconds. Default: connections have one. */
  limited?(text: string, most: number): string;
  /** An answer of the server, as opposed to a connection that broke or is of no more use. */
  isRefusal(error: unknown): boolean;
  /**
   * The statement that ends what an error says, outside of a transaction; null where there is none. The connection keeps
   * what it has prepared, and is of no more use. Default: none.
   */
  cureOf?(error: unknown): string | null;
  /** Reads a statement with `?1`, `?2`, …, once for all of its runs. */
  compile(sql: string): CompiledStatement<Result>;
}

interface AdaptedStatement<Result> extends SqlStatement {
  executeOn(ask: Ask<Result>): Promise<SqlResult>;
}

const heard = new WeakSet<object>();

/**
 * A driver that emits `error` where nobody listens ends the process, and the pool listens only to
 * connections that nobody uses. The next query on such a connection rejects, so nothing is done here.
 */
function hearErrors(connection: ServerConnection<unknown>): void {
  if (heard.has(connection)) return;
  heard.add(connection);
  connection.on?.("error", () => {});
}

/**
 * The server may end a connection with what it says to welcome it, before anybody who awaits it listens. The pool says
 * again what happens to connections that nobody uses, and ends the process too when nobody listens.
 */
function hearNew(pool: ServerPool<unknown>): void {
  if (heard.has(pool)) return;
  heard.add(pool);
  pool.on?.("connect", hearErrors);
  pool.on?.("error", () => {});
}

/** Error thrown when the time limit has passed; the dialects recognize it by its code. */
function timeoutError(code: "ETIMEDOUT" | "NO_CONNECTION", milliseconds: number, name = ""): Error {
  const what = code === "ETIMEDOUT" ? `${name} has not answered` : "There was no connection";
  return Object.assign(new Error(`${what} within ${Math.round(milliseconds)} ms`), { code });
}

/** Rejects when a promise takes too long. */
async function within<T>(
  promise: Promise<T>,
  milliseconds: number,
  code: "ETIMEDOUT" | "NO_CONNECTION",
  name?: string,
): Promise<T> {
  if (milliseconds === Infinity) return await promise;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError(code, milliseconds, name)), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// MariaDB, "Access denied for user … to database …", which has the SQLSTATE of a wrong statement.
const NO_DATABASE = 1044;

/** Tells by SQLSTATE class 28, which each driver gives in its own field, that no login is allowed. */
function isLoginRefused(error: unknown): boolean {
  const { code, sqlState = code, errno } = Object(error);
  return /^28[0-9A-Z]{3}$/.test(sqlState) || errno === NO_DATABASE;
}

/** Reads a timeout: 0 is none. */
export function readTimeout(name: keyof ServerDatabaseOptions, value: number = 5000): number {
  if (!Number.isInteger(value) || value < 0 || value > 2 ** 31 - 1) {
    throw wrongOption(name, value, "a whole number of milliseconds, or 0");
  }
  return value === 0 ? Infinity : value;
}

/** Time limit for the server, a tenth less, so that it normally reports the timeout itself. */
export const serverLimit = (limit: number): number | null =>
  limit === Infinity ? null : Math.ceil(limit * 0.9);

/** A database over connections, in the shape of D1. */
export function serverDatabase<Result>(
  server: Server<Result>,
  pool: ServerPool<Result>,
  options: ServerDatabaseOptions,
): SqlDatabase {
  type Connection = ServerConnection<Result>;
  const { name, dialect } = server;
  const connectionTimeout = readTimeout("connectionTimeout", options.connectionTimeout);
  const statementTimeout = readTimeout("statementTimeout", options.statementTimeout);
  const requestTimeout = readTimeout("requestTimeout", options.requestTimeout ?? 10_000);
  hearNew(pool);
  // A connection that is never made takes the place of another one for good.
  if (pool.options && !pool.options.connectionTimeoutMillis && connectionTimeout !== Infinity) {
    pool.options.connectionTimeoutMillis = connectionTimeout;
  }

  const patiences = new WeakMap<object, Patience>();
  /** Moment of the last answer on each connection; a new one has none. */
  const heardAt = new WeakMap<Connection, number>();
  /** Moment since which connections are silent: those with no answer after it have gone the same way. */
  let silentSince = 0;
  /** Moment of the last cure of what the server says. */
  let curedAt = -Infinity;
  let cured: Promise<unknown> | undefined;

  function patienceNow(): Patience {
    const request = findRunningRequest();
    let patience = request && patiences.get(request);
    if (patience === undefined) {
      patience = createPatience(requestTimeout, () => performance.now());
      if (request !== undefined) patiences.set(request, patience);
    }
    return patience;
  }

  async function connect(patience: Patience): Promise<Connection> {
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
    connection: Connection,
    { text, values, limit }: { text: string; values: unknown[] | undefined; limit: number },
  ): Promise<Result> {
    if (limit <= 0) throw timeoutError("ETIMEDOUT", requestTimeout, name);
    const begun = performance.now();
    try {
      const result = await within(connection.query(text, values), limit, "ETIMEDOUT", name);
      heardAt.set(connection, performance.now());
      return result;
    } catch (error) {
      if ((error as { code?: unknown }).code === "ETIMEDOUT") silentSince = begun;
      throw error;
    }
  }

  /** The work with a connection; one whose work failed in an unknown state is closed. */
  async function withConnection<T>(
    work: (ask: Ask<Result>) => Promise<T>,
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
        const sent = server.limited && most !== Infinity ? server.limited(text, most) : text;
        return ask(connection, { text: sent, values, limit });
      };
      let destroy = true;
      try {
        if (server.welcome && !heardAt.has(connection)) await server.welcome(askHere);
        const result = await work(askHere);
        destroy = false;
        return result;
      } catch (error) {
        const cure = server.cureOf?.(error);
        if (cure) {
          // Of many that fail together one does it, and all wait. Where it fails, the next try says the same as this one.
          if (performance.now() - curedAt > 1000) {
            curedAt = performance.now();
            cured = askHere(cure).catch(() => {});
          }
          await cured;
        } else {
          // A statement that the server refused leaves the connection as good as it was.
          destroy = !server.isRefusal(error);
        }
        throw error;
      } finally {
        connection.release(destroy);
      }
    } catch (error) {
      throw isLoginRefused(error)
        ? new StorageUnavailableError(
          `${name} refused the login: check the user, the password and the database of its address`,
          { cause: error },
        )
        : error;
    } finally {
      patience.end();
    }
  }

  function adapt(compiled: CompiledStatement<Result>, values: SqlValue[]): SqlStatement {
    const executeOn = (ask: Ask<Result>) => compiled.execute(ask, values);
    const run = async (): Promise<SqlResult> =>
      compiled.isSeveral ? (await batch([statement]))[0]! : await withConnection(executeOn);
    const statement: AdaptedStatement<Result> = {
      // Of any pool: it runs on the connection of the batch.
      of: name,
      executeOn,
      bind: (...bound) => adapt(compiled, bound),
      first: async <T>() => ((await run()).results[0] ?? null) as T | null,
      all: async <T>() => await run() as SqlResult<T>,
      run,
    };
    return statement;
  }

  function batch(
    statements: SqlStatement[],
    { statementTimeout: given }: SqlBatchOptions = {},
  ): Promise<SqlResult[]> {
    return withConnection(
      async (ask) => {
        await ask(server.begin);
        const results: SqlResult[] = [];
        try {
          for (const statement of statements as AdaptedStatement<Result>[]) {
            results.push(await statement.executeOn(ask));
          }
          await ask(server.commit);
        } catch (error) {
          // Closing a connection rolls back as well.
          if (server.isRefusal(error)) await rollBack(() => ask(server.rollback), error);
          throw error;
        }
        return results;
      },
      given === undefined ? statementTimeout : readTimeout("statementTimeout", given),
    );
  }

  return forApplications({
    dialect,
    prepare: (sql) => adapt(server.compile(sql), []),
    batch,
  });
}

async function rollBack(work: () => Promise<unknown>, cause: unknown): Promise<void> {
  try {
    await work();
  } catch {
    // No refusal, so the connection is closed: that rolls back as well.
    throw new Error("The connection terminated before a transaction was rolled back", { cause });
  }
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
