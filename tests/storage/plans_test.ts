import assert from "node:assert/strict";
import { explainOnPostgres, explainOnSqlite, starterStatements } from "../../scripts/plans.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";

const bin = await findPostgres();

// As large as it takes for PostgreSQL to prefer an index; `scripts/plans.ts` does it with a million users.
const SIZE = { users: 30_000, sessions: 60_000 };

// Tracks: F21, OP-05, OP-11
Deno.test("no statement of the library or the starter reads a whole table of SQLite", async () => {
  const { count, scans } = await explainOnSqlite(SIZE);
  assert.deepEqual(scans, []);
  assert.ok(count > 70, String(count));
});

// Tracks: F21, OP-05
Deno.test({
  name: "no statement of the library reads a whole table of PostgreSQL" +
    (bin === null ? ` [unavoidable: ${postgresHint}]` : ""),
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { count, scans } = await explainOnPostgres(SIZE, bin!);
    assert.deepEqual(scans, []);
    assert.ok(count > 60, String(count));
  },
});

Deno.test("the starter's statements are found in its files", async () => {
  const statements = (await starterStatements()).map(({ sql }) => sql);
  assert.ok(statements.length >= 3, statements.join("\n"));
  assert.ok(
    statements.some((sql) => /from "account_activity".*order by "activity"."at" desc/.test(sql)),
  );
});
