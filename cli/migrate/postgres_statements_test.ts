import assert from "node:assert/strict";
import { checkedPostgres, splitPostgres } from "./postgres_statements.ts";

Deno.test("splitPostgres() splits at semicolons and tells line and keyword", () => {
  const sql =
    "-- first;\n\ncreate table a (x text);\n\n/* b; /* nested; */ ; */ INSERT\ninto a values (';') ; ;\n;select 1";
  assert.deepEqual(splitPostgres(sql), [
    { text: "create table a (x text);", line: 3, keyword: "CREATE" },
    { text: "INSERT\ninto a values (';') ;", line: 5, keyword: "INSERT" },
    { text: "select 1", line: 7, keyword: "SELECT" },
  ]);
  assert.deepEqual(splitPostgres(" \r\n-- x;\n/* ; */;;"), []);
});

Deno.test.each([
  ["SELECT 'a;b', 'it''s;', 'back\\';"],
  ["SELECT E'it\\'s; here', e'\\\\';"],
  ['SELECT ";" FROM "a;""b";'],
  ["SELECT $$ ; ' $x$ $$, $x$ ; $$ $x$, $1;"],
  ["SELECT 1 -- ; not here\n, 2;"],
  ["SELECT 1 /* ; ' /* \" */ ; */ , 2;"],
  ["CREATE RULE r AS ON INSERT TO a DO ALSO (INSERT INTO b VALUES (1); DELETE FROM c);"],
  ["CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END;"],
  ["CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN RETURN NEW; END; $body$;"],
  ["DO $$ BEGIN PERFORM 1; END $$;"],
  ["SELECT '--', '/*';"],
])("splitPostgres(%o) finds one statement", (sql) => {
  assert.deepEqual(splitPostgres(sql).map(({ text }) => text), [sql]);
  assert.equal(checkedPostgres({ name: "0001_a.sql", sql }).length, 1);
});

Deno.test.each([
  "BEGIN",
  "commit",
  "END",
  "ROLLBACK TO a",
  "SAVEPOINT a",
  "RELEASE a",
  "START TRANSACTION",
  "ABORT",
  "PREPARE TRANSACTION 'a'",
])("a migration cannot end its transaction with %s", (statement) => {
  assert.throws(
    () => checkedPostgres({ name: "0001_a.sql", sql: `SELECT 1;\n/* x */ ${statement};` }),
    { message: /^0001_a\.sql:2: .* is not allowed in a migration/ },
  );
});

Deno.test.each([
  "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; END;",
  "create temp trigger t AFTER UPDATE ON a BEGIN SELECT 1; END;",
  "PRAGMA foreign_keys = ON;",
])("checkedPostgres() says that %o is written for SQLite", (statement) => {
  assert.throws(() => checkedPostgres({ name: "0001_a.sql", sql: `SELECT 1;\n${statement}` }), {
    message:
      "0001_a.sql:2: the file is written for SQLite, and the project's database is PostgreSQL.",
    hint: "Write the file in the SQL of PostgreSQL.",
  });
});

Deno.test("checkedPostgres() takes triggers that call a function", () => {
  const sql = "CREATE TRIGGER t AFTER INSERT ON a FOR EACH ROW\nEXECUTE FUNCTION f();\n" +
    "CREATE CONSTRAINT TRIGGER u AFTER INSERT ON a FOR EACH ROW EXECUTE PROCEDURE f();";
  assert.equal(checkedPostgres({ name: "0001_a.sql", sql }).length, 2);
});
