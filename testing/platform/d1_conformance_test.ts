// One list of cases, run against the double and against the platform's own D1 in workerd, so that
// the two cannot drift apart.
import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { createD1Database, type D1Database } from "./d1.ts";
import { createDatabaseImage } from "./sqlite.ts";

type Case = [name: string, run: (db: D1Database) => unknown, expected: unknown];

const SCHEMA = [
  "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT NOT NULL DEFAULT '-')",
  "CREATE TABLE posts (id INTEGER PRIMARY KEY, author INTEGER REFERENCES users (id), body)",
  "CREATE TABLE strict_one (value INTEGER CHECK (value > 0)) STRICT",
];

const failed = (text: string) => ({ error: text, cause: text.replace(/^D1_\w+: /, "") });
const code = (name: string) => `SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_${name})`;
const TRANSACTION =
  "D1_ERROR: To execute a transaction, please use the state.storage.transaction() or state." +
  "storage.transactionSync() APIs instead of the SQL BEGIN TRANSACTION or SAVEPOINT statements. " +
  "The JavaScript API is safer because it will automatically roll back on exceptions, and because " +
  "it interacts correctly with Durable Objects' automatic atomic write coalescing.";
const DENIED = failed("D1_ERROR: not authorized: SQLITE_AUTH");
const COUNT = failed("D1_ERROR: Wrong number of parameter bindings for SQL query.");
const ADA = "INSERT INTO users (email) VALUES ('ada@example.com')";

const typed = (value: unknown) => (db: D1Database) =>
  db.prepare("SELECT ?1 AS v, typeof(?1) AS t").bind(value).first();
const all = (sql: string, ...values: unknown[]) => async (db: D1Database) =>
  (await db.prepare(sql).bind(...values).all()).results;
const run = (sql: string) => (db: D1Database) => db.prepare(sql).run();
const repeat = (text: string, times: number, by = ",") => Array(times).fill(text).join(by);

