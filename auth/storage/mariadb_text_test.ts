import assert from "node:assert/strict";
import { compileMariadb, limitedText, type MariadbAnswer } from "./mariadb_text.ts";
import type { SqlValue } from "./sql_database.ts";

const MODE = "SET STATEMENT sql_mode = CONCAT(@@sql_mode, ',STRICT_TRANS_TABLES') FOR ";

/** What a statement sends when each of its parts has the next one of these answers. */
async function sent(
  sql: string,
  values: SqlValue[] = [],
  answers: (Partial<MariadbAnswer> | Error)[] = [],
) {
  const parts: [text: string, values: unknown[]][] = [];
  const compiled = compileMariadb<Partial<MariadbAnswer>>(sql, (answer) => ({
    rows: [],
    changes: 0,
    insertId: 0,
    ...answer,
  }));
  const result = await compiled.execute((text, given = []) => {
    parts.push([text.replace(MODE, "").replaceAll(/\s+/g, " "), given]);
    const answer = answers[parts.length - 1] ?? {};
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }, values);
  return { parts, result, isSeveral: compiled.isSeveral ?? false };
}

/** The one part that a statement is. */
async function textOf(sql: string): Promise<string> {
  const { parts, isSeveral } = await sent(sql);
  assert.deepEqual([parts.length, isSeveral], [1, false]);
  return parts[0]![0];
}

Deno.test("compileMariadb() writes places, names and words as MariaDB has them", async () => {
  const texts: [string, string][] = [
    ["SELECT * FROM t WHERE a = ?2 AND b = ?1", "SELECT * FROM t WHERE a = ? AND b = ?"],
    [
      `SELECT users."plan" FROM "tenants" JOIN "t" ON 1 = 1`,
      "SELECT users.`plan` FROM `tenants` JOIN `t` ON 1 = 1",
    ],
    ["SELECT 1 WHERE CAST(?1 AS TEXT) IS NULL", "SELECT 1 WHERE ? IS NULL"],
    ["SELECT 1 WHERE a IS DISTINCT FROM ?1", "SELECT 1 WHERE NOT (a <=> ?)"],
    ["SELECT 1 WHERE t.a IS NOT DISTINCT FROM CAST(?1 AS TEXT)", "SELECT 1 WHERE t.a <=> ?"],
    ["SELECT 1 WHERE (a, b) < (?1, ?2)", "SELECT 1 WHERE a <= ? AND (a < ? OR b < ?)"],
    [
      "SELECT 1 WHERE (a, id) >= (?4, ?1) AND (a, id) < (?4, ?2)",
      "SELECT 1 WHERE a = ? AND id >= ? AND id < ?",
    ],
    ["SELECT hits FROM rate_limits WHERE key = ?1", "SELECT hits FROM rate_limits WHERE `key` = ?"],
    ["SELECT hour, count FROM audit_seals", "SELECT hour, `count` FROM audit_seals"],
  ];
  for (const [standard, own] of texts) assert.equal(await textOf(standard), own);
});

Deno.test("compileMariadb() leaves what an application wrote for MariaDB as it is", async () => {
  const texts = [
    `SELECT "a IS DISTINCT FROM ?1", 'it''s \\' CAST(?1 AS TEXT)', \`key\` FROM t -- ?1 RETURNING id`,
    "SELECT * FROM t WHERE key = ? AND count = ?",
    "INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = VALUES(a) RETURNING a",
    "UPDATE t SET a = b, b = a WHERE id = ?",
    "DELETE FROM t WHERE id IN (SELECT id FROM u) RETURNING id",
    "CALL p(?)",
  ];
  for (const text of texts) {
    const { parts } = await sent(text, [1, 2]);
    assert.deepEqual(parts, [[text.replaceAll(/\s+/g, " "), [1, 2]]]);
  }
});

Deno.test("compileMariadb() gives each place its value, however often and in whatever order it stands", async () => {
  const { parts } = await sent("SELECT ?2, ?1, ?2", ["a", "b"]);
  assert.deepEqual(parts, [["SELECT ?, ?, ?", ["b", "a", "b"]]]);
});

Deno.test("compileMariadb() inserts a row that is not there, and nothing where its key is", async () => {
  const sql =
    "INSERT INTO users (id, email) VALUES (?1, ?2)\nON CONFLICT (id) DO NOTHING RETURNING id";
  const taken = (key: string) =>
    Object.assign(new Error(`Duplicate entry 'ada' for key '${key}'`), { errno: 1062 });
  const made = await sent(sql, ["ada", "a@example.com"], [{ changes: 1 }]);
  assert.deepEqual(made.parts, [[
    "INSERT INTO users (id, email) SELECT ?, ? FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM users WHERE id = ?)",
    ["ada", "a@example.com", "ada"],
  ]]);
  assert.equal(made.result.results.length, 1);
  const known = await sent(sql, ["ada", null], [taken("PRIMARY")]);
  assert.deepEqual([known.result.results, known.result.meta.changes], [[], 0]);
  // Another user's mailbox is none of it.
  await assert.rejects(sent(sql, ["ada", null], [taken("email_identity")]), /email_identity/);
});

