import assert from "node:assert/strict";
import { join } from "node:path";
import { judge, measure, namesIn, readBudgets } from "./budgets.ts";
import { exists, repositoryRoot } from "./workspace.ts";

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
  const without = ["auth/storage/", "auth/lib/keys.ts#seal"];
  const budget = { about: "", entry: "x.ts", gzipBytes: 10, without };
  const files = [{ path: "auth/storage/rows.ts", bytes: 5 }, { path: "auth/storage.ts", bytes: 1 }];
  const names = new Set(["auth/lib/keys.ts#seal"]);
  assert.deepEqual(judge(budget, { minifiedBytes: 20, gzipBytes: 11, files, names }), [
    "11 bytes compressed, at most 10 are allowed",
    "auth/storage/rows.ts is in it (5 bytes)",
    "auth/lib/keys.ts#seal is in it",
  ]);
  const others = new Set(["auth/lib/keys.ts#sealed"]);
  const kept = { minifiedBytes: 20, gzipBytes: 10, files: [], names: others };
  assert.deepEqual(judge(budget, kept), []);
});

Deno.test("namesIn() finds what a bundle has of each file, whatever the bundler calls it", () => {
  const bundle = `// auth/lib/keys.ts
var KEYS = "k";
async function seal(text) {
  const inner = text;
}
// auth/http.ts
var text2 = /* @__PURE__ */ make();
var Signer = class {
};
`;
  assert.deepEqual([...namesIn(bundle)], [
    "auth/lib/keys.ts#KEYS",
    "auth/lib/keys.ts#seal",
    "auth/http.ts#text2",
    "auth/http.ts#text",
    "auth/http.ts#Signer",
  ]);
});

Deno.test({
  name:
    "what a budget excludes by path or name is there to be excluded, and found in a bundle that has it",
  // The bundler's own process ends a moment later.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const excluded = Object.values(await readBudgets()).flatMap(({ without }) => without);
    for (const [path, name] of excluded.map((entry) => entry.split("#") as [string, string?])) {
      if (path.startsWith("node_modules/")) continue;
      const file = join(repositoryRoot, path);
      assert.ok(await exists(file), path);
      if (name === undefined) continue;
      const declared = new RegExp(
        `^(?:export )?(?:async )?(?:function|class|const) ${name}\\b`,
        "m",
      );
      assert.match(await Deno.readTextFile(file), declared, `${path}#${name}`);
    }
    const { names, files } = await measure({ entry: "auth/mod.ts" });
    const budget = { about: "", entry: "auth/mod.ts", gzipBytes: 10 ** 6 };
    const without = ["auth/app/create_auth.ts#createAuth", "auth/lib/keys.ts#seal"];
    const faults = judge({ ...budget, without }, { minifiedBytes: 0, gzipBytes: 0, files, names });
    assert.deepEqual(faults, without.map((name) => `${name} is in it`));
  },
});
