import { CliError } from "../terminal/exit.ts";
import type { Migration } from "./migration_files.ts";
import { type FileStatement, splitStatements } from "./sql_statements.ts";

const TRANSACTION = new Set(["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"]);

/** D1 refuses these; ATTACH would also let a migration write a file outside of the project. */
const OTHER_FILES = new Set(["ATTACH", "DETACH", "VACUUM"]);

/**
 * Splits a migration and refuses what would break "one file, one transaction".
 *
 * @param migration The file.
 * @throws {CliError} Exit code 1; names file and line.
 */
export function checkedStatements(migration: Migration): FileStatement[] {
  const { name, sql } = migration;
  // SQLite stops reading at a NUL, so what follows would be recorded as applied and never run.
  const nul = sql.indexOf("\0");
  if (nul !== -1) {
    const line = sql.slice(0, nul).split("\n").length;
    throw new CliError(`${name}:${line}: the file holds a NUL character.`, {
      hint: "Save the file as UTF-8 text.",
    });
  }
  const statements = splitStatements(sql);
  for (const { keyword, line } of statements) {
    if (TRANSACTION.has(keyword)) {
      throw new CliError(`${name}:${line}: ${keyword} is not allowed in a migration.`, {
        hint: "Remove it: each file is applied as one transaction.",
      });
    }
    if (OTHER_FILES.has(keyword)) {
      throw new CliError(`${name}:${line}: ${keyword} is not allowed in a migration.`, {
        hint: "Remove it: D1 does not run it.",
      });
    }
  }
  return statements;
}
