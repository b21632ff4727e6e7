import type { SqliteDatabase, SqliteStatement, SqliteValue } from "./sqlite_database.ts";

/** Makes a statement whose `?1`, `?2`, … are the values, in order. */
export type PrepareSqlite = (sql: string) => SqliteStatement;

/** In Node before 22.20, and of 24 before 24.7, values in order fill what is written `?`, and no number. */
function fillsNumbers(database: SqliteDatabase): boolean {
  try {
    database.prepare("SELECT ?1").all(1);
    return true;
  } catch {
    return false;
  }
}

/** The numbers in a statement, but for those in its texts. */
function numbersIn(sql: string): number[] {
  const bare = sql.replace(/'[^']*'/g, "");
  return [...new Set([...bare.matchAll(/\?(\d+)/g)].map(([, digits]) => Number(digits)))];
}

/** The statement, to which its numbers are names. It takes them as one object, in the place of the values. */
function byName(statement: SqliteStatement, numbers: readonly number[]): SqliteStatement {
  function named(values: SqliteValue[]): SqliteValue[] {
    const names = Object.fromEntries(
      numbers.map((number) => [`?${number}`, values[number - 1] ?? null]),
    );
    return [names as unknown as SqliteValue];
  }
  return {
    all: (...values) => statement.all(...named(values)),
    run: (...values) => statement.run(...named(values)),
    setReadBigInts: (enabled) => statement.setReadBigInts?.(enabled),
  };
}

/** Finds out how a database is given values. */
export function sqlitePrepare(database: SqliteDatabase): PrepareSqlite {
  if (fillsNumbers(database)) return (sql) => database.prepare(sql);
  return (sql) => {
    const statement = database.prepare(sql);
    const numbers = numbersIn(sql);
    return numbers.length > 0 ? byName(statement, numbers) : statement;
  };
}