Deno.test("compileMariadb() changes the row that is there, under a lock where a condition decides", async () => {
  const plain = await textOf(
    "INSERT INTO t (id, a) SELECT ?1, a FROM t WHERE b = ?2 ON CONFLICT (id) DO UPDATE SET a = excluded.a RETURNING a",
  );
  assert.equal(
    plain,
    "INSERT INTO t (id, a) SELECT ?, a FROM t AS source WHERE b = ? ON DUPLICATE KEY UPDATE a = VALUES(a) RETURNING a",
  );
  const sql = `INSERT INTO t (id, a) VALUES (?1, ?2)
ON CONFLICT (id) DO UPDATE SET a = excluded.a WHERE t.a < excluded.a RETURNING a`;
  const lock = ["SELECT 1 FROM t WHERE id = ? FOR UPDATE", ["x"]];
  const known = await sent(sql, ["x", 5], [{ rows: [{}] }, { changes: 1 }, { rows: [{ a: 5 }] }]);
  assert.equal(known.isSeveral, true);
  assert.deepEqual(known.parts, [
    lock,
    ["UPDATE t SET a = ? WHERE id = ? AND (t.a < ?)", [5, "x", 5]],
    ["SELECT a FROM t WHERE id = ?", ["x"]],
  ]);
  assert.deepEqual(known.result.results, [{ a: 5 }]);
  const refused = await sent(sql, ["x", 5], [{ rows: [{}] }, { changes: 0 }]);
  assert.deepEqual([refused.parts.length, refused.result.results], [2, []]);
  const fresh = await sent(sql, ["x", 5], [{}, { changes: 1 }, { rows: [{ a: 5 }] }]);
  assert.deepEqual(fresh.parts.slice(0, 2), [
    lock,
    ["INSERT INTO t (id, a) VALUES (?, ?)", ["x", 5]],
  ]);
  // Of two at once the second is tried again, by the error that says so.
  const taken = Object.assign(new Error("Duplicate entry 'x' for key 'PRIMARY'"), { errno: 1062 });
  await assert.rejects(sent(sql, ["x", 5], [{}, taken]), { errno: 1213 });
});

Deno.test("compileMariadb() reads the row that an update has changed", async () => {
  const sql = "UPDATE t SET a = a + 1\nWHERE id = ?1 AND a < ?2 RETURNING id, a";
  const update = ["UPDATE t SET a = a + 1 WHERE id = ? AND a < ?", ["x", 3]];
  const done = await sent(sql, ["x", 3], [{ changes: 1 }, { rows: [{ id: "x", a: 1 }] }]);
  assert.deepEqual(done.parts, [update, ["SELECT id, a FROM t WHERE id = ?", ["x"]]]);
  assert.deepEqual(done.result.results, [{ id: "x", a: 1 }]);
  assert.deepEqual((await sent(sql, ["x", 3], [{ changes: 0 }])).parts, [update]);
  const own = await sent("UPDATE t SET a = 1 WHERE id = ?1 RETURNING id", ["x"], [{ changes: 1 }]);
  assert.deepEqual([own.parts.length, own.isSeveral, own.result.results], [1, false, [{
    id: "x",
  }]]);
});

Deno.test("compileMariadb() removes rows by their keys, which it has found without waiting", async () => {
  const sweep = await sent(
    "DELETE FROM verifications WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2",
    [9, 500],
    [{ rows: [["p", 1], ["p", 2], ["q", 3]].map(([purpose, hash]) => ({ purpose, hash })) }],
  );
  assert.deepEqual(sweep.parts, [
    [
      "SELECT purpose, hash FROM verifications WHERE expires_at <= ? ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED",
      [9, 500],
    ],
    [
      `DELETE verifications FROM verifications FORCE INDEX (PRIMARY) WHERE ${
        Array(4).fill("purpose = ? AND hash = ?").join(" OR ")
      }`,
      ["p", 1, "p", 2, "q", 3, "q", 3],
    ],
  ]);
  const keep = await sent(
    `DELETE FROM known_browsers WHERE user_id = ?1 AND id_hash NOT IN
(SELECT id_hash FROM known_browsers WHERE user_id = ?1 ORDER BY created_at DESC LIMIT ?2)`,
    ["ada", 5],
  );
  assert.deepEqual(keep.parts, [[
    "SELECT id_hash FROM known_browsers WHERE user_id = ? ORDER BY created_at DESC LIMIT 500 OFFSET ?",
    ["ada", 5],
  ]]);
});

Deno.test("limitedText() limits what reads and writes rows, and nothing else", () => {
  assert.equal(
    limitedText(`${MODE}SELECT 1`, 4500),
    "SET STATEMENT max_statement_time = 4.5, sql_mode = CONCAT(@@sql_mode, ',STRICT_TRANS_TABLES') FOR SELECT 1",
  );
  assert.equal(limitedText("COMMIT", 4500), "COMMIT");
});
