import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { authSchema } from "../storage/schema.ts";
import type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "../storage/sql_database.ts";
import { travel } from "./trips.ts";

/** A database with the shape of D1 over `node:sqlite`, and what tests want to know about it. */
export interface D1Double extends SqlDatabase {
  /** The database underneath, to look into and to prepare states that the library does not make. */
  readonly sqlite: DatabaseSync;
  /** How many statements were prepared. */
  readonly prepared: number;
  /** How many round trips were made. */
  readonly trips: number;
  /** Makes every further operation fail with this message; undefined heals it. */
  fail: string | undefined;
  close(): void;
}

interface DoubleStatement extends SqlStatement {
  execute(): SqlResult;
}

function toInput(value: SqlValue): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}

/** Makes an empty database with the tables of the library. */
export function createD1Double(): D1Double {
  const sqlite = new DatabaseSync(":memory:");
  sqlite.exec(authSchema.up);
  let prepared = 0;
  let trips = 0;

  function call<T>(sql: string, work: () => T): Promise<T> {
    trips++;
    // Across the network, as D1 is: whoever races, races here too.
    return travel(sql, () => {
      if (double.fail !== undefined) throw new Error(double.fail);
      try {
        return work();
      } catch (error) {
        throw new Error(`D1_ERROR: ${(error as Error).message}`);
      }
    });
  }

  function statement(sql: string, values: SqlValue[]): DoubleStatement {
    function execute(): SqlResult {
      const results = sqlite.prepare(sql).all(...values.map(toInput));
      const { changes } = sqlite.prepare("SELECT changes() AS changes").get() as {
        changes: number;
      };
      return { results, meta: { changes: /^\s*SELECT/i.test(sql) ? 0 : changes } };
    }
    return {
      execute,
      bind: (...bound) => statement(sql, bound),
      first: <T>() => call(sql, () => (execute().results[0] ?? null) as T | null),
      all: <T>() => call(sql, () => execute() as SqlResult<T>),
      run: () => call(sql, execute),
    };
  }

  const double: D1Double = {
    sqlite,
    fail: undefined,
    get prepared() {
      return prepared;
    },
    get trips() {
      return trips;
    },
    prepare(sql) {
      prepared++;
      return statement(sql, []);
    },
    batch(statements) {
      return call("batch", () => {
        sqlite.exec("BEGIN IMMEDIATE");
        try {
          const results = (statements as DoubleStatement[]).map((one) => one.execute());
          sqlite.exec("COMMIT");
          return results;
        } catch (error) {
          sqlite.exec("ROLLBACK");
          throw error;
        }
      });
    },
    close: () => sqlite.close(),
  };
  return double;
}
