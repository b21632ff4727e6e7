import assert from "node:assert/strict";
import { scanSql } from "./d1_sql.ts";

Deno.test("scanSql() finds the first words, behind comments and semicolons", () => {
  assert.deepEqual(scanSql("/* a */ -- b\n ; create temp table x (a)").keywords, [
    "CREATE",
    "TEMP",
    "TABLE",
    "X",
  ]);
  assert.deepEqual(scanSql("SELECT 1; DROP TABLE x").keywords, ["SELECT"]);
  assert.deepEqual(scanSql("-- only\n/* a comment").keywords, []);
});

Deno.test("scanSql() counts parameters, and none in strings, names and comments", () => {
  assert.equal(scanSql("SELECT ?, ?5, ?").parameters, 6);
  assert.equal(scanSql("SELECT :a, @b, :a").parameters, 2);
  assert.equal(scanSql(`SELECT '?''?', "?", [?], \`?\` -- ?\n/* ? */`).parameters, 0);
});

Deno.test("scanSql() writes every parameter as a question mark and keeps the order", () => {
  const { text, order } = scanSql("SELECT ?2, :name, ?1, :name WHERE a = 'x:y'");
  assert.equal(text, "SELECT ?, ?, ?, ? WHERE a = 'x:y'");
  assert.deepEqual(order, [1, 2, 0, 2]);
});

Deno.test("scanSql() returns plain SQL unchanged", () => {
  const sql = "INSERT INTO t (a, \"b c\") VALUES (?, json_extract('{}', '$.a')) -- end";
  assert.equal(scanSql(sql).text, sql);
});
