import assert from "node:assert/strict";
import { judge, measure, readBudgets } from "./budgets.ts";

for (const [name, budget] of Object.entries(await readBudgets())) {
  Deno.test({
    name: `the bundle of the ${name} keeps its budget`,
    // The bundler's own process ends a moment later.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      assert.deepEqual(judge(budget, await measure(budget)), []);
    },
  });
}

Deno.test("judge() names what is too large and what should not be there", () => {
  const budget = { about: "", entry: "x.ts", gzipBytes: 10, without: ["auth/storage/"] };
  const files = [{ path: "auth/storage/rows.ts", bytes: 5 }, { path: "auth/storage.ts", bytes: 1 }];
  assert.deepEqual(judge(budget, { minifiedBytes: 20, gzipBytes: 11, files }), [
    "11 bytes compressed, at most 10 are allowed",
    "auth/storage/rows.ts is in it (5 bytes)",
  ]);
  assert.deepEqual(judge(budget, { minifiedBytes: 20, gzipBytes: 10, files: [] }), []);
});
