// The generated types after somebody has deleted them: each command that needs them writes them anew, `framework dev` in
// dev_versions_test.ts.
import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { framework } from "../support/command_line.ts";
import { runFramework } from "./framework.ts";
import { createPackedApp } from "./packed_app.ts";

Deno.test("types, build, typecheck and test each write the types that are missing", {
  sanitizeOps: false,
  sanitizeResources: false,
}, async (t) => {
  // The checkers read the declarations alone.
  await using app = await createPackedApp({
    "deno.json": JSON.stringify({ nodeModulesDir: "manual" }),
    "app/page.tsx": "export default () => null;\n",
    "app/t/[tenant]/page.tsx": "export default () => null;\n",
    // JavaScript: what Deno makes of types is the checker's matter.
    "app/page_test.js": 'Deno.test("one", () => {});\n',
    "migrations/0001_notes.sql":
      "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL);\n",
  });
  const { root } = app;
  const folder = join(root, ".framework/types");
  const read = (): Promise<string[]> =>
    Promise.all(
      ["index.d.ts", "app.ts", "assets.d.ts"].map((name) => readFile(join(folder, name), "utf8")),
    );
  const { code, stderr } = await framework(root, "types");
  assert.deepEqual([code, stderr], [0, "✓ Types are up to date (4 files written)\n"]);
  const expected = await read();
  assert.match(expected[1]!, /notes: \{[^]*"\/t\/\[tenant\]": typeof import/);
  const again = await framework(root, "types");
  assert.equal(again.stderr, "✓ Types are up to date (0 files written)\n");

  for (const command of ["build", "typecheck", "test"]) {
    await t.step(command, async () => {
      await rm(folder, { recursive: true });
      const { code, stdout, stderr } = await (command === "test" ? runFramework : framework)(
        root,
        command,
      );
      assert.equal(code, 0, stdout + stderr);
      assert.deepEqual(await read(), expected);
    });
  }
});
