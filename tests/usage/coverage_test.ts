// The starter as npm installs it: its own test script, and the coverage of its own files.
import assert from "node:assert/strict";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { findProgram } from "../../scripts/apt.ts";
import { capture } from "../../scripts/run_command.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { createNpmProject } from "../support/npm_project.ts";

Deno.test({
  name: `npm test and framework test --coverage pass in the starter on the newest Node${
    nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]"
  }`,
  ignore: !nodeIsAvailable,
  fn: async (t) => {
    const app = await createNpmProject([], { "@vitest/coverage-v8": "5.0.5" });
    const { newest } = await findNodes();
    const env = { PATH: [dirname(newest), process.env["PATH"]].join(delimiter) };
    try {
      await t.step("npm test", async () => {
        const npm = await findProgram(["npm"]);
        const [command, before] = npm
          ? [npm, []]
          : [Deno.execPath(), ["run", "-A", "--no-config", "npm:npm@11.19.1"]];
        const { code, stdout, stderr } = await capture(command, [...before, "test"], {
          cwd: app.root,
          env,
        });
        assert.equal(code, 0, stdout + stderr);
        assert.match(stripVTControlCharacters(stdout), /Tests +[1-9]\d* passed/);
      });

      await t.step("framework test --coverage", async () => {
        const main = join(app.root, "node_modules", "@framework", "cli", "main.js");
        const { code, stdout, stderr } = await capture(newest, [main, "test", "--coverage"], {
          cwd: app.root,
          env,
        });
        assert.equal(code, 0, stdout + stderr);
        const output = stripVTControlCharacters(stdout);
        assert.match(output, /Tests +[1-9]\d* passed/);
        // Name, statements, branches, functions, lines.
        const covered = (file: string) =>
          Number(new RegExp(`${file} +\\| +([\\d.]+)`).exec(output)?.[1]);
        for (const file of ["page.tsx", "route.ts", "middleware.ts"]) {
          assert.ok(covered(file.replace(".", "\\.")) > 0, `${file} is not covered:\n${output}`);
        }
        assert.doesNotMatch(output, /node_modules|worker\.js/);
      });
    } finally {
      await app.remove();
    }
  },
});
