// The worker of docs/testing.md with its tests, as they stand there: under deno test, and under vitest as npm installs it.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildPackages } from "../../scripts/npm.ts";
import { capture } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { codeBlocks, readDocument } from "../docs/markdown.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { installWithNpm } from "../support/npm_project.ts";

const FOLDER = fileURLToPath(new URL("./documented/", import.meta.url));
const TEST = "tests/notes.test.ts";
const FILES = [
  "wrangler.jsonc",
  "migrations/0001_notes.sql",
  "src/index.ts",
  "vitest.config.ts",
  TEST,
];

Deno.test("the files of the worker in docs/testing.md are those that are run", async () => {
  const blocks = codeBlocks("docs/testing.md", await readDocument("docs/testing.md"))
    .map(({ text }) => text);
  for (const file of FILES) {
    assert.ok(blocks.includes(await readFile(join(FOLDER, file), "utf8")), file);
  }
});

Deno.test("its tests pass under deno test", async () => {
  // Within the repository, whose packages are the project's, and where tests are found.
  const cwd = await mkdtemp(fileURLToPath(new URL("./.documented-", import.meta.url)));
  try {
    await cp(FOLDER, cwd, { recursive: true });
    // A project of Deno names it in its imports.
    const text = (await readFile(join(cwd, TEST), "utf8"))
      .replace('"vitest"', `"${pathToFileURL(join(repositoryRoot, "testing", "deno.ts"))}"`);
    await writeFile(join(cwd, TEST), text);
    const config = join(repositoryRoot, "deno.json");
    const args = ["test", "-A", "--no-lock", "--no-check", "--config", config, join(cwd, TEST)];
    const { code, stdout, stderr } = await capture(Deno.execPath(), args, { cwd });
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /3 passed/);
  } finally {
    await rm(cwd, { recursive: true });
  }
});

if (inMatrix) {
  Deno.test({
    name: "its tests pass under vitest, with the packed packages",
    ignore: !nodeIsAvailable,
    fn: async () => {
      const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-notes-" }));
      try {
        await cp(FOLDER, root, { recursive: true });
        const manifest = {
          ...JSON.parse(await readFile(join(root, "package.json"), "utf8")),
          dependencies: { hono: "4.13.19" },
          devDependencies: { "@framework/testing": "*", vitest: "5.1.1" },
        };
        await writeFile(join(root, "package.json"), JSON.stringify(manifest));
        await installWithNpm(root, await buildPackages({ gate: false }));
        const { newest } = await findNodes();
        const args = ["node_modules/vitest/vitest.mjs", "run"];
        const { code, stdout, stderr } = await capture(newest, args, { cwd: root });
        assert.equal(code, 0, stdout + stderr);
        assert.match(stdout, /3 passed/);
      } finally {
        await rm(root, { recursive: true });
      }
    },
  });
}