const CASES: Case[] = [
  ["all() gives objects", all("SELECT 1 AS a, 'x' AS b, NULL AS c"), [{ a: 1, b: "x", c: null }]],
  ["all() keeps the last of equal names", all("SELECT 1 AS a, 2 AS a"), [{ a: 2 }]],
  ["run() gives rows too", async (db) => (await db.prepare("SELECT 1 AS a").run()).results, [{
    a: 1,
  }]],
  ["success is true", async (db) => (await db.prepare(ADA).run()).success, true],
  ["raw() gives arrays", (db) => db.prepare("SELECT 1 AS a, 2 AS a").raw(), [[1, 2]]],
  [
    "raw() gives column names of an empty result",
    (db) => db.prepare("SELECT id, email FROM users").raw({ columnNames: true }),
    [["id", "email"]],
  ],
  ["first() gives the first row", (db) => db.prepare("VALUES (1), (2)").first(), { column1: 1 }],
  ["first(column) gives its value", (db) => db.prepare("SELECT 1 AS a, 2 AS b").first("b"), 2],
  ["first() gives null without rows", (db) => db.prepare("SELECT * FROM users").first(), null],
  [
    "first(column) gives null without rows",
    (db) => db.prepare("SELECT * FROM users").first("z"),
    null,
  ],
  [
    "first(column) refuses an unknown column",
    (db) => db.prepare("SELECT 1 AS a").first("zz"),
    { error: "D1_COLUMN_NOTFOUND: Column not found (zz)", cause: "Column not found" },
  ],
  ["first() of a null column", (db) => db.prepare("SELECT NULL AS a").first("a"), null],
  ["INSERT … RETURNING gives rows", all(`${ADA} RETURNING id`), [{ id: 1 }]],

  ["numbers are bound as REAL", typed(1), { v: 1, t: "real" }],
  ["safe integers survive", typed(Number.MAX_SAFE_INTEGER), { v: 9007199254740991, t: "real" }],
  ["columns with affinity store integers", async (db) => {
    await db.prepare("INSERT INTO posts (id, body) VALUES (?, ?)").bind(7, 7).run();
    return db.prepare("SELECT typeof(id) AS id, typeof(body) AS body FROM posts").first();
  }, { id: "integer", body: "real" }],
  ["true becomes 1", typed(true), { v: 1, t: "real" }],
  ["false becomes 0", typed(false), { v: 0, t: "real" }],
  ["null stays null", typed(null), { v: null, t: "null" }],
  ["NaN becomes null", typed(NaN), { v: null, t: "null" }],
  ["Infinity becomes null", typed(Infinity), { v: null, t: "null" }],
  ["-0 becomes 0", typed(-0), { v: 0, t: "real" }],
  ["strings keep their characters", typed("Ünï 🦕 'q'"), { v: "Ünï 🦕 'q'", t: "text" }],
  ["ArrayBuffer becomes a blob", typed(new Uint8Array([1, 255]).buffer), {
    v: [1, 255],
    t: "blob",
  }],
  ["Uint8Array becomes a blob", typed(new Uint8Array([1, 2])), { v: [1, 2], t: "blob" }],
  ["an array of bytes becomes a blob", typed([1, 2]), { v: [1, 2], t: "blob" }],
  ["a blob comes back as bytes", all("SELECT x'0102' AS b, x'' AS e"), [{ b: [1, 2], e: [] }]],
  ["integers beyond 2^53 are rounded", all("SELECT 9223372036854775807 AS v"), [{
    v: 9223372036854775807,
  }]],
  ["an infinity in a row becomes null", all("SELECT 1e400 AS v"), [{ v: null }]],
  [
    "undefined is refused",
    typed(undefined),
    failed("D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'"),
  ],
  [
    "Date is refused",
    typed(new Date(0)),
    failed(`D1_TYPE_ERROR: Type 'object' not supported for value '${new Date(0)}'`),
  ],
  [
    "objects are refused",
    typed({ a: 1 }),
    failed("D1_TYPE_ERROR: Type 'object' not supported for value '[object Object]'"),
  ],
  [
    "arrays of other things are refused",
    typed(["a"]),
    failed("D1_TYPE_ERROR: Type 'object' not supported for value 'a'"),
  ],
  [
    "bigint is refused",
    typed(5n),
    failed("D1_TYPE_ERROR: Type 'bigint' not supported for value '5'"),
  ],

  ["parameters: numbered", all("SELECT ?2 AS a, ?1 AS b, ?2 AS c", 1, 2), [{ a: 2, b: 1, c: 2 }]],
  ["parameters: named", all("SELECT :a AS a, @b AS b, $c AS c, :a AS d", 1, 2, 3), [{
    a: 1,
    b: 2,
    c: 3,
    d: 1,
  }]],
  ["parameters: plain after numbered", all("SELECT ?2 AS a, ? AS b, ?1 AS c", 1, 2, 3), [{
    a: 2,
    b: 3,
    c: 1,
  }]],
  [
    "parameters: none in strings, names and comments",
    all(`SELECT '?' AS "a?", '''?' AS [b?], /* ? */ ? AS \`c?\` -- ?`, 1),
    [{ "a?": "?", "b?": "'?", "c?": 1 }],
  ],
  ["parameters: the names of columns", all("SELECT ?3, ?1, ?2 + ?1", 1, 2, 3), [{
    "?3": 3,
    "?1": 1,
    "?2 + ?1": 3,
  }]],
  ["parameters: the names of columns, named", all("SELECT @a, $b, ?", 1, 2, 3), [{
    "@a": 1,
    "$b": 2,
    "?": 3,
  }]],
  ["a text in double quotes that names nothing", all('SELECT "text", "text" AS v'), [{
    '"text"': "text",
    v: "text",
  }]],
  ["-0 in a row becomes 0", all("SELECT -0.0 AS v"), [{ v: 0 }]],
  ["a row's id beyond 2^53 is rounded, and stops nothing after it", async (db) => {
    const insert = db.prepare("INSERT INTO posts (id) VALUES (9223372036854775807)");
    const { meta } = await insert.run();
    const { results } = await db.prepare("SELECT id, typeof(id) AS t FROM posts").all();
    await db.exec("DELETE FROM posts");
    return [meta.last_row_id, results];
  }, [9223372036854775807, [{ id: 9223372036854775807, t: "integer" }]]],
  ["changed_db of what changes tables alone", async (db) => {
    const changed: boolean[] = [];
    for (
      const sql of [
        "CREATE TABLE first (a)",
        "CREATE INDEX of_a ON first (a)",
        "SELECT 1",
        "DROP INDEX of_a",
        "ALTER TABLE first ADD COLUMN b",
        "DROP TABLE first",
      ]
    ) changed.push((await db.prepare(sql).run()).meta.changed_db);
    return changed;
  }, [true, true, false, true, false, true]],
  ["parameters: too few", all("SELECT ?, ?", 1), COUNT],
  ["parameters: too many", all("SELECT ?", 1, 2), COUNT],
  ["parameters: none given", (db) => db.prepare("SELECT ?").all(), COUNT],
  ["100 parameters", async (db) => {
    const values = Array.from({ length: 100 }, (_, index) => index);
    const [row] = await db.prepare(`SELECT ${repeat("?", 100)}`).bind(...values).raw();
    return row;
  }, Array.from({ length: 100 }, (_, index) => index)],
  [
    "101 parameters",
    all(`SELECT 1 WHERE 1 IN (${repeat("?", 101)})`, ...Array(101).fill(1)),
    failed("D1_ERROR: too many SQL variables: SQLITE_ERROR"),
  ],
  ["bind() leaves the statement as it is", (db) => {
    const statement = db.prepare("SELECT ? AS v");
    const [a, b] = [statement.bind(1), statement.bind(2)];
    return Promise.all([a.first("v"), b.first("v"), a.bind(3).first("v")]);
  }, [1, 2, 3]],

  ["UNIQUE", async (db) => {
    await db.prepare(ADA).run();
    return db.prepare(ADA).run();
  }, failed(`D1_ERROR: UNIQUE constraint failed: users.email: ${code("UNIQUE")}`)],
  [
    "PRIMARY KEY",
    run("INSERT INTO users (id) VALUES (1), (1)"),
    failed(`D1_ERROR: UNIQUE constraint failed: users.id: ${code("PRIMARYKEY")}`),
  ],
  [
    "NOT NULL",
    run("INSERT INTO users (name) VALUES (NULL)"),
    failed(`D1_ERROR: NOT NULL constraint failed: users.name: ${code("NOTNULL")}`),
  ],
  [
    "CHECK",
    run("INSERT INTO strict_one VALUES (-1)"),
    failed(`D1_ERROR: CHECK constraint failed: value > 0: ${code("CHECK")}`),
  ],
  [
    "STRICT",
    run("INSERT INTO strict_one VALUES ('x')"),
    failed(
      `D1_ERROR: cannot store TEXT value in INTEGER column strict_one.value: ${code("DATATYPE")}`,
    ),
  ],
  [
    "FOREIGN KEY",
    run("INSERT INTO posts (author) VALUES (99)"),
    failed(`D1_ERROR: FOREIGN KEY constraint failed: ${code("FOREIGNKEY")}`),
  ],
  ["RAISE", async (db) => {
    await db.exec(
      "CREATE TRIGGER keep BEFORE DELETE ON users BEGIN SELECT raise(ABORT, 'no'); END",
    );
    await db.prepare(ADA).run();
    return db.prepare("DELETE FROM users").run();
  }, failed(`D1_ERROR: no: ${code("TRIGGER")}`)],
  ["syntax error", all("SELCT 1"), failed('D1_ERROR: near "SELCT": syntax error: SQLITE_ERROR')],
  [
    "no such table",
    all("SELECT * FROM nope"),
    failed(
      "D1_ERROR: no such table: nope: SQLITE_ERROR",
    ),
  ],

  ["an empty text", all(""), failed("D1_ERROR: No SQL statements detected.")],
  ["a comment alone", all("-- hi"), failed("D1_ERROR: SQL code did not contain a statement.")],
  ["a semicolon alone", all(";"), failed("D1_ERROR: SQL code did not contain a statement.")],
  ["a trailing semicolon", all("SELECT 1 AS a;"), [{ a: 1 }]],
  ["a trailing space", all("SELECT 1 AS a;  \n"), [{ a: 1 }]],
  [
    "a trailing comment",
    all("SELECT 1; -- a"),
    failed(
      "D1_ERROR: SQL code did not contain a statement.",
    ),
  ],
  ["two statements give the last result", all("SELECT 1 AS a; SELECT 2 AS b"), [{ b: 2 }]],
  [
    "only the last statement has parameters",
    all("SELECT ?; SELECT 2", 1),
    failed(
      "D1_ERROR: When executing multiple SQL statements in a single call, only the last statement can have parameters.",
    ),
  ],
  ["the last statement has parameters", all("SELECT 1; SELECT ? AS a", 5), [{ a: 5 }]],
  ["a trigger's body is one statement", async (db) => {
    await db.prepare(
      "CREATE TRIGGER t AFTER INSERT ON users BEGIN UPDATE users SET name = ';'; SELECT 1; END;",
    ).run();
    await db.prepare(ADA).run();
    return db.prepare("SELECT name FROM users").first("name");
  }, ";"],
  ["two statements are one transaction", async (db) => {
    await db.prepare(`${ADA}; ${ADA}`).run().catch(() => {});
    return db.prepare("SELECT count(*) AS n FROM users").first("n");
  }, 0],

  ["batch() runs in order", async (db) => {
    const results = await db.batch([
      db.prepare("INSERT INTO users (email) VALUES (?)").bind("a"),
      db.prepare("INSERT INTO users (email) VALUES (?)").bind("b"),
      db.prepare("SELECT count(*) AS n FROM users"),
    ]);
    return results.map((result) => [result.results, result.meta.changes, result.meta.last_row_id]);
  }, [[[], 1, 1], [[], 1, 2], [[{ n: 2 }], 0, 2]]],
  ["batch() is atomic", async (db) => {
    const error = await db.batch([db.prepare(ADA), db.prepare(ADA)]).catch((e) => e.message);
    return [error, await db.prepare("SELECT count(*) AS n FROM users").first("n")];
  }, [`D1_ERROR: UNIQUE constraint failed: users.email: ${code("UNIQUE")}`, 0]],
  ["batch() of nothing", (db) => db.batch([]), failed("D1_ERROR: No SQL statements detected.")],
  ["batch() defers foreign keys when asked", async (db) => {
    await db.batch([
      db.prepare("PRAGMA defer_foreign_keys = on"),
      db.prepare("INSERT INTO posts (author) VALUES (5)"),
      db.prepare("INSERT INTO users (id) VALUES (5)"),
    ]);
    return db.prepare("SELECT author FROM posts").first("author");
  }, 5],

  ["exec() counts lines", async (db) => (await db.exec(`${ADA};\nSELECT 1;\n`)).count, 2],
  ["exec() skips empty lines", async (db) => (await db.exec("SELECT 1;\n\nSELECT 2;")).count, 2],
  [
    "exec() takes one statement per line",
    (db) => db.exec("INSERT INTO users\nDEFAULT VALUES"),
    failed("D1_EXEC_ERROR: Error in line 1: INSERT INTO users: incomplete input: SQLITE_ERROR"),
  ],
  ["exec() is atomic", async (db) => {
    await db.exec(`${ADA};\nSELCT`).catch(() => {});
    return db.prepare("SELECT count(*) AS n FROM users").first("n");
  }, 0],
  [
    "exec() of nothing",
    (db) => db.exec(""),
    failed("D1_EXEC_ERROR: Error in line 1: : No SQL statements detected."),
  ],
  [
    "exec() takes no parameters",
    (db) => db.exec("SELECT ?"),
    failed(
      "D1_EXEC_ERROR: Error in line 1: SELECT ?: Wrong number of parameter bindings for SQL query.",
    ),
  ],

  ...["BEGIN", "begin immediate", "COMMIT", "END", "ROLLBACK", "SAVEPOINT a", "RELEASE a"].map((
    sql,
  ): Case => [`refuses ${sql}`, all(sql), failed(TRANSACTION)]),
  ["refuses BEGIN behind a comment", all("/* x */ -- y\n begin"), failed(TRANSACTION)],
  ["refuses BEGIN in a batch", (db) => db.batch([db.prepare("BEGIN")]), failed(TRANSACTION)],
  ...[
    "ATTACH ':memory:' AS x",
    "DETACH x",
    "CREATE TEMP TABLE x (a)",
    "CREATE TEMPORARY VIEW x AS SELECT 1",
    "PRAGMA journal_mode",
    "PRAGMA user_version = 2",
    "PRAGMA main.page_size",
    "PRAGMA writable_schema = on",
  ].map((sql): Case => [`refuses ${sql}`, all(sql), DENIED]),
  [
    "refuses VACUUM",
    all("VACUUM"),
    failed("D1_ERROR: cannot VACUUM from within a transaction: SQLITE_ERROR"),
  ],
  ["foreign keys cannot be turned off", async (db) => {
    await db.prepare("PRAGMA foreign_keys = off").run();
    return db.prepare("PRAGMA foreign_keys").first("foreign_keys");
  }, 1],
  ["PRAGMA table_info", async (db) => {
    const { results } = await db.prepare("PRAGMA table_info(users)").all();
    return results.map((column) => column["name"]);
  }, ["id", "email", "name"]],
  [
    "PRAGMA main.index_list",
    async (db) => (await db.prepare("PRAGMA main.index_list(users)").all()).results.length,
    1,
  ],
  ["a word that begins like a refused one", all('SELECT 1 AS "BEGIN"'), [{ BEGIN: 1 }]],

  [
    "limit: columns",
    all(`SELECT ${repeat("1", 101)}`),
    failed("D1_ERROR: too many columns in result set: SQLITE_ERROR"),
  ],
  [
    "limit: compound SELECT",
    all(repeat("SELECT 1", 6, " UNION ALL ")),
    failed("D1_ERROR: too many terms in compound SELECT: SQLITE_ERROR"),
  ],
  [
    "limit: depth of an expression",
    all(`SELECT ${repeat("1", 102, "+")}`),
    failed("D1_ERROR: Expression tree is too large (maximum depth 100): SQLITE_ERROR"),
  ],
  [
    "limit: pattern",
    all(`SELECT 'a' LIKE '${repeat("x", 51, "")}'`),
    failed("D1_ERROR: LIKE or GLOB pattern too complex: SQLITE_ERROR"),
  ],
  [
    "limit: statement",
    all(`SELECT '${repeat("x", 100_001, "")}'`),
    failed("D1_ERROR: statement too long: SQLITE_TOOBIG"),
  ],
  [
    "limit: value",
    typed(repeat("x", 2_300_000, "")),
    failed("D1_ERROR: string or blob too big: SQLITE_TOOBIG"),
  ],

  ...([
    [ADA, [1, 1, true]],
    ["INSERT INTO users (email) VALUES ('a'), ('b')", [2, 2, true]],
    ["UPDATE users SET name = 'x'", [0, null, false]],
    ["SELECT 1", [0, null, false]],
    ["CREATE TABLE other (a)", [0, null, true]],
    [`${ADA}; INSERT INTO users (email) VALUES ('b')`, [2, 2, true]],
  ] as [string, unknown][]).map(([sql, expected]): Case => [`meta of ${sql}`, async (db) => {
    const { meta } = await db.prepare(sql).run();
    // Before the first insertion the platform's number is that of a table of its own.
    return [meta.changes, meta.changes > 0 ? meta.last_row_id : null, meta.changed_db];
  }, expected]),
  ["meta has its numbers", async (db) => {
    const { meta } = await db.prepare("SELECT 1").all();
    const numbers = [meta.duration, meta.size_after, meta.rows_read, meta.rows_written];
    return [...numbers.map((value) => typeof value), typeof meta.served_by, meta.size_after > 0];
  }, ["number", "number", "number", "number", "string", true]],

  ["a session prepares and batches", async (db) => {
    const session = db.withSession("first-primary");
    const before = session.getBookmark();
    const results = await session.batch([session.prepare("SELECT 1 AS a")]);
    return [before, results[0]?.results, await session.prepare("SELECT 2 AS b").first("b")];
  }, [null, [{ a: 1 }], 2]],
];

