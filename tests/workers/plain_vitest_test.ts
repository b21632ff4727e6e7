// The same list of cases as in plain_test.ts, which the worker passes under vitest with the packed packages: in process
// on the oldest Node that the testing package supports, and in the worker pool.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackages } from "../../scripts/npm.ts";
import { capture } from "../../scripts/run_command.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, findOldestNodeOfCommand, nodeIsAvailable } from "../support/node.ts";
import { installWithNpm } from "../support/npm_project.ts";
import { GENERATIONS } from "./generations.ts";
import { CASES } from "./plain_cases.ts";

const here = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url));

/** Tests that only the pool has, in `plain/tests/pool`. */
const IN_POOL = 7;

/** The project, as npm installs it. */
async function install(folder: string, tools: Record<string, string>): Promise<string> {
  const root = join(folder, "plain");
  await cp(here("plain"), root, { recursive: true });
  await cp(here("plain_cases.ts"), join(folder, "plain_cases.ts"));
  const manifest = {
    ...JSON.parse(await Deno.readTextFile(join(root, "package.json"))),
    dependencies: { hono: "4.13.19" },
    // The starter's vite, in place of the newest.
    devDependencies: { "@framework/testing": "*", vite: "8.3.8", ...tools },
  };
  await Deno.writeTextFile(join(root, "package.json"), JSON.stringify(manifest));
  await installWithNpm(root, await buildPackages({ gate: false }));
  return root;
}

/** Runs the tests; all have to pass. */
async function countPassed(
  node: string,
  root: string,
  options: [config: string, ...others: string[]],
): Promise<number> {
  const runner = join("node_modules", "vitest", "vitest.mjs");
  const results = join(root, "results.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const args = [runner, "run", "--config", ...options, ...reporters];
  const { code, stdout, stderr } = await capture(node, args, { cwd: root });
  assert.equal(code, 0, stdout + stderr);
  return JSON.parse(await Deno.readTextFile(results)).numPassedTests;
}

const reason = nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]";

for (const [vitest, pool] of Object.entries(GENERATIONS).slice(0, inMatrix ? Infinity : 1)) {
  Deno.test({
    name: `a worker passes every case under vitest ${vitest} on Node${reason}`,
    ignore: !nodeIsAvailable,
    async fn(t) {
      const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-worker-" }));
      try {
        const root = await install(folder, { vitest, ...pool });
        await t.step("in process", async () => {
          const node = await findOldestNodeOfCommand();
          assert.equal(await countPassed(node, root, ["vitest.config.ts"]), CASES.length);
        });
        await t.step("in the worker pool", async () => {
          const { newest } = await findNodes();
          // The platform starts anew for each file; a push sees what the pool alone has.
          const [files, count] = inMatrix
            ? [[], CASES.length + IN_POOL]
            : [["tests/pool"], IN_POOL];
          const passed = await countPassed(newest, root, ["vitest.pool.config.ts", ...files]);
          assert.equal(passed, count);
        });
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}
