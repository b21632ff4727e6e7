import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { readJson, readWorkspace, repositoryRoot } from "./workspace.ts";

const read = (file: string) => readJson(join(repositoryRoot, file));

Deno.test("the demo runs on the versions and the compiler options of the workspace", async () => {
  const workspace = await readWorkspace();
  const { compilerOptions } = await read("deno.json");
  const demo = await read("scripts/demo.json");
  const entries = Object.fromEntries(
    workspace.members.flatMap(({ name, path, exports }) =>
      Object.entries(exports).map(([entry, file]) => [
        name + entry.slice(1),
        relative(join(repositoryRoot, "scripts"), join(path, file)),
      ])
    ),
  );
  for (const [name, target] of Object.entries(demo.imports as Record<string, string>)) {
    assert.equal(target, entries[name] ?? workspace.imports[name], name);
  }
  assert.deepEqual(demo.compilerOptions, compilerOptions);
});

Deno.test("the demo's lock has the packages of the workspace's, and no others", async () => {
  const [all, demo] = await Promise.all([read("deno.lock"), read("scripts/demo.lock")]);
  const packages = all.npm as Record<string, { integrity: string }>;
  for (const [name, { integrity }] of Object.entries(demo.npm as typeof packages)) {
    assert.equal(integrity, packages[name]?.integrity, name);
  }
});
