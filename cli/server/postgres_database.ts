import { StorageUnavailableError } from "@framework/auth";
import { postgres, type PostgresConnection, type PostgresPool } from "@framework/auth/postgres";
import { type Dialect, PostgresDialect, type PostgresPool as KyselyPool } from "kysely";
import { readMigrations } from "../migrate/files.ts";
import { planMigrations } from "../migrate/plan.ts";
import { createPostgresMigrations } from "../migrate/postgres.ts";
import { OWN_TABLES, refuseTransactions, type ServerDatabase } from "./database.ts";

/** Options of a pool of `pg`. */
export interface PoolOptions {
  /** Address of the database. */
  connectionString: string;
  /** Number of its connections. */
  max: number;
  /** Milliseconds after which the server cancels a statement. Default: it does not. */
  "statement_timeout"?: number;
}

/** Limits of a database. */
export interface DatabaseLimits {
  /** Number of connections. */
  poolSize: number;
  /** Milliseconds for a statement; 0 for no limit. */
  statementTimeout: number;
}

/** Place of a database and its migrations. */
export interface PostgresDatabaseOptions extends Pick<PoolOptions, "connectionString"> {
  /** Makes the pool by the application's `pg`. */
  createPool(options: PoolOptions): ServerPool;
  limits: DatabaseLimits;
  /** Absolute path of the folder with the migrations. */
  migrations: string;
}

/** Pool of the application's `pg`. */
export interface ServerPool extends PostgresPool {
  /** Closes all connections. */
  end(): Promise<void>;
}

/** Tables of the server in the words of PostgreSQL: texts are compared by their bytes, as by SQLite. */
const TABLES = OWN_TABLES.replace(/\bBLOB\b/g, "BYTEA").replace(/\bINTEGER\b/g, "BIGINT")
  .replace(/\bTEXT\b/g, 'TEXT COLLATE "C"');

/** Name of what is missing while `migrate` has not made the tables of this version. */
const OWN = "the tables of the server";

/** Milliseconds of all statements of `env.DB` that one request may wait for, as `postgres()` has it. */
const REQUEST_TIMEOUT = 10_000;

/**
 * Opens the PostgreSQL database of a server. A statement has one limit from the first on, whoever sends it: that of the
 * connections, with which they begin.
 */
export async function openPostgresDatabase(
  { connectionString, createPool, limits, migrations: folder }: PostgresDatabaseOptions,
): Promise<ServerDatabase> {
  const { poolSize: max, statementTimeout: limit } = limits;
  const pool = createPool({
    ...{ connectionString, max },
    // Left out where there is none: PgBouncer refuses a connection that begins with it.
    ...limit > 0 && { statement_timeout: limit },
  });
  const migrations = await readMigrations(folder);
  const files = createPostgresMigrations(() => pool.connect(), "remote");
  const database = postgres(explain(pool, limits, (error) => error), {
    // Of which postgres() tells the server nine tenths.
    statementTimeout: Math.floor(limit / 0.9),
    requestTimeout: Math.max(REQUEST_TIMEOUT, 2 * limit),
  });
  const forKysely = explain(pool, limits, toUnavailable);
  const binding = Object.assign(refuseTransactions(database), {
    createDialect: (): Dialect => new PostgresDialect({ pool: forKysely as unknown as KyselyPool }),
  });
  return {
    binding,
    async pending() {
      const plan = planMigrations(migrations, await files.ledger());
      const names = plan.filter(({ state }) => state === "pending").map(({ name }) => name);
      return await hasTables(pool) ? names : [OWN, ...names];
    },
    async migrate({ signal, onApplied }) {
      await makeTables(pool);
      await files.apply(migrations, {
        ...{ signal, steps: undefined, onDone: onApplied },
        onOutOfOrder: () => {},
      });
    },
    close: () => pool.end(),
  };
}

/** SQLSTATE of a statement that was cancelled, as the limit does. */
const CANCELED = "57014";

/** Says in the error of a statement that came to its limit, or of a pool without a free connection, what to do. */
function explain(
  pool: ServerPool,
  { poolSize, statementTimeout }: DatabaseLimits,
  convert: (error: Error) => Error,
): ServerPool {
  const known = new WeakMap<PostgresConnection, PostgresConnection>();
  function tell(error: unknown, sentence: string): Error {
    const { message, code } = error as Error & { code?: string };
    const told = new Error(`${message}: ${sentence}`, { cause: error });
    return convert(code === undefined ? told : Object.assign(told, { code }));
  }
  function adapt(connection: PostgresConnection): PostgresConnection {
    return over(connection, {
      async query(...statement) {
        try {
          return await connection.query(...statement);
        } catch (error) {
          const { code, message } = error as { code?: unknown; message?: string };
          // Somebody may have cancelled it as well.
          const isLimit = code === CANCELED && /statement timeout/.test(message ?? "");
          if (!isLimit || statementTimeout === 0) throw error;
          const limit = statementTimeout / 1000;
          throw tell(
            error,
            `a statement has ${limit} s here; make it faster, or raise DATABASE_STATEMENT_TIMEOUT`,
          );
        }
      },
    });
  }
  return over(pool, {
    async connect() {
      let connection: PostgresConnection;
      try {
        connection = await pool.connect();
      } catch (error) {
        if (!NO_CONNECTION.test((error as Error).message)) throw error;
        throw tell(
          error,
          `the ${poolSize} connections are in use, or the database is out of reach; find the statements that take ` +
            "long, or raise DATABASE_POOL_SIZE",
        );
      }
      const adapted = known.get(connection) ?? adapt(connection);
      known.set(connection, adapted);
      return adapted;
    },
  });
}

/** An object with some methods of its own, and all else of another one. */
function over<T extends object>(target: T, own: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(Object.hasOwn(own, name) ? own : target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Error of the pool of `pg` that has no connection in time. */
const NO_CONNECTION = /timeout exceeded when trying to connect/i;

/** An error of a database that did not do its work at the moment: a 503, as those of `env.DB` are. */
function toUnavailable(error: Error): Error {
  return new StorageUnavailableError(error.message, { cause: error.cause });
}

/** Returns true when all of the tables are there. */
async function hasTables(pool: ServerPool): Promise<boolean> {
  const connection = await pool.connect();
  try {
    const names = [...TABLES.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)/g)].map(([, name]) => name);
    const { rows } = await connection.query(
      "SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL",
      [names],
    );
    return rows.length === 0;
  } finally {
    connection.release();
  }
}

/** Makes the tables of the server; of several processes that do so at once, one after the other. */
async function makeTables(pool: ServerPool): Promise<void> {
  const connection = await pool.connect();
  let isSound = false;
  try {
    await connection.query(
      "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('framework_migrations', 0))",
    );
    await connection.query(`${TABLES} COMMIT`);
    isSound = true;
  } finally {
    connection.release(!isSound);
  }
}
