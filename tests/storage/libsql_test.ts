// The lines for libSQL that docs/databases.md shows, over its client on Node.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { workspaceAlias } from "../../scripts/budgets.ts";
import { run } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { findNodes, installNpm, nodeIsAvailable } from "../support/node.ts";

const DRIVERS = fileURLToPath(new URL("./drivers", import.meta.url));

Deno.test("docs/databases.md shows the lines for libSQL that are tested", async () => {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "databases.md"));
  assert.ok(guide.includes(await Deno.readTextFile(join(DRIVERS, "libsql.ts"))));
});

// Tracks: AU-05
Deno.test({
  name: "the storage over libSQL does what it does everywhere, by the lines of the guide",
  ignore: !nodeIsAvailable || Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "framework-libsql-" });
    try {
      const { oldest: node } = await findNodes();
      const npm = join(await installNpm(), "bin", "npm-cli.js");
      const dependencies = { "@libsql/client": "0.18.0" };
      await Deno.writeTextFile(
        join(folder, "package.json"),
        JSON.stringify({ private: true, type: "module", dependencies }),
      );
      const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
      await run(node, [npm, "install", ...quiet], { cwd: folder });
      await esbuild.build({
        entryPoints: [join(DRIVERS, "libsql_on_node.ts")],
        alias: await workspaceAlias(),
        absWorkingDir: repositoryRoot,
        bundle: true,
        platform: "neutral",
        format: "esm",
        external: ["node:*", "@libsql/client"],
        outfile: join(folder, "program.mjs"),
        logLevel: "silent",
      });
      const { stdout } = await run(node, [join(folder, "program.mjs"), folder]);
      const { passed, failures } = JSON.parse(stdout) as { passed: number; failures: string[] };
      assert.deepEqual(failures, []);
      assert.ok(passed > 50, `only ${passed} cases ran`);
    } finally {
      await esbuild.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
  sanitizeOps: false,
  sanitizeResources: false,
});
