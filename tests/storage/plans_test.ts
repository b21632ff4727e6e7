import assert from "node:assert/strict";
import { explainOnSqlite, starterStatements } from "../../scripts/plans.ts";

// `scripts/plans.ts` does it with a million users, and postgres_test.ts with what it sends anyway.
const SIZE = { users: 8000, sessions: 16_000 };

// Tracks: F21, OP-05, OP-11
Deno.test("no statement of the library or the starter reads a whole table of SQLite", async () => {
  const { count, scans } = await explainOnSqlite(SIZE);
  assert.deepEqual(scans, []);
  assert.ok(count > 70, String(count));
});

Deno.test("the starter's statements are found in its files", async () => {
  const statements = (await starterStatements()).map(({ sql }) => sql);
  assert.ok(statements.length >= 3, statements.join("\n"));
  assert.ok(
    statements.some((sql) => /from "account_activity".*order by "activity"."at" desc/.test(sql)),
  );
});
