import assert from "node:assert/strict";
import {
  findUnusedModules,
  judgeCosts,
  listEntries,
  measureImport,
  readImportBudgets,
} from "./import_costs.ts";

for (const [name, budget] of Object.entries(await readImportBudgets())) {
  Deno.test({
    name: `the ${name} keeps its budget`,
    // The bundler's own process ends a moment later.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const costs = await measureImport(budget.imports);
      assert.deepEqual(judgeCosts(budget, costs, ["modules", "bytes"]), []);
    },
  });
}

/**
 * Entries that stand beside the main one alone, which loads what they do not use: the presets, whose sign-ins have their
 * endpoints there, frameworks and the document, which are given what `createAuth()` makes, and spans around it.
 */
const BESIDE_MAIN = [
  "auth/providers.ts",
  "auth/openapi.ts",
  "auth/tracing.ts",
  "auth/next.ts",
  "auth/sveltekit.ts",
  "auth/astro.ts",
  "auth/react_router.ts",
  "auth/nuxt.ts",
];

for (const entry of (await listEntries()).filter((entry) => !BESIDE_MAIN.includes(entry))) {
  Deno.test({
    name: `${entry} loads no module that its exports do not use`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => assert.deepEqual(await findUnusedModules(entry), []),
  });
}

Deno.test({
  name: "measureImport() counts what is loaded, and not what is loaded later",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "framework-imports-" });
    try {
      await Deno.writeTextFile(`${folder}/entry.ts`, 'import { a } from "./a.ts"; export { a };');
      await Deno.writeTextFile(
        `${folder}/a.ts`,
        "export const a = 1; export const unused = 22222;",
      );
      const before = await measureImport(`${folder}/entry.ts`);
      assert.equal(before.modules, 2);
      await Deno.writeTextFile(
        `${folder}/later.ts`,
        "export const later = 'later, and at length';",
      );
      await Deno.writeTextFile(
        `${folder}/entry.ts`,
        'import { a } from "./a.ts"; export { a }; export const load = () => import("./later.ts");',
      );
      const after = await measureImport(`${folder}/entry.ts`);
      assert.equal(after.modules, 2);
      await Deno.writeTextFile(
        `${folder}/entry.ts`,
        'import { a } from "./a.ts"; export { a }; export * from "./later.ts";',
      );
      assert.equal((await measureImport(`${folder}/entry.ts`)).modules, 3);
      assert.ok((await measureImport(`${folder}/entry.ts`)).bytes > before.bytes);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("judgeCosts() names what is above its budget", () => {
  const budget = { modules: 10, bytes: 100 };
  assert.deepEqual(judgeCosts(budget, { modules: 11, bytes: 100 }, ["modules", "bytes"]), [
    "11 modules, at most 10 are allowed",
  ]);
  assert.deepEqual(judgeCosts(budget, { modules: 10, bytes: 1 }, ["modules", "bytes"]), []);
});
