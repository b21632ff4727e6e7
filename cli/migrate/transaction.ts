import type { DatabaseSync } from "node:sqlite";
import { CliError } from "../terminal/exit.ts";
import type { FileStatement } from "./statements.ts";

/** Advice for a failed file. */
export const MEND = "Nothing of this file was applied. Correct it and run the command again.";

/**
 * Runs work in one transaction that no other writer can interrupt.
 *
 * @param database The local database, opened for writing.
 * @param work What to do.
 * @throws {CliError} Exit code 1 when another process keeps the database, or the work failed.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  try {
    database.exec("BEGIN IMMEDIATE");
  } catch (error) {
    if (!/locked|busy/i.test(reason(error))) throw failed(error);
    throw new CliError("The local database is in use by another process.", {
      hint: "Wait until the other migration has finished, then run the command again.",
      cause: error,
    });
  }
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // Some failures, such as a full disk, have already ended the transaction.
    }
    throw error instanceof CliError ? error : failed(error);
  }
}

/**
 * Runs the statements of a file, inside a transaction.
 *
 * @param database The local database.
 * @param file Name of the file, for messages.
 * @param statements Its statements.
 * @param hint What to do when one fails.
 * @throws {CliError} Exit code 1; names file, line and statement.
 */
export function runStatements(
  database: DatabaseSync,
  file: string,
  statements: FileStatement[],
  hint: string = MEND,
): void {
  for (const [index, statement] of statements.entries()) {
    try {
      database.exec(statement.text);
    } catch (error) {
      const place = `statement ${index + 1} of ${statements.length}`;
      throw new CliError(
        `${file}:${statement.line}: ${sqlReason(error, statement)} (${place})\n${frame(statement)}`,
        { hint: searchHint(error) ?? hint, cause: error },
      );
    }
  }
}

/** Advice for a full-text search that the platform's database has, and the SQLite of an older Node has not. */
function searchHint(error: unknown): string | undefined {
  return /^no such module: fts\d/i.test(reason(error))
    ? "The SQLite of this runtime has no full-text search, which D1 has. Use Node 22.16 or newer."
    : undefined;
}

function failed(error: unknown): CliError {
  return new CliError(`The local database refused the migration: ${reason(error)}.`, {
    hint: "Nothing of this migration was applied.",
    cause: error,
  });
}

/** Removes the statement that Deno appends to SQLite's message, because it is shown below anyway. */
function sqlReason(error: unknown, statement: FileStatement): string {
  return reason(error).split(` in ${statement.text} at offset `)[0] ?? "";
}

/** Returns the first lines of a statement as in the file; long lines are truncated. */
export function frame(statement: FileStatement): string {
  const lines = statement.text.split(/\r?\n/).slice(0, 5);
  const width = String(statement.line + lines.length - 1).length;
  return lines
    .map((text, index) =>
      `  ${String(statement.line + index).padStart(width)} | ${text.slice(0, 200)}`
    )
    .join("\n");
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
