import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { CliError } from "../terminal/exit.ts";
import { MEND, runStatements } from "./transaction.ts";

/** The advice for a statement that a database refuses with a message. */
function hintFor(message: string): string | undefined {
  const database = {
    exec() {
      throw new Error(message);
    },
  } as unknown as DatabaseSync;
  try {
    runStatements(database, "0001_search.sql", [{ text: "CREATE …", line: 1, keyword: "CREATE" }]);
  } catch (error) {
    assert.ok(error instanceof CliError);
    return error.hint;
  }
  assert.fail("nothing was thrown");
}

Deno.test("runStatements() tells who has an older Node that its SQLite has no full-text search", () => {
  assert.match(hintFor("no such module: fts5")!, /Node 22\.16 or newer/);
  assert.equal(hintFor("no such module: rtree2"), MEND);
  assert.equal(hintFor('near "CREAT": syntax error'), MEND);
});
