import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nestPackages } from "./npm_nested.ts";
import { listFiles } from "./workspace.ts";

/** Writes a project with what is installed in it, and a package beside it. */
async function project(files: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), "npm-nested-"));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
  return {
    root,
    folder: join(root, "package"),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

const outer = JSON.stringify({
  version: "1.2.3",
  dependencies: { inner: "^2.0.0", far: "^3.1.0" },
});
const inner = JSON.stringify({ version: "2.0.1" });
const INSTALLED = {
  "node_modules/outer/package.json": outer,
  "node_modules/outer/dist/index.js": "export {};",
  "node_modules/outer/dist/index.d.ts": "export {};",
  "node_modules/outer/dist/index.js.map": "{}",
  "node_modules/outer/README.md": "# Outer",
  "node_modules/outer/LICENSE": "MIT",
  // Below the one that needs it: not for the root.
  "node_modules/outer/node_modules/inner/package.json": inner,
  "node_modules/outer/node_modules/inner/LICENSE.md": "MIT",
};

Deno.test("nestPackages() copies code, types, manifest and license, and says what the packages need", async () => {
  const { "node_modules/outer/node_modules/inner/package.json": _, ...flat } = INSTALLED;
  await using made = await project({
    ...flat,
    "node_modules/inner/package.json": inner,
    "node_modules/inner/LICENSE.md": "MIT",
  });
  const { names, dependencies } = await nestPackages(made.folder, ["outer", "inner"], made.root);
  assert.deepEqual(names, ["outer", "inner"]);
  assert.deepEqual(dependencies, { far: "^3.1.0", outer: "1.2.3", inner: "2.0.1" });
  const files = await listFiles(join(made.folder, "node_modules"));
  assert.deepEqual(files, [
    "inner/LICENSE.md",
    "inner/package.json",
    "outer/LICENSE",
    "outer/dist/index.d.ts",
    "outer/dist/index.js",
    "outer/package.json",
  ]);
});

Deno.test("nestPackages() finds a package where another one has it, and copies nobody's node_modules", async () => {
  await using made = await project(INSTALLED);
  const { dependencies } = await nestPackages(made.folder, ["outer", "inner"], made.root);
  assert.equal(dependencies["inner"], "2.0.1");
  const files = await listFiles(join(made.folder, "node_modules"));
  assert.ok(files.includes("inner/package.json"));
  assert.deepEqual(files.filter((file) => file.includes("node_modules")), []);
});

Deno.test("nestPackages() refuses what is not installed, has no license, or runs when it is installed", async () => {
  await using made = await project({
    "node_modules/bare/package.json": inner,
    "node_modules/busy/package.json": JSON.stringify({
      version: "1.0.0",
      scripts: { postinstall: "node run.js" },
    }),
    "node_modules/busy/LICENSE": "MIT",
  });
  const nest = (name: string) => nestPackages(made.folder, [name], made.root);
  await assert.rejects(nest("absent"), /absent is not installed/);
  await assert.rejects(nest("bare"), /bare has no license/);
  await assert.rejects(nest("busy"), /busy has a script "postinstall"/);
});
