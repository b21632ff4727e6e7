import type { SqlDatabase, SqlValue } from "@framework/auth/storage";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";

/**
 * Kysely dialect for a D1 binding, as `context.db` uses it: for code that has the environment but
 * no context. Interactive transactions reject, because D1 does not support them; pass
 * statements to the binding's own `batch()`.
 *
 * On a server with PostgreSQL it is PostgreSQL's dialect, with transactions.
 *
 * @param database The binding, or anything of its shape.
 *
 * @example
 * ```ts
 * import type { SqlDatabase } from "@framework/auth/storage";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { createD1Dialect } from "@framework/cli/runtime";
 * import { Kysely } from "kysely";
 * import { deepEqual } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * interface Schema {
 *   posts: { id: number; title: string };
 * }
 * function openDatabase(env: { DB: SqlDatabase }): Kysely<Schema> {
 *   return new Kysely<Schema>({ dialect: createD1Dialect(env.DB) });
 * }
 *
 * using file = new DatabaseSync(":memory:"); // in the place of a D1 binding
 * file.exec("CREATE TABLE posts (id INTEGER, title TEXT); INSERT INTO posts VALUES (1, 'Hello')");
 * const db = openDatabase({ DB: sqlite(file) });
 * deepEqual(await db.selectFrom("posts").select("title").execute(), [{ title: "Hello" }]);
 * ```
 */
export function createD1Dialect(
  database: SqlDatabase & { createDialect?(): Dialect },
): Dialect {
  return database.createDialect?.() ?? {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(database),
    // deno-lint-ignore no-explicit-any -- kysely's own signature.
    createIntrospector: (db: Kysely<any>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function createDriver(database: SqlDatabase): Driver {
  const connection: DatabaseConnection = {
    executeQuery: (query) => execute(database, query),
    async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      yield await execute<R>(database, query);
    },
  };
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: refuseTransaction,
    commitTransaction: refuseTransaction,
    rollbackTransaction: refuseTransaction,
    releaseConnection: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  };
}

async function execute<R>(database: SqlDatabase, query: CompiledQuery): Promise<QueryResult<R>> {
  const { results, meta } = await database.prepare(query.sql)
    .bind(...query.parameters as SqlValue[])
    .all<R>();
  return {
    rows: results,
    ...(meta.changes === undefined ? {} : { numAffectedRows: BigInt(meta.changes) }),
    ...(meta.last_row_id === undefined ? {} : { insertId: BigInt(meta.last_row_id) }),
  };
}

function refuseTransaction(): Promise<void> {
  return Promise.reject(
    new Error(
      "D1 does not support interactive transactions. Pass the statements to batch() of the binding, which is atomic.",
    ),
  );
}
