import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../errors.ts";
import { sqlite, type SqliteDatabase, sqlitePrepare, type SqliteValue } from "./sqlite.ts";

/** Takes values as the oldest `node:sqlite` does: what has a number has a name. */
function old(file: DatabaseSync): SqliteDatabase {
  return {
    exec: (sql) => file.exec(sql),
    prepare(sql) {
      const statement = file.prepare(sql);
      function check(values: SqliteValue[]): void {
        const byName = typeof values[0] === "object" && values[0] !== null;
        if (/\?\d/.test(sql.replace(/'[^']*'/g, "")) && values.length > 0 && !byName) {
          throw new RangeError("column index out of range");
        }
      }
      return {
        all: (...values) => (check(values), statement.all(...values)),
        run: (...values) => (check(values), statement.run(...values)),
      };
    },
  };
}

for (const [name, wrap] of [["new", (file: DatabaseSync) => file], ["old", old]] as const) {
  Deno.test(`sqlitePrepare() fills numbers in order, in any place and any number of times (${name})`, () => {
    using file = new DatabaseSync(":memory:");
    const prepare = sqlitePrepare(wrap(file) as SqliteDatabase);
    const rows: [sql: string, values: SqliteValue[], expected: Record<string, SqliteValue>][] = [
      ["SELECT ?2 AS a, ?1 AS b, ?2 AS c", [1, "x"], { a: "x", b: 1, c: "x" }],
      ["SELECT ?10 AS a", [1, 2, 3, 4, 5, 6, 7, 8, 9, "ten"], { a: "ten" }],
      ["SELECT ?1 AS a, '?2' AS b", ["x"], { a: "x", b: "?2" }],
      ["SELECT ? AS a, ? AS b", [1, 2], { a: 1, b: 2 }],
      ["SELECT '?1' AS a, ? AS b", [2], { a: "?1", b: 2 }],
      ["SELECT 1 AS a", [], { a: 1 }],
    ];
    for (const [sql, values, expected] of rows) {
      assert.deepEqual({ ...prepare(sql).all(...values)[0] as object }, expected, sql);
    }
    file.exec("CREATE TABLE t (a, b)");
    prepare("INSERT INTO t VALUES (?1, ?2)").run(null, new Uint8Array([1]));
    assert.deepEqual({ ...file.prepare("SELECT a, length(b) AS n FROM t").get() }, {
      a: null,
      n: 1,
    });
  });
}

/** Types of better-sqlite3, as far as they matter: `prepare()` returns one of two. */
interface BetterStatement<Values extends unknown[]> {
  reader: boolean;
  all(...values: Values): unknown[];
  get(...values: Values): unknown;
  run(...values: Values): { changes: number; lastInsertRowid: number | bigint };
  safeIntegers(enabled?: boolean): this;
  columns(): { name: string; column: string | null }[];
}
interface BetterDatabase {
  exec(sql: string): this;
  // deno-lint-ignore ban-types
  prepare<Values extends unknown[] | {} = unknown[]>(
    sql: string,
  ): Values extends unknown[] ? BetterStatement<Values> : BetterStatement<[Values]>;
}

/**
 * Takes and gives what better-sqlite3 12.11 does: `?1` by the name "1" and no other, rows of nothing that has none,
 * and integers rounded to numbers unless `safeIntegers()` was called.
 */
class Database {
  readonly file: DatabaseSync;
  constructor(file: DatabaseSync) {
    this.file = file;
  }
  exec(sql: string): this {
    this.file.exec(sql);
    return this;
  }
  prepare(sql: string): BetterStatement<unknown[]> {
    const statement = this.file.prepare(sql);
    const numbered = /\?\d/.test(sql.replace(/'[^']*'/g, ""));
    const reader = statement.columns().length > 0;
    let safe = false;
    function take(values: unknown[]): SqliteValue[] {
      if (!numbered) return values as SqliteValue[];
      const [names] = values;
      if (typeof names !== "object" || names === null || names instanceof Uint8Array) {
        throw new RangeError("Too many parameter values were provided");
      }
      const given = Object.entries(names);
      if (given.some(([name]) => name.startsWith("?"))) {
        throw new RangeError('Missing named parameter "1"');
      }
      return [Object.fromEntries(given.map(([name, value]) => [`?${name}`, value]))] as never;
    }
    function rows(values: unknown[]): Record<string, unknown>[] {
      if (!reader) throw new TypeError("This statement does not return data. Use run() instead");
      statement.setReadBigInts(true);
      return statement.all(...take(values) as never[]).map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === "bigint" && !safe ? Number(value) : value,
          ]),
        )
      );
    }
    return {
      reader,
      all: (...values) => rows(values),
      get: (...values) => rows(values)[0],
      run: (...values) => statement.run(...take(values) as never[]) as never,
      safeIntegers(enabled = true) {
        safe = enabled;
        return this;
      },
      columns: () => statement.columns() as never,
    };
  }
}