async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    assert.ok(error instanceof Error);
    const clean = (text: string) => text.replace(/ at offset \d+/, "");
    const cause = error.cause instanceof Error ? error.cause.message : error.cause;
    return { error: clean(error.message), cause: clean(String(cause)) };
  }
}

Deno.test("createD1Database() answers every conformance case", async (t) => {
  const image = createDatabaseImage([{ name: "0001_schema", sql: SCHEMA.join(";\n") }]);
  for (const [name, work, expected] of CASES) {
    await t.step(name, async () => {
      const sqlite = image.open();
      try {
        assert.deepEqual(await outcome(() => work(createD1Database(sqlite))), expected);
      } finally {
        sqlite.close();
      }
    });
  }
});

Deno.test({
  name: "D1 in workerd answers every conformance case",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const names = CASES.map((_, index) => `DB${index}`);
    const miniflare = new Miniflare({
      modules: true,
      script: "export default { fetch: () => new Response() }",
      compatibilityDate: "2026-08-01",
      compatibilityFlags: ["nodejs_compat"],
      d1Databases: names,
    });
    try {
      for (const [index, [name, work, expected]] of CASES.entries()) {
        await t.step(name, async () => {
          const db = await miniflare.getD1Database(`DB${index}`) as unknown as D1Database;
          await db.exec(SCHEMA.join("\n"));
          assert.deepEqual(await outcome(() => work(db)), expected);
        });
      }
    } finally {
      await miniflare.dispose();
    }
  },
});
