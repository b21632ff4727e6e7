import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { splitStatements } from "./statements.ts";

function texts(sql: string): string[] {
  return splitStatements(sql).map(({ text }) => text);
}

Deno.test("splitStatements() splits at semicolons and tells line and keyword", () => {
  const sql =
    "-- first\n\ncreate table a (x);\n\n /* b */ INSERT\ninto a values (1) ; ;\n;select 1";
  assert.deepEqual(splitStatements(sql), [
    { text: "create table a (x);", line: 3, keyword: "CREATE" },
    { text: "INSERT\ninto a values (1) ;", line: 5, keyword: "INSERT" },
    { text: "select 1", line: 7, keyword: "SELECT" },
  ]);
});

Deno.test("splitStatements() of nothing but spaces and comments is empty", () => {
  assert.deepEqual(splitStatements(""), []);
  assert.deepEqual(splitStatements(" \r\n-- x;\n/* ; */;;"), []);
});

Deno.test.each([
  ["SELECT 'a;b', 'it''s;';"],
  ['SELECT ";" FROM "a;""b";'],
  ["SELECT `;` FROM `a``;b`;"],
  ["SELECT [;] FROM [a;b];"],
  ["SELECT 1 -- ; not here\n, 2;"],
  ["SELECT 1 /* ; ' \" */ , 2;"],
  ["SELECT '--', '/*';"],
  ["SELECT 1 - -1, 2 / 3;"],
])("splitStatements(%o) finds one statement", (sql) => {
  assert.deepEqual(texts(sql), [sql]);
});

Deno.test("splitStatements() keeps a trigger whole, also with CASE, quotes and comments inside", () => {
  const trigger = `CREATE TEMP /* x */ TRIGGER IF NOT EXISTS t AFTER INSERT ON a
BEGIN
  UPDATE a SET x = CASE WHEN x > 1 THEN 2 ELSE 3 END;
  SELECT '; END;', "END"; -- ; END;
  DELETE FROM a WHERE x = (CASE 1 WHEN 2 THEN 3 END);
END /* done */ ;`;
  assert.deepEqual(texts(`${trigger}\nSELECT 1;`), [trigger, "SELECT 1;"]);
});

Deno.test("splitStatements() does not take other statements for triggers", () => {
  assert.equal(texts("CREATE TABLE trigger_log (x); SELECT 1;").length, 2);
  assert.equal(texts("DROP TRIGGER t; SELECT 1;").length, 2);
  assert.equal(texts("CREATE VIEW trigger AS SELECT 1; SELECT 1;").length, 2);
});

Deno.test("splitStatements() takes a missing end of string or comment as the end of the file", () => {
  assert.deepEqual(texts("SELECT 1; SELECT 'a; SELECT 2;"), ["SELECT 1;", "SELECT 'a; SELECT 2;"]);
  assert.deepEqual(texts("SELECT 1; /* SELECT 2;"), ["SELECT 1;"]);
});

Deno.test("splitStatements() runs the same as the whole file", () => {
  const sql = `CREATE TABLE a (x TEXT);
CREATE TRIGGER t AFTER INSERT ON a WHEN new.x <> 'log' BEGIN
  INSERT INTO a VALUES ('log');
END;
INSERT INTO a VALUES ('x;y');INSERT INTO a VALUES ('z')`;
  const whole = new DatabaseSync(":memory:");
  const parts = new DatabaseSync(":memory:");
  whole.exec(sql);
  for (const text of texts(sql)) parts.exec(text);
  const rows = "SELECT x FROM a ORDER BY rowid";
  assert.deepEqual(parts.prepare(rows).all(), whole.prepare(rows).all());
  assert.equal(parts.prepare(rows).all().length, 4);
  whole.close();
  parts.close();
});

// Tracks: F45
Deno.test("splitStatements() reads a large hostile file in one pass", () => {
  assert.equal(splitStatements("SELECT 1;\n".repeat(50_000)).at(-1)?.line, 50_000);
  assert.deepEqual(splitStatements("/* ".repeat(200_000)), []);
  assert.equal(splitStatements("CREATE TRIGGER ;".repeat(50_000)).length, 1);
  assert.equal(splitStatements("'".repeat(200_001)).length, 1);
});
