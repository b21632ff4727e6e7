import { Buffer } from "node:buffer";
import { quoteText, type RemoteConnection } from "./remote.ts";

/** Value of a parameter. */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | ArrayBuffer
  | Uint8Array;

interface SqlResult<T = unknown> {
  results: T[];
  meta: { changes?: number };
}

interface SqlStatement {
  bind(...values: SqlValue[]): SqlStatement;
  first<T>(): Promise<T | null>;
  all<T>(): Promise<SqlResult<T>>;
  run(): Promise<SqlResult>;
}

/** Database in the shape of a D1 binding. */
export interface SqlDatabase {
  /** Makes a statement. */
  prepare(sql: string): SqlStatement;
  /** Runs statements in order, as one transaction. */
  batch(statements: SqlStatement[]): Promise<SqlResult[]>;
}

/**
 * Opens the platform's database in the shape of a D1 binding. Each statement, and each batch, is one request of
 * wrangler, which takes no parameters: values are written into the statements as literals.
 *
 * @param connection The database.
 */
export function remoteDatabase(connection: RemoteConnection): SqlDatabase {
  const texts = new WeakMap<SqlStatement, string>();

  function statement(sql: string, values: SqlValue[]): SqlStatement {
    const text = (): string => writeLiterals(sql, values);
    const made: SqlStatement = {
      bind: (...given) => statement(sql, given),
      async first<T>() {
        const [rows] = await connection.query(text());
        return (rows?.[0] ?? null) as T | null;
      },
      async all<T>() {
        const [rows] = await connection.query(text());
        return { results: (rows ?? []) as T[], meta: {} };
      },
      async run(): Promise<SqlResult> {
        const [rows] = await connection.query(text());
        return { results: rows ?? [], meta: {} };
      },
    };
    // Text of a statement that was made without values is never read.
    if (values.length > 0 || !sql.includes("?")) texts.set(made, text());
    return made;
  }

  return {
    prepare: (sql) => statement(sql, []),
    async batch(statements) {
      const rows = await connection.query(statements.map((each) => texts.get(each)).join(";\n"));
      return rows.map((results) => ({ results, meta: {} }));
    },
  };
}

/** Strings, quoted names and comments, in which a question mark is none of a parameter; or a parameter. */
const TOKEN = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?\*\/|\?(?<number>\d*)/g;

/**
 * Writes values into a statement.
 *
 * @param sql Statement with `?` or `?1`, `?2`, … for the values.
 * @param values The values.
 * @throws {TypeError} For a value that no literal expresses, and for a parameter without a value.
 */
export function writeLiterals(sql: string, values: readonly SqlValue[]): string {
  let next = 0;
  return sql.replace(TOKEN, (found, ...rest) => {
    const { number } = rest.at(-1) as { number?: string };
    if (number === undefined) return found;
    const index = number === "" ? next++ : Number(number) - 1;
    if (index >= values.length) throw new TypeError(`The parameter ${index + 1} has no value.`);
    return literal(values[index]!);
  });
}

function literal(value: SqlValue): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "string") {
    // SQLite ends a statement there.
    if (value.includes("\0")) throw new TypeError("A text with a NUL character cannot be sent.");
    return quoteText(value);
  }
  if (value instanceof ArrayBuffer) return `x'${Buffer.from(value).toString("hex")}'`;
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString("hex")}'`;
  throw new TypeError(`A value of the type ${typeof value} cannot be sent to the database.`);
}
