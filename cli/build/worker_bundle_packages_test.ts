import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepPackages, readKeptPackages } from "./worker_bundle.ts";

const packages = {
  source: 'export { a } from "a";',
  code: 'export const a = "Grüße\n";',
  map: '{"version":3}',
  inputs: { "node_modules/a/index.js": { imports: [], format: "esm" as const } },
  files: { "/p/node_modules/a/index.js": "1 2" },
};

async function inFolder(test: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "framework-cache-"));
  try {
    await test(join(folder, "cache", "packages"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

Deno.test("readKeptPackages() gives back what keepPackages() kept, with its map or without", () =>
  inFolder(async (file) => {
    for (const map of [packages.map, null]) {
      await keepPackages(file, "key", { ...packages, map });
      assert.deepEqual(await readKeptPackages(file, "key"), { ...packages, map });
    }
    assert.deepEqual(await readdir(join(file, "..")), ["packages"], "nothing is left beside it");
  }));

Deno.test("readKeptPackages() finds nothing that was made otherwise, or that is broken", () =>
  inFolder(async (file) => {
    assert.equal(await readKeptPackages(file, "key"), undefined);
    await keepPackages(file, "key", packages);
    assert.equal(await readKeptPackages(file, "other key"), undefined);
    await writeFile(file, (await readFile(file, "utf8")).slice(0, 20));
    assert.equal(await readKeptPackages(file, "key"), undefined);
  }));

Deno.test("keepPackages() goes on where nothing can be written", () =>
  inFolder(async (file) => {
    await keepPackages(join(file, ".."), "key", packages);
    await keepPackages(file, "key", packages);
    assert.equal(await readKeptPackages(file, "key"), undefined);
  }));
