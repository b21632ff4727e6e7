import { CliError } from "../terminal/exit.ts";
import type { Migration } from "./files.ts";

/** One statement of an SQL file. */
export interface FileStatement {
  /** Text of the statement, without preceding comments. */
  text: string;
  /** Line on which it begins, from 1. */
  line: number;
  /** Its first word, in upper case. */
  keyword: string;
}

/**
 * Splits an SQL file into statements.
 *
 * Finds the end of a statement as SQLite's own `sqlite3_complete()` does: at a semicolon outside of
 * strings, quoted names and comments; inside `CREATE TRIGGER` only at `; END ;`.
 *
 * @param sql Text of the file.
 * @see https://sqlite.org/c3ref/complete.html
 *
 * @example
 * ```ts
 * import { splitStatements } from "@framework/cli/project";
 * import { deepEqual } from "node:assert/strict";
 *
 * const statements = splitStatements("-- Notes\nCREATE TABLE notes (text);\nSELECT ';'");
 * deepEqual(statements, [
 *   { text: "CREATE TABLE notes (text);", line: 2, keyword: "CREATE" },
 *   { text: "SELECT ';'", line: 3, keyword: "SELECT" },
 * ]);
 * ```
 */
export function splitStatements(sql: string): FileStatement[] {
  const statements: FileStatement[] = [];
  let line = 1;
  let counted = 0;
  let start: number | undefined;
  let end = 0;
  let words: string[] = [];

  function lineAt(index: number): number {
    for (; counted < index; counted++) if (sql[counted] === "\n") line++;
    return line;
  }

  function finish(): void {
    if (start !== undefined) {
      const keyword = words.find((word) => word !== ";") ?? "";
      statements.push({ text: sql.slice(start, end), line: lineAt(start), keyword });
    }
    start = undefined;
    words = [];
  }

  for (const token of sql.matchAll(TOKEN)) {
    const text = token[0];
    const { space, word } = token.groups ?? {};
    if (space !== undefined) continue;
    if (text === ";" && start === undefined) continue;
    start ??= token.index;
    end = token.index + text.length;
    if (text !== ";") {
      remember(word?.toUpperCase() ?? "");
    } else if (!isTrigger(words) || (words.at(-1) === "END" && words.at(-2) === ";")) {
      finish();
    } else {
      remember(";");
    }
  }
  finish();
  return statements;

  /** Stores words: the first ones identify the statement, the last two end a trigger. */
  function remember(word: string): void {
    if (words.length > 8) words.splice(4, words.length - 6);
    words.push(word);
  }
}

/** Spaces and comments, strings, quoted names (an end that is missing is the end of the file), words, the rest. */
const TOKEN =
  /(?<space>\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|'[^']*'?|"[^"]*"?|`[^`]*`?|\[[^\]]*\]?|(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|[\s\S]/g;

function isTrigger(words: string[]): boolean {
  if (words[0] !== "CREATE") return false;
  const temporary = words[1] === "TEMP" || words[1] === "TEMPORARY";
  return words[temporary ? 2 : 1] === "TRIGGER";
}

const TRANSACTION = new Set(["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"]);

/** Statements of PostgreSQL that SQLite never takes. */
const POSTGRES = /^CREATE\s+(?:OR\s+REPLACE\s+)?(?:FUNCTION|PROCEDURE)\b/i;

/**
 * Makes the error of a migration that is written for another database than the project's.
 *
 * @param migration The file.
 * @param statement The statement that shows it.
 * @param databases The one that the file is for, and the project's.
 */
export function otherDialect(
  { name, sql }: Migration,
  { line }: FileStatement,
  [written, expected]: [written: string, expected: string],
): CliError {
  const isAuth = /\bauth_schema\b/.test(sql);
  return new CliError(
    `${name}:${line}: the file is written for ${written}, and the project's database is ${expected}.`,
    {
      hint: isAuth
        ? `Run \`framework generate auth\`, which writes the tables of @framework/auth for ${expected}.`
        : `Write the file in the SQL of ${expected}.`,
    },
  );
}

/** D1 refuses these; ATTACH would also let a migration write a file outside of the project. */
const OTHER_FILES = new Set(["ATTACH", "DETACH", "VACUUM"]);

/**
 * Splits a migration and refuses what would break "one file, one transaction", and a file for PostgreSQL.
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
  const foreign = statements.find(({ text }) => POSTGRES.test(text));
  if (foreign !== undefined) throw otherDialect(migration, foreign, ["PostgreSQL", "SQLite"]);
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
