// The workers of the examples that the platform documents for its plugin of vitest, as they are. They are in no package:
// PLUGIN_EXAMPLES names the folder of a checkout in which what they import is installed.
import { createTestContext } from "@framework/testing";
import assert from "node:assert/strict";
import { join } from "node:path";
import { readDocument } from "../docs/markdown.ts";
import { holdColumn, readTable } from "../docs/tables.ts";
import { BESIDE, type Engine, LEFT_OUT, NAMED, SPECS, WALKS } from "./plugin_examples.ts";

const folder = Deno.env.get("PLUGIN_EXAMPLES");
const isRun = (name: string, engine: Engine) => name in WALKS && LEFT_OUT[name] !== engine;
const of = (count: number) => `${count} of ${count}`;

function column(names: readonly string[], cell: (name: string) => string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, cell(name)]));
}

Deno.test("the table of the plugin's examples says what was run, and names the others", async () => {
  const table = await readTable("docs/testing.md", "spec files alone");
  holdColumn(table, "spec files alone", column(Object.keys(SPECS), (name) => of(SPECS[name]!)));
  holdColumn(table, "beside ours", column(BESIDE, (name) => of(SPECS[name]!)));
  for (const engine of ["process", "workerd"] as const) {
    const names = Object.keys(WALKS).filter((name) => isRun(name, engine));
    holdColumn(table, engine, column(names, () => "passes"));
  }
  const document = await readDocument("docs/testing.md");
  for (const name of NAMED) assert.ok(document.includes(`\`${name}\``), name);
});

for (const engine of folder === undefined ? [] : ["process", "workerd"] as const) {
  for (const [name, walk] of Object.entries(WALKS)) {
    if (!isRun(name, engine)) continue;
    Deno.test({
      name: `${engine}: ${name}`,
      ...(engine === "workerd" && { sanitizeOps: false, sanitizeResources: false }),
      fn: async () => {
        const cwd = join(folder!, name, walk.folder ?? "");
        const options = await walk.options?.(engine);
        await using ctx = await createTestContext({ cwd, runtime: engine, ...options });
        await walk.run(ctx, engine);
      },
    });
  }
}
