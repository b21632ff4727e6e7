/**
 * Transactions of a SQL database that hold rows of the application: port and SQL.
 *
 * @module
 */

import { ConfigurationError, UserExistsError } from "../errors.ts";
import { describe } from "../lib/options.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import type { SqlFailure, SqlStatement, SqlValue } from "./sql_database.ts";
import { sqliteFailureOf, storageError } from "./sql_executor.ts";
import type { StorageTransaction } from "./storage.ts";

/** A transaction of the SQL storage. */
export interface SqlTransaction extends StorageTransaction {
  /** Statements of the application, in order. */
  readonly work: readonly SqlStatement[];
  /** Stores a user in it: the insertion, and the values of its `?1`, `?2`, … */
  insertUser(sql: string, values: readonly SqlValue[]): Promise<void>;
}

/** A statement of the library for the transaction of an application, in the forms that clients take. */
export interface JoinedStatement {
  /** The statement, with each place for a value once: `$1`, `$2`, … on PostgreSQL, `?` on SQLite and MariaDB. */
  readonly text: string;
  /** Values of the places, in order. */
  readonly values: SqlValue[];
  /** The text between the places, for a client whose statements are template literals. */
  readonly strings: TemplateStringsArray;
}

/** The rows of a statement, as the client of the application gives them. */
export type JoinedRows = readonly unknown[] | { readonly rows: readonly unknown[] };

/** Runs one statement by the client of an application, on the connection of its open transaction. */
export type JoinedQuery = (statement: JoinedStatement) => JoinedRows | PromiseLike<JoinedRows>;

/** Operations in a transaction that the application has begun. */
export interface JoinStorage {
  /**
   * Makes a transaction of one that is open. The storage neither begins nor ends it, waits for nothing and repeats
   * nothing: what fails is taken back to a savepoint, and the application decides about the rest.
   *
   * @param query Runs a statement on the connection of the transaction.
   */
  join(query: JoinedQuery): StorageTransaction;
}

/** Writes a statement whose places are numbered in any order with each place once. */
function joinedStatement(
  sql: string,
  { values, dollar }: { values: readonly SqlValue[]; dollar: boolean },
): JoinedStatement {
  // The library's own: no text in it has a question mark.
  const [first = "", ...parts] = sql.split(/\?(?=\d)/);
  const numbers = parts.map((part) => parseInt(part));
  const strings = [first, ...parts.map((part) => part.replace(/^\d+/, ""))];
  return {
    text: strings.reduce((text, part, at) => `${text}${dollar ? `$${at}` : "?"}${part}`),
    values: numbers.map((number) => values[number - 1]!),
    strings: Object.assign(strings, { raw: strings }),
  };
}

/** The server's own error that an adapter of Prisma took apart; null for any other. */
function adaptedError(error: Error, sql: string): Error | null {
  const { meta } = error as Error & { meta?: { driverAdapterError?: { cause?: object } } };
  const { originalCode, originalMessage } = Object(meta?.driverAdapterError?.cause);
  if (typeof originalCode !== "string") return null;
  // By the number where the driver has one, as that of MariaDB does.
  return Object.assign(new Error(originalMessage), {
    code: originalCode,
    errno: Number(originalCode),
    sql,
  });
}

/** Returns the meaning of an error that a client may have wrapped in its own. */
function failureIn(
  error: unknown,
  { sql, failureOf }: { sql: string; failureOf: (error: unknown) => SqlFailure | null },
): SqlFailure | null {
  for (let found = error; found instanceof Error; found = found.cause) {
    const adapted = adaptedError(found, sql);
    const failure = failureOf(found) ?? (adapted && failureOf(adapted));
    if (failure !== null) return failure;
  }
  return null;
}

/**
 * Group of transactions that an application has begun, for `groupOf()`. `joinTransaction()` is what applications use.
 *
 * @example
 * ```ts
 * import { authSchema, createSqlStorage, groupOf, joinGroup } from "@framework/auth/storage";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { equal } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * using file = new DatabaseSync(":memory:");
 * file.exec(authSchema.up);
 * const storage = createSqlStorage(sqlite(file));
 *
 * file.exec("BEGIN");
 * const within = groupOf(storage, joinGroup).join(({ text, values }) =>
 *   file.prepare(text).all(...values as string[])
 * );
 * await storage.createUser({ user: { id: "ada" }, emailIdentity: null, at: 0 }, { within });
 * file.exec("ROLLBACK");
 * equal(await storage.getUser("ada"), null);
 * ```
 */
