import assert from "node:assert/strict";
import { createDatabaseImage } from "./sqlite.ts";

const migrations = [
  { name: "0001_a.sql", sql: "CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1)" },
  { name: "0002_b.sql", sql: "ALTER TABLE a ADD COLUMN name TEXT; -- a comment at the end" },
];

Deno.test("createDatabaseImage() gives copies that do not see one another", () => {
  const image = createDatabaseImage(migrations);
  const [first, second] = [image.open(), image.open()];
  try {
    first.exec("INSERT INTO a VALUES (2, 'x')");
    assert.equal(first.prepare("SELECT count(*) AS n FROM a").get()?.["n"], 2);
    assert.equal(second.prepare("SELECT count(*) AS n FROM a").get()?.["n"], 1);
  } finally {
    first.close();
    second.close();
  }
});

Deno.test("createDatabaseImage() names the migration that fails", () => {
  const broken = [...migrations, { name: "0003_c.sql", sql: "CREATE TABEL c (id)" }];
  assert.throws(() => createDatabaseImage(broken), /^Error: Migration 0003_c\.sql failed .*TABEL/);
});

Deno.test("createDatabaseImage() keeps foreign keys on", () => {
  const database = createDatabaseImage([]).open();
  try {
    assert.equal(database.prepare("PRAGMA foreign_keys").get()?.["foreign_keys"], 1);
  } finally {
    database.close();
  }
});
