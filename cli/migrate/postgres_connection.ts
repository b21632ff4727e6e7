import { CliError } from "../terminal/exit.ts";
import { importBundled } from "../tools/bundled_module.ts";
import { requirePackage } from "../tools/packages.ts";
import type { PostgresConnection } from "./postgres.ts";
import type { PostgresAddress } from "./postgres_address.ts";

/** Pool of the package `pg`. */
export interface Pool {
  /** Takes a connection, which nobody else uses until it is released. */
  connect(): Promise<PostgresConnection>;
  /** Closes all connections. */
  end(): Promise<void>;
}

const SOURCE = `import pg from "pg";
export const openPool = (options) => new pg.Pool(options);
`;

/**
 * Makes a pool of the project's own `pg`, and tries a connection.
 *
 * @param root Absolute path of the project.
 * @param address Address of the database.
 * @throws {CliError} Exit code 2 without `pg`, 1 when the server does not answer.
 */
export async function openPool(root: string, { url }: PostgresAddress): Promise<Pool> {
  requirePackage("pg", root);
  const module = await importBundled(root, SOURCE, "pg") as {
    openPool(options: object): Pool & { on(event: "error", listener: () => void): void };
  };
  const pool = module.openPool({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    // The command ends when it has no more work.
    allowExitOnIdle: true,
  });
  // A server that ends is reported by the query that it breaks.
  pool.on("error", () => {});
  try {
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    throw new CliError(`The database of DATABASE_URL does not answer: ${reasonOf(error)}.`, {
      hint: "Start PostgreSQL, or correct DATABASE_URL.",
      cause: error,
    });
  }
  return pool;
}

/**
 * Opens a connection by the project's own `pg`. Releasing it ends it.
 *
 * @param root Absolute path of the project.
 * @param address Address of the database.
 * @throws {CliError} Exit code 2 without `pg`, 1 when the server does not answer.
 */
export async function connectPostgres(
  root: string,
  address: PostgresAddress,
): Promise<PostgresConnection> {
  const pool = await openPool(root, address);
  const connection = await pool.connect();
  return {
    query: (text, values) => connection.query(text, values),
    release() {
      connection.release(true);
      void pool.end();
    },
  };
}

/** An error of several addresses has no message of its own. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return (message || code || String(error)).replace(/\.$/, "");
}
