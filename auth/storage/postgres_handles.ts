/**
 * Handles of PostgreSQL that are no pool of `pg`, with the `connect()` of one.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import type { PostgresConnection, PostgresPool, PostgresResult } from "./postgres_pool.ts";
import { poolOfOne } from "./server_database.ts";

/** One connection: the part of `Client` of the npm package `pg` that is needed here. */
export interface PostgresClient {
  /** Connects; it rejects where that has been done. */
  connect(): Promise<unknown>;
  /** Runs one statement with the values of `$1`, `$2`, … */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** Closes the connection. */
  end(): Promise<unknown>;
  /** Listens to the failure of the connection while no query runs on it. */
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/**
 * A client as a pool of one connection, which one at a time has.
 *
 * @param client The client, connected or not.
 */
export function poolOfClient(client: PostgresClient): PostgresPool {
  return poolOfOne({
    name: "pg Client",
    query: (text, values) => client.query(text, values),
    end: () => client.end().catch(() => {}),
    on: (event, listener) => client.on?.(event, listener),
    async open() {
      try {
        await client.connect();
      } catch (error) {
        if (!/already been connected/i.test((error as Error).message)) throw error;
      }
    },
  });
}

/** Rows of postgres.js: a list that also says what was done. */
export type PostgresJsRows = Iterable<unknown> & {
  /** Number of rows returned or changed. */
  count?: number | null;
  /** The kind of the statement. */
  command?: string;
  /** The columns, with the number of their type. */
  columns?: { name: string; type: number }[];
};

/** A statement of postgres.js under way. */
export interface PostgresJsQuery extends PromiseLike<PostgresJsRows> {
  /** Has the server end it. */
  cancel(): unknown;
}

/** Runs statements: all of postgres.js, or one of its transactions. */
export interface PostgresJsTransaction {
  /** Runs one statement of one text. */
  unsafe(
    text: string,
    // deno-lint-ignore no-explicit-any -- its own types of values depend on the application's
    values?: any[],
    options?: { prepare?: boolean },
  ): PostgresJsQuery;
}

/** The part of postgres.js that is needed here. */
export interface PostgresJs extends PostgresJsTransaction {
  /** Runs a transaction; when the work rejects it is taken back. */
  begin<T>(work: (transaction: PostgresJsTransaction) => T | Promise<T>): Promise<unknown>;
  /** Options of the client. */
  readonly options: {
    /** Parameters that each new connection begins with. */
    // deno-lint-ignore no-explicit-any -- names of the application's own
    connection: any;
    /** True when statements are prepared. */
    // deno-lint-ignore no-explicit-any -- a boolean, which its types say otherwise
    prepare?: any;
    /** Changes of names. */
    // deno-lint-ignore no-explicit-any -- functions of the application
    transform?: any;
  };
}

function toResult(rows: PostgresJsRows): PostgresResult {
  return {
    rows: [...rows],
    rowCount: rows.count ?? null,
    command: rows.command ?? "",
    fields: (rows.columns ?? []).map(({ name, type }) => ({ name, dataTypeID: type })),
  };
}

/** A transaction that is a function, and ends by the words COMMIT and ROLLBACK as that of `pg` does. */
interface OpenTransaction {
  transaction: PostgresJsTransaction;
  commit(): void;
  rollBack(): void;
  /** Settles once the driver has ended it. */
  readonly ended: Promise<unknown>;
  /** True when the driver has released it: its connection may then belong to another. */
  isOver: boolean;
}

/** Tells the server's answer to a statement, by its SQLSTATE, from a broken connection. */
function isAnswer(error: unknown): boolean {
  const { code } = Object(error);
  return typeof code === "string" && /^(?!57P|08)[0-9A-Z]{5}$/.test(code);
}

function terminated(): Error {
  return new Error("The connection terminated before its transaction ended");
}

const ROLLED_BACK = /* @__PURE__ */ Symbol("rolled back");

function begin(sql: Transactions): Promise<OpenTransaction> {
  return new Promise((resolve, reject) => {
    let open: OpenTransaction | undefined;
    const ended: Promise<unknown> = sql.begin((transaction) =>
      new Promise<void>((commit, rollBack) => {
        open = {
          transaction,
          commit,
          rollBack: () => rollBack(ROLLED_BACK),
          ended,
          isOver: false,
        };
        resolve(open);
      })
    );
    function over(): void {
      if (open !== undefined) open.isOver = true;
    }
    ended.then(over, (error) => {
      over();
      reject(error);
    });
  });
}

/**
 * The connections of postgres.js as a pool. A statement by itself goes wherever postgres.js sends it, and a
 * transaction is one of its own: a connection that it reserves may become another's when it is lost.
 *
 * @param statementTimeout Milliseconds that the server is told for connections that begin from now on; null for none.
 */
export function poolOfPostgresJs(sql: PostgresJs, statementTimeout: number | null): PostgresPool {
  const { transform, connection, prepare = true } = sql.options;
  if (transform?.column?.from || transform?.row?.from || transform?.value?.from) {
    throw new ConfigurationError(
      "postgres() cannot use postgres.js with a `transform`, which renames the library's columns: " +
        "give it a client of its own without one",
      { field: "database" },
    );
  }
  if (statementTimeout !== null && connection) connection["statement_timeout"] ??= statementTimeout;
  // Over a connection that is gone postgres.js would send a ROLLBACK: that ends the process.
  return poolOfTransactions(sql, { prepare, isGone: (error) => !isAnswer(error) });
}

/** Handle with transactions as postgres.js has them. */
type Transactions = Pick<PostgresJs, "begin" | "unsafe">;

/** The part of PGlite that runs statements: all of it, or one of its transactions. */
export interface PgliteTransaction {
  /** Runs one statement with the values of `$1`, `$2`, … */
  query(
    text: string,
    // deno-lint-ignore no-explicit-any -- its own type of values
    values?: any[],
  ): Promise<{
    rows: unknown[];
    /** Number of rows changed. */
    affectedRows?: number | undefined;
    /** The columns, with the number of their type. */
    fields: { name: string; dataTypeID: number }[];
  }>;
}

/** The part of PGlite that is needed here. */
export interface Pglite extends PgliteTransaction {
  /** Resolves once it has started; statements wait for that by themselves. */
  readonly waitReady: Promise<unknown>;
  /** Runs a transaction, while other statements wait; when the work rejects it is taken back. */
  transaction<T>(work: (transaction: PgliteTransaction) => Promise<T>): Promise<T>;
}

function likePostgresJs(of: PgliteTransaction): PostgresJsTransaction {
  return {
    unsafe(text, values) {
      const rows = of.query(text, values).then(({ rows, affectedRows, fields }) =>
        Object.assign(rows, {
          count: affectedRows ?? 0,
          columns: fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })),
        })
      );
      // It runs in this process, where nobody is asked to end it.
      return Object.assign(rows, { cancel() {} });
    },
  };
}