export const joinGroup: StorageGroup<JoinStorage> = {
  name: "joinedTransactions",
  sql: ({ dialect }: SqlParts) => ({
    join(query): SqlTransaction {
      const end = dialect?.insertEnd;
      async function run(sql: string, values: readonly SqlValue[] = []) {
        const dollar = dialect !== undefined && end === undefined;
        const result = await query(joinedStatement(sql, { values, dollar }));
        return "rows" in result ? result.rows : result;
      }
      return {
        work: [],
        async insertUser(sql, values) {
          await run("SAVEPOINT framework_auth");
          try {
            // Clients wrap errors in theirs; the absence of a row says the same with each of them.
            const rows = await run(
              sql + (end ?? "\nON CONFLICT DO NOTHING RETURNING id"),
              values,
            );
            if (rows.length === 0) throw new UserExistsError();
            await run("RELEASE SAVEPOINT framework_auth");
          } catch (error) {
            const failureOf = dialect?.failureOf ?? sqliteFailureOf;
            const failure = failureIn(error, { sql, failureOf });
            // Else PostgreSQL would refuse whatever the application does next. A connection that is gone has no savepoint.
            if (failure !== "lost") {
              await run("ROLLBACK TO SAVEPOINT framework_auth")
                .then(() => run("RELEASE SAVEPOINT framework_auth")).catch(() => {});
            }
            if (error instanceof UserExistsError || failure === null) throw error;
            throw storageError(error, {
              failure,
              operation: "create the user in the application's transaction",
              schema: dialect?.schema,
            });
          }
        },
      };
    },
  }),
};

/** Operations that put rows of the application into a transaction of the storage. */
export interface TransactionStorage {
  /**
   * Makes a transaction of statements of the application. They run after the operation that the transaction is given
   * to, in order, all or nothing: on D1 as one batch. Nothing runs before that.
   *
   * @param statements Statements of the database that the storage is over.
   * @throws {ConfigurationError} When one of them is no statement, or one of another database.
   */
  transaction(statements: readonly SqlStatement[]): SqlTransaction;
}

function isStatement(value: unknown): value is SqlStatement {
  const found = Object(value);
  return ["bind", "first", "all", "run"].every((name) => typeof found[name] === "function");
}

/**
 * Group of transactions, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { authSchema, createSqlStorage, groupOf, transactionGroup } from "@framework/auth/storage";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { equal } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * using file = new DatabaseSync(":memory:"); // in the place of a D1 binding
 * file.exec(`${authSchema.up}; CREATE TABLE notes (user_id TEXT, text TEXT)`);
 * const database = sqlite(file);
 * const storage = createSqlStorage(database);
 *
 * const within = groupOf(storage, transactionGroup).transaction([
 *   database.prepare("INSERT INTO notes VALUES (?1, ?2)").bind("ada", "Welcome"),
 * ]);
 * const record = { user: { id: "ada" }, emailIdentity: null, at: Date.now() };
 * await storage.createUser(record, { within });
 * equal(file.prepare("SELECT user_id FROM notes").get()?.user_id, "ada");
 * ```
 */
export const transactionGroup: StorageGroup<TransactionStorage> = {
  name: "transactions",
  sql: ({ executor }: SqlParts) => ({
    transaction(statements) {
      const work = [...statements];
      const { of } = executor.prepare("SELECT 1");
      // Else the database would be said not to answer, or the other one would keep what this one takes back.
      for (const one of statements) {
        if (isStatement(one) && one.of === of) continue;
        throw new ConfigurationError(
          `transaction() was given ${
            isStatement(one) ? "a statement of another database" : describe(one)
          }: give statements of the database that createAuth() was given, as its prepare() and bind() make them`,
          { field: "within" },
        );
      }
      return {
        work,
        insertUser: (sql, values) =>
          executor.once("create the user", async () => {
            await executor.batch([executor.prepare(sql).bind(...values), ...work]);
          }),
      };
    },
  }),
};
