/** One statement of an SQL file. */
export interface FileStatement {
  /** Its text, without the comments before it. */
  text: string;
  /** Line on which it begins, from 1. */
  line: number;
  /** Its first word, in upper case. */
  keyword: string;
}

/**
 * Splits an SQL file into statements.
 *
 * Where a statement ends is decided as SQLite's own `sqlite3_complete()` does: at a semicolon outside of
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

  /** The first words say what the statement is, the last two where a trigger ends. */
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
