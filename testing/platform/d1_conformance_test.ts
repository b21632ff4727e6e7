// One list of cases, run against the double and against the platform's own D1 in workerd, so that
// the two cannot drift apart.
import assert from "node:assert/strict";
import { createD1Database } from "./d1.ts";
import { CASES, outcome, SCHEMA } from "./fixtures/d1_cases.ts";
import { answerInWorkerd } from "./fixtures/in_workerd.ts";
import { createDatabaseImage } from "./sqlite.ts";

Deno.test("createD1Database() answers every conformance case", async (t) => {
  const image = createDatabaseImage([{ name: "0001_schema", sql: SCHEMA.join(";\n") }]);
  for (const [name, work, expected] of CASES) {
    await t.step(name, async () => {
      const sqlite = image.open();
      try {
        assert.deepEqual(await outcome(() => work(createD1Database(sqlite))), expected);
      } finally {
        sqlite.close();
      }
    });
  }
});

Deno.test({
  name: "D1 in workerd answers every conformance case",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    await answerInWorkerd(t, {
      file: "d1_cases.ts",
      cases: { CASES },
      workerd: (d1Databases) => ({ d1Databases }),
    });
  },
});
