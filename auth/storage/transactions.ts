/**
 * Transactions of a SQL database that hold rows of the application: port and SQL.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import { describe } from "../lib/options.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import type { SqlStatement } from "./sql_database.ts";
import type { StorageTransaction } from "./storage.ts";

/** A transaction of the SQL storage. */
export interface SqlTransaction extends StorageTransaction {
  /** Statements of the application, in order. */
  readonly work: readonly SqlStatement[];
}

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
      return { work: [...statements] };
    },
  }),
};
