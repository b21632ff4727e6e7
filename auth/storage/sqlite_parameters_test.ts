import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { SqliteDatabase, SqliteValue } from "./sqlite_database.ts";
import { sqlitePrepare } from "./sqlite_parameters.ts";

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
