// The flows of Better Auth as better_auth_test.ts has them, under vitest with the packed packages: in process on the oldest
// Node that the testing package supports, and in the worker pool of each vitest.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackages } from "../../scripts/npm.ts";
import { capture } from "../../scripts/run_command.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, findOldestNodeOfCommand, nodeIsAvailable } from "../support/node.ts";
import { installWithNpm } from "../support/npm_project.ts";
import { CASES } from "./better_auth_cases.ts";
import { GENERATIONS } from "./generations.ts";

const FILES = ["better_auth", "better_auth_cases.ts", "better_auth_sign_in.ts", "plain_cases.ts"];
const here = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url));

/** The project, as npm installs it. */
async function install(folder: string, tools: Record<string, string>): Promise<string> {
  for (const name of FILES) await cp(here(name), join(folder, name), { recursive: true });
  const root = join(folder, "better_auth");
  const manifest = {
    ...JSON.parse(await Deno.readTextFile(join(root, "package.json"))),
    dependencies: { "better-auth": "1.7.25", hono: "4.13.19" },
    devDependencies: { "@framework/testing": "*", ...tools },
  };
  await Deno.writeTextFile(join(root, "package.json"), JSON.stringify(manifest));
  await installWithNpm(root, await buildPackages({ gate: false }));
  return root;
}

/** Runs the tests; all have to pass. */
async function countPassed(node: string, root: string, config: string): Promise<number> {
  const results = join(root, "results.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", config, ...reporters];
  const { code, stdout, stderr } = await capture(node, args, { cwd: root });
  assert.equal(code, 0, stdout + stderr);
  return JSON.parse(await Deno.readTextFile(results)).numPassedTests;
}

Deno.test("each flow of Better Auth has a name of its own", () => {
  assert.equal(new Set(CASES.map(([name]) => name)).size, CASES.length);
});

for (const [vitest, pool] of inMatrix && nodeIsAvailable ? Object.entries(GENERATIONS) : []) {
  Deno.test(`vitest ${vitest}: every flow of Better Auth, in process and in the worker pool`, async (t) => {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-auth-" }));
    try {
      const root = await install(folder, { vitest, ...pool });
      await t.step("in process", async () => {
        const node = await findOldestNodeOfCommand();
        assert.equal(await countPassed(node, root, "vitest.config.ts"), CASES.length + 1);
      });
      await t.step("in the worker pool", async () => {
        const { newest } = await findNodes();
        assert.equal(await countPassed(newest, root, "vitest.pool.config.ts"), CASES.length + 1);
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
