// The same list of cases as in plain_test.ts, which the worker passes under vitest with the packed packages on the
// oldest Node that the testing package supports.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackages } from "../../scripts/npm.ts";
import { capture } from "../../scripts/run_command.ts";
import { findOldestNodeOfCommand, nodeIsAvailable } from "../support/node.ts";
import { installWithNpm } from "../support/npm_project.ts";
import { CASES } from "./plain_cases.ts";

const VITEST = "5.1.1";
const here = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url));

/** The project, as npm installs it. */
async function install(folder: string): Promise<string> {
  const root = join(folder, "plain");
  await cp(here("plain"), root, { recursive: true });
  await cp(here("plain_cases.ts"), join(folder, "plain_cases.ts"));
  const manifest = {
    ...JSON.parse(await Deno.readTextFile(join(root, "package.json"))),
    dependencies: { hono: "4.13.19" },
    devDependencies: { "@framework/testing": "*", vitest: VITEST },
  };
  await Deno.writeTextFile(join(root, "package.json"), JSON.stringify(manifest));
  await installWithNpm(root, await buildPackages({ gate: false }));
  return root;
}

const reason = nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]";

Deno.test({
  name: `a worker passes every case under vitest ${VITEST} on Node${reason}`,
  ignore: !nodeIsAvailable,
  async fn() {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-worker-" }));
    try {
      const root = await install(folder);
      const node = await findOldestNodeOfCommand();
      const runner = join("node_modules", "vitest", "vitest.mjs");
      const results = join(folder, "results.json");
      const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
      const { code, stdout, stderr } = await capture(node, [runner, ...args], { cwd: root });
      assert.equal(code, 0, stdout + stderr);
      const { numPassedTests } = JSON.parse(await Deno.readTextFile(results));
      assert.equal(numPassedTests, CASES.length, stdout + stderr);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
