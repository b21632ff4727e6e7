import type { SqlDatabase, SqlResult, SqlStatement } from "../storage/sql_database.ts";

/** A database in front of another one, between which and the library a connection is lost at will. */
export interface FaultyDatabase extends SqlDatabase {
  /** Faults of the next round trips, one entry each; later ones succeed. */
  readonly faults: Fault[];
  /** Number of attempted round trips. */
  readonly trips: number;
}

/** One round trip, which is lost before the work was done, or after it, or not. */
export interface Fault {
  when: "before" | "after" | "never";
  message: string;
}

/** The messages with which D1 says that it may work in a moment. */
export const LOST_MESSAGES: readonly string[] = [
  "D1_ERROR: Network connection lost.",
  "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
  "D1 DB reset because its code was updated.",
];

interface FaultyStatement extends SqlStatement {
  inner: SqlStatement;
}

/** Puts faults in front of a database. */
export function createFaultyDatabase(database: SqlDatabase): FaultyDatabase {
  const faults: Fault[] = [];
  let trips = 0;

  async function travel<T>(work: () => Promise<T>): Promise<T> {
    trips++;
    const fault = faults.shift();
    if (fault?.when === "before") throw new Error(fault.message);
    const result = await work();
    if (fault?.when === "after") throw new Error(fault.message);
    return result;
  }

  function wrap(inner: SqlStatement): FaultyStatement {
    return {
      inner,
      bind: (...values) => wrap(inner.bind(...values)),
      first: <T>() => travel(() => inner.first<T>()),
      all: <T>() => travel(() => inner.all<T>()),
      run: () => travel(() => inner.run()),
    };
  }

  return {
    faults,
    get trips() {
      return trips;
    },
    prepare: (sql) => wrap(database.prepare(sql)),
    batch: (statements): Promise<SqlResult[]> =>
      travel(() => database.batch((statements as FaultyStatement[]).map(({ inner }) => inner))),
  };
}
