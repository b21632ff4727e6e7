import assert from "node:assert/strict";
import { onlyReads } from "./sql_executor.ts";

// Tracks: OP-09
Deno.test("onlyReads() knows statements that may be run twice", () => {
  for (
    const sql of [
      "SELECT users.id, passwords.hash FROM users JOIN passwords ON user_id = id WHERE email = ?1",
      "  select count(*), max(created_at) FROM orders WHERE id IN (?1, ?2) AND NOT (a OR b)",
      "SELECT coalesce(name, 'nextval(x) INTO y') FROM users WHERE EXISTS (SELECT 1 FROM t)",
      'SELECT lower("email") FROM users ORDER BY name LIMIT 5;',
    ]
  ) {
    assert.equal(onlyReads(sql), true, sql);
  }
});

// Tracks: OP-09
Deno.test("onlyReads() says no to whatever writes, locks, or may do so unseen", () => {
  for (
    const sql of [
      "INSERT INTO t SELECT 1",
      "UPDATE t SET a = 1 RETURNING a",
      "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone",
      "SELECT nextval('numbers')",
      "SELECT charge(?1)",
      'SELECT "charge" (?1)',
      "SELECT public.charge (?1)",
      "SELECT * INTO copy FROM t",
      "SELECT * FROM t FOR UPDATE",
      "SELECT * FROM t FOR NO KEY UPDATE",
      "SELECT 1; DELETE FROM t",
      "PRAGMA user_version = 2",
      "EXPLAIN ANALYZE DELETE FROM t",
      "",
    ]
  ) {
    assert.equal(onlyReads(sql), false, sql);
  }
});
