import type { DatabaseSync } from "node:sqlite";
import {
  createD1Engine,
  d1Error,
  type D1Meta,
  type D1Outcome,
  type D1Query,
  type RowValue,
  toBoundValue,
} from "./d1_engine.ts";

/** Result of a query. */
interface D1Result<T = Record<string, unknown>> {
  success: true;
  meta: D1Meta;
  results: T[];
}

/** A prepared statement; `bind` returns a new one and leaves this one as it is. */
interface D1Statement {
  bind(...values: unknown[]): D1Statement;
  first<T = unknown>(column: string): Promise<T | null>;
  first<T = Record<string, unknown>>(): Promise<T | null>;
  all<T = Record<string, unknown>>(): Promise<D1Result<T>>;
  run<T = Record<string, unknown>>(): Promise<D1Result<T>>;
  raw<T = unknown[]>(options?: { columnNames?: boolean }): Promise<T[]>;
}

/** Methods that a D1 database and a session share. */
export interface D1Session {
  prepare(sql: string): D1Statement;
  batch<T = Record<string, unknown>>(statements: D1Statement[]): Promise<D1Result<T>[]>;
  getBookmark(): string | null;
}

/** Database with D1's API. */
export interface D1Database {
  prepare(sql: string): D1Statement;
  batch<T = Record<string, unknown>>(statements: D1Statement[]): Promise<D1Result<T>[]>;
  exec(sql: string): Promise<{ count: number; duration: number }>;
  withSession(constraint?: string): D1Session;
}

/**
 * Creates a D1 database on a SQLite connection, with D1's interface, type conversion, refusals,
 * limits and error messages. A query has run when its method returns; the promise only delivers the
 * result.
 *
 * @param sqlite The open connection.
 * @param options `guard`: called before each use; throws when the context has ended.
 * @see https://developers.cloudflare.com/d1/worker-api/
 */
export function createD1Database(
  sqlite: DatabaseSync,
  options: { guard?: () => void } = {},
): D1Database {
  const engine = createD1Engine(sqlite);
  const queries = new WeakMap<D1Statement, D1Query>();

  function send(list: D1Query[], prefix: string, where = ""): D1Outcome[] {
    options.guard?.();
    return engine(list, prefix, where);
  }

  function statement(query: D1Query): D1Statement {
    function one(): D1Outcome {
      return single(send([query], "D1_ERROR"));
    }
    const made: D1Statement = {
      bind: (...values) => statement({ sql: query.sql, values: values.map(toBoundValue) }),
      first: (column?: string) => answer(() => firstRow(one(), column)),
      all: () => answer(() => toResult(one())),
      run: () => answer(() => toResult(one())),
      raw: (shape) =>
        answer(() => {
          const { columns, rows } = one();
          return (shape?.columnNames === true ? [columns, ...rows] : rows) as never[];
        }),
    };
    queries.set(made, query);
    return made;
  }

  function prepare(sql: string): D1Statement {
    return statement({ sql: String(sql), values: [] });
  }

  function batch<T>(statements: D1Statement[]): Promise<D1Result<T>[]> {
    return answer(() => {
      const listed = statements.map((made, index) => {
        const query = queries.get(made);
        if (query !== undefined) return query;
        throw new TypeError(
          `batch() accepts only statements that prepare() of this database returned; item ${index} is something else.`,
        );
      });
      return send(listed, "D1_ERROR").map((outcome) => toResult<T>(outcome));
    });
  }

  return {
    prepare,
    batch,
    exec: (sql) =>
      answer(() => {
        const lines = sql.trim().split("\n").map((line) => ({ sql: line, values: [] }));
        const where = `Error in line 1: ${lines[0]?.sql ?? ""}: `;
        const outcomes = send(lines, "D1_EXEC_ERROR", where);
        return { count: outcomes.length, duration: 0 };
      }),
    withSession: (constraint) => {
      const given = constraint === "first-primary" || constraint === "first-unconstrained";
      const bookmark = given || !constraint ? null : constraint;
      return { prepare, batch, getBookmark: () => bookmark };
    },
  };
}

function toObject(columns: string[], row: RowValue[]): Record<string, RowValue> {
  return Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null]));
}

function toResult<T>({ columns, rows, meta }: D1Outcome): D1Result<T> {
  return { success: true, meta, results: rows.map((row) => toObject(columns, row) as T) };
}

function firstRow<T>({ columns, rows }: D1Outcome, column: string | undefined): T | null {
  const row = rows[0];
  if (row === undefined) return null;
  const object = toObject(columns, row);
  if (column === undefined) return object as T;
  const value = object[column];
  if (value !== undefined) return value as T;
  throw new Error(`D1_COLUMN_NOTFOUND: Column not found (${column})`, {
    cause: new Error("Column not found"),
  });
}

function single(outcomes: D1Outcome[]): D1Outcome {
  const [outcome] = outcomes;
  if (outcome === undefined) throw d1Error("D1_ERROR", "No SQL statements detected.");
  return outcome;
}

function answer<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}

/**
 * Creates a D1 database that its first query opens, for synchronous helpers: statements are
 * prepared and bound at once, with D1's checks.
 *
 * @param open Opens the database; called once.
 */
export function createDeferredD1(open: () => Promise<D1Database>): D1Database {
  let opening: Promise<D1Database> | undefined;
  const opened = () => opening ??= open();
  const queries = new WeakMap<D1Statement, { sql: string; values: unknown[] }>();

  async function real(statement: D1Statement): Promise<D1Statement> {
    const database = await opened();
    const query = queries.get(statement);
    // A statement of another database is passed on, so that batch() refuses it.
    return query === undefined ? statement : database.prepare(query.sql).bind(...query.values);
  }

  function prepare(sql: string, values: unknown[] = []): D1Statement {
    const made: D1Statement = {
      bind(...next) {
        next.forEach(toBoundValue);
        return prepare(sql, next);
      },
      first: async <T>(column?: string) => {
        const statement = await real(made);
        return column === undefined ? statement.first<T>() : statement.first<T>(column);
      },
      all: async <T>() => (await real(made)).all<T>(),
      run: async <T>() => (await real(made)).run<T>(),
      raw: async <T>(options?: { columnNames?: boolean }) => (await real(made)).raw<T>(options),
    };
    queries.set(made, { sql, values });
    return made;
  }

  async function batch<T>(statements: D1Statement[]): Promise<D1Result<T>[]> {
    const list = await Promise.all(statements.map(real));
    return (await opened()).batch<T>(list);
  }

  return {
    prepare: (sql) => prepare(sql),
    batch,
    exec: async (sql) => (await opened()).exec(sql),
    withSession: (constraint) => {
      const given = constraint === "first-primary" || constraint === "first-unconstrained";
      const bookmark = given || !constraint ? null : constraint;
      return { prepare: (sql) => prepare(sql), batch, getBookmark: () => bookmark };
    },
  };
}