// Tracks: AU-05
Deno.test("sqlite() takes better-sqlite3, by its types and at run time", async () => {
  using file = new DatabaseSync(":memory:");
  const better: BetterDatabase = new Database(file) as never;
  const database = sqlite(better);
  await database.prepare("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)").run();
  const insert = database.prepare("INSERT INTO t (b) VALUES (?1) RETURNING a, b");
  assert.deepEqual(await insert.bind("x").first(), { a: 1, b: "x" });
  const large = database.prepare("INSERT INTO t (a) VALUES (?1) RETURNING a");
  assert.deepEqual(await large.bind(9007199254740993n as never).all(), {
    results: [{ a: 9007199254740993n }],
    meta: { changes: 1 },
  });
  await database.prepare("WITH y AS (SELECT ?1 AS b) UPDATE t SET b = (SELECT b FROM y)")
    .bind("y").run();
  assert.deepEqual(
    { ...await database.prepare("SELECT ?2 AS a, ?1 AS b, ?2 AS c").bind(1, "x").first<object>() },
    { a: "x", b: 1, c: "x" },
  );
  assert.deepEqual(database.readNow?.("SELECT b FROM t WHERE a = ?1", 1), { b: "y" });
  await assert.rejects(
    database.batch([
      database.prepare("DELETE FROM t"),
      database.prepare("INSERT INTO t (a) VALUES (?1), (?1)").bind(1),
    ]),
    /UNIQUE/,
  );
  assert.equal(file.prepare("SELECT count(*) AS n FROM t").get()!.n, 2);
});

// Tracks: AU-05
Deno.test("sqlite() refuses other drivers by name, and says what to write", () => {
  class Client {
    execute() {}
    batch() {}
  }
  class Callbacks {
    exec() {}
    prepare() {
      return { all: () => this, run: () => this };
    }
  }
  class Promising {
    exec() {}
    prepare() {
      return { all: () => Promise.resolve([]), run: () => Promise.resolve() };
    }
  }
  for (const Driver of [Client, Callbacks, Promising]) {
    assert.throws(() => sqlite(new Driver() as never), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, new RegExp(`cannot use ${Driver.name}: .*better-sqlite3`));
      assert.match(error.message, /the shape of D1/);
      return true;
    });
  }
  assert.throws(() => sqlite(undefined as never), ConfigurationError);
  assert.throws(() => sqlite({} as never), /cannot use an object:/);
});

Deno.test("sqlite() says why it cannot read a database: closed, locked, or none", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-sqlite-" });
  try {
    await Deno.writeTextFile(`${folder}/text.db`, "no database, ".repeat(500));
    using text = new DatabaseSync(`${folder}/text.db`);
    using locking = new DatabaseSync(`${folder}/locked.db`);
    locking.exec("CREATE TABLE t (a); BEGIN EXCLUSIVE");
    using locked = new DatabaseSync(`${folder}/locked.db`);
    const closed = new DatabaseSync(":memory:");
    closed.close();
    const cases: [DatabaseSync, RegExp][] = [
      [text, /cannot read the database: file is not a database/],
      [locked, /cannot read the database: database is locked/],
      [closed, /cannot read the database: .*not open/],
    ];
    for (const [handle, message] of cases) {
      assert.throws(() => sqlite(handle, { busyTimeout: 10 }), (error) => {
        assert.ok(error instanceof ConfigurationError);
        assert.match(error.message, message);
        assert.ok(error.cause instanceof Error);
        return true;
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
