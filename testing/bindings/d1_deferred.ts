import type { D1Database, D1Result, D1Statement } from "./d1.ts";
import { toBoundValue } from "./d1_values.ts";

/**
 * A D1 database that is opened by its first query, for helpers that must not wait: preparing and
 * binding happen at once, with the checks that D1 makes there.
 *
 * @param open Opens the database; called once.
 */
export function createDeferredD1(open: () => Promise<D1Database>): D1Database {
  let opening: Promise<D1Database> | undefined;
  const opened = () => opening ??= open();
  const queries = new WeakMap<D1Statement, { sql: string; values: unknown[] }>();

  async function real(statement: D1Statement): Promise<D1Statement> {
    const database = await opened();
    const query = queries.get(statement);
    // What another database prepared is passed on, so that it is refused there.
    return query === undefined ? statement : database.prepare(query.sql).bind(...query.values);
  }

  function prepare(sql: string, values: unknown[] = []): D1Statement {
    const made: D1Statement = {
      bind(...next) {
        next.forEach(toBoundValue);
        return prepare(sql, next);
      },
      first: async <T>(column?: string) => {
        const statement = await real(made);
        return column === undefined ? statement.first<T>() : statement.first<T>(column);
      },
      all: async <T>() => (await real(made)).all<T>(),
      run: async <T>() => (await real(made)).run<T>(),
      raw: async <T>(options?: { columnNames?: boolean }) => (await real(made)).raw<T>(options),
    };
    queries.set(made, { sql, values });
    return made;
  }

  async function batch<T>(statements: D1Statement[]): Promise<D1Result<T>[]> {
    const list = await Promise.all(statements.map(real));
    return (await opened()).batch<T>(list);
  }

  return {
    prepare: (sql) => prepare(sql),
    batch,
    exec: async (sql) => (await opened()).exec(sql),
    withSession: (constraint) => {
      const given = constraint === "first-primary" || constraint === "first-unconstrained";
      const bookmark = given || !constraint ? null : constraint;
      return { prepare: (sql) => prepare(sql), batch, getBookmark: () => bookmark };
    },
  };
}
