import type { DatabaseSync } from "node:sqlite";
import { quoteName } from "./ledger.ts";
import { inTransaction } from "./transaction.ts";

/** A table or view to drop. */
interface Dropped {
  name: string;
  statement: string;
}

/** Views first, then virtual tables, which drop the tables that they keep their content in. */
const KINDS = [
  { word: "VIEW", where: "type = 'view'" },
  { word: "TABLE", where: "type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'" },
  { word: "TABLE", where: "type = 'table'" },
] as const;

/**
 * Drops everything in the local database, the records of the migrations included. The file stays, and so do the tables
 * `_cf_*` that belong to workerd: a running `framework dev` has the file open and goes on with it.
 *
 * @param database The database, opened for writing.
 * @param dryRun Takes it all back in the end.
 * @returns What was dropped, in that order.
 * @throws {CliError} Exit code 1 when another process keeps the database.
 */
export function emptyDatabase(database: DatabaseSync, dryRun: boolean): Dropped[] {
  // Tables are dropped in an order that asks nothing of references; inside a transaction this could not be set.
  database.exec("PRAGMA foreign_keys = OFF");
  return inTransaction(database, () => {
    database.exec("SAVEPOINT everything");
    const dropped = KINDS.flatMap(({ word, where }) =>
      namesOf(database, where).map((name) => {
        const statement = `DROP ${word} ${quoteName(name)}`;
        database.exec(statement);
        return { name, statement };
      })
    );
    if (dryRun) database.exec("ROLLBACK TO everything");
    return dropped;
  });
}

function namesOf(database: DatabaseSync, where: string): string[] {
  const own = "name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'";
  const query = `SELECT name FROM sqlite_master WHERE ${where} AND ${own} ORDER BY name`;
  return database.prepare(query).all().map((row) => String(row["name"]));
}
