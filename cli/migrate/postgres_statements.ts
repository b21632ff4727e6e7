import { CliError } from "../terminal/exit.ts";
import type { Migration } from "./files.ts";
import { type FileStatement, otherDialect } from "./statements.ts";

/**
 * Tokens of PostgreSQL's lexer, as far as the end of a statement depends on them: spaces and comments, strings with and
 * without escapes, quoted names, dollar-quoted bodies, words. What has no end goes to the end of the file, where the
 * server says so.
 *
 * @see https://www.postgresql.org/docs/current/sql-syntax-lexical.html
 */
const TOKEN =
  /(?<space>\s+|--[^\n]*)|(?<comment>\/\*)|[eE]'(?:[^'\\]|\\[^]|'')*'?|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|(?<dollar>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)|(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|\d[\w$]*|[^]/g;

/** Statements that would end the transaction of the file. */
const TRANSACTION = new Set([
  ...["ABORT", "BEGIN", "COMMIT", "END", "PREPARE TRANSACTION", "RELEASE", "ROLLBACK"],
  ...["SAVEPOINT", "START"],
]);

/**
 * Splits an SQL file of PostgreSQL into statements: at semicolons outside of strings, quoted names, comments,
 * parentheses and the bodies of functions, those of `BEGIN ATOMIC` too.
 *
 * @param sql Text of the file.
 */
export function splitPostgres(sql: string): FileStatement[] {
  const statements: FileStatement[] = [];
  let start: number | undefined;
  let end = 0;
  let words: string[] = [];
  /** Open parentheses; words of open blocks of a body, the last of which END closes. */
  let depth = 0;
  let blocks: string[] = [];

  function finish(): void {
    if (start !== undefined) {
      const line = sql.slice(0, start).split("\n").length;
      const [first = "", second] = words;
      const keyword = first === "PREPARE" && second === "TRANSACTION"
        ? `${first} ${second}`
        : first;
      statements.push({ text: sql.slice(start, end), line, keyword });
    }
    [start, words, depth, blocks] = [undefined, [], 0, []];
  }

  for (TOKEN.lastIndex = 0;;) {
    const token = TOKEN.exec(sql);
    if (token === null) break;
    const [text] = token;
    const { space, comment, dollar, word } = token.groups ?? {};
    if (space !== undefined) continue;
    if (comment !== undefined) {
      TOKEN.lastIndex = endOfComment(sql, token.index);
      continue;
    }
    if (text === ";" && depth === 0 && blocks.length === 0) {
      if (start !== undefined) end = token.index + 1;
      finish();
      continue;
    }
    start ??= token.index;
    if (dollar !== undefined) {
      const close = sql.indexOf(dollar, TOKEN.lastIndex);
      TOKEN.lastIndex = close === -1 ? sql.length : close + dollar.length;
    }
    end = TOKEN.lastIndex;
    if (text === "(") depth++;
    if (text === ")") depth = Math.max(depth - 1, 0);
    if (word === undefined) continue;
    const upper = word.toUpperCase();
    if (upper === "ATOMIC" && words.at(-1) === "BEGIN") blocks.push(upper);
    else if (upper === "CASE" && blocks.length > 0) blocks.push(upper);
    else if (upper === "END") blocks.pop();
    // The first two name the statement, the last one a body.
    if (words.length > 2) words.pop();
    words.push(upper);
  }
  finish();
  return statements;
}

/** Comments are nested, unlike those of the standard. */
function endOfComment(sql: string, start: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  let depth = 0;
  for (let found = mark.exec(sql); found !== null; found = mark.exec(sql)) {
    depth += found[0] === "/*" ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return sql.length;
}

/** Statements of SQLite that PostgreSQL never takes: its triggers call a function. */
const SQLITE =
  /^(?:PRAGMA|CREATE\s+(?:TEMP(?:ORARY)?\s+)?TRIGGER)\b(?![^]*\bEXECUTE\s+(?:FUNCTION|PROCEDURE)\b)/i;

/**
 * Splits a migration of PostgreSQL and refuses what would break "one file, one transaction", and a file for SQLite.
 *
 * @param migration The file.
 * @throws {CliError} Exit code 1; names file and line.
 */
export function checkedPostgres({ name, sql }: Migration): FileStatement[] {
  const statements = splitPostgres(sql);
  const foreign = statements.find(({ text }) => SQLITE.test(text));
  if (foreign !== undefined) throw otherDialect({ name, sql }, foreign, ["SQLite", "PostgreSQL"]);
  const wrong = statements.find(({ keyword }) => TRANSACTION.has(keyword));
  if (wrong === undefined) return statements;
  throw new CliError(`${name}:${wrong.line}: ${wrong.keyword} is not allowed in a migration.`, {
    hint: "Remove it: each file is applied as one transaction.",
  });
}