/** PGlite as a pool: it lets one transaction or statement run after the other, those of the application too. */
export function poolOfPglite(pglite: Pglite): PostgresPool {
  const sql: Transactions = {
    ...likePostgresJs(pglite),
    begin: (work) => pglite.transaction(async (own) => await work(likePostgresJs(own))),
  };
  return poolOfTransactions(sql, { prepare: false, isGone: () => false });
}

/**
 * Takes connections where a transaction is a function.
 *
 * @param prepare Whether statements are prepared.
 * @param isGone Tells whether the error of a statement leaves no connection to roll back on.
 */
function poolOfTransactions(
  sql: Transactions,
  { prepare, isGone }: { prepare: boolean; isGone(error: unknown): boolean },
): PostgresPool {
  function take(): PostgresConnection {
    let open: OpenTransaction | undefined;
    let running: PostgresJsQuery | undefined;
    let isReleased = false;

    async function run(text: string, values: unknown[] = []): Promise<PostgresResult> {
      const within = open;
      if (within?.isOver) throw terminated();
      const query = (within?.transaction ?? sql).unsafe(text, values, { prepare });
      running = query;
      try {
        return toResult(await query);
      } catch (error) {
        if (within !== undefined && isGone(error)) within.isOver = true;
        throw error;
      } finally {
        if (running === query) running = undefined;
      }
    }

    async function end(how: "commit" | "rollBack"): Promise<PostgresResult> {
      const ending = open!;
      open = undefined;
      if (ending.isOver) throw terminated();
      ending[how]();
      await ending.ended.catch((error) => {
        if (error !== ROLLED_BACK) throw error;
      });
      return {
        rows: [],
        rowCount: null,
        command: how === "commit" ? "COMMIT" : "ROLLBACK",
        fields: [],
      };
    }

    return {
      async query(text, values) {
        if (text === "COMMIT") return await end("commit");
        if (text === "ROLLBACK") return await end("rollBack");
        if (text !== "BEGIN") return await run(text, values);
        open = await begin(sql);
        // Nobody waits for it any more.
        if (isReleased) this.release();
        return { rows: [], rowCount: null, command: "BEGIN", fields: [] };
      },
      release() {
        isReleased = true;
        Promise.resolve(running?.cancel()).catch(() => {});
        if (open === undefined || open.isOver) return;
        open.ended.catch(() => {});
        open.rollBack();
      },
    };
  }

  return { connect: () => Promise.resolve(take()) };
}
