import assert from "node:assert/strict";
import { CliError } from "../terminal/exit.ts";
import { checkedStatements } from "./statements.ts";

Deno.test.each([
  ["BEGIN"],
  ["begin immediate transaction"],
  ["COMMIT"],
  ["END"],
  ["ROLLBACK"],
  ["SAVEPOINT a"],
  ["RELEASE a"],
  ["ATTACH 'x.db' AS x"],
  ["DETACH x"],
  ["VACUUM INTO 'x.db'"],
])("checkedStatements() refuses %o and names the line", (statement) => {
  const sql = `CREATE TABLE a (x);\n\n-- no\n  /* hidden */ ${statement};\nSELECT 1;`;
  assert.throws(
    () => checkedStatements({ name: "0001_a.sql", sql }),
    (error) =>
      error instanceof CliError && error.exitCode === 1 &&
      error.message.startsWith(`0001_a.sql:4: ${statement.split(" ")[0]?.toUpperCase()} `),
  );
});

Deno.test("checkedStatements() accepts the words inside of triggers, strings and names", () => {
  const sql = `CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;
    INSERT INTO a VALUES ('; COMMIT;'); -- ; ROLLBACK;`;
  assert.equal(checkedStatements({ name: "x", sql }).length, 2);
});

Deno.test("checkedStatements() refuses a NUL, after which SQLite would read nothing", () => {
  assert.throws(() => checkedStatements({ name: "a.sql", sql: "SELECT 1;\n\0DROP TABLE x;" }), {
    message: "a.sql:2: the file holds a NUL character.",
  });
});

Deno.test("checkedStatements() says that a function is written for PostgreSQL", () => {
  const sql = "CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " +
    "DELETE FROM a; RETURN NULL; END $$;";
  assert.throws(() => checkedStatements({ name: "0001_a.sql", sql }), {
    message:
      "0001_a.sql:1: the file is written for PostgreSQL, and the project's database is SQLite.",
  });
});
