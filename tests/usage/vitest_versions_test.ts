// Every shape of use and of configuration, in a project that npm installs, with each vitest that is
// supported.
import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import { fileURLToPath } from "node:url";
import type { Finished } from "../../scripts/run_command.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { createNpmProject, type NpmProject } from "../support/npm_project.ts";

const project = fileURLToPath(new URL("./project", import.meta.url));

interface Generation {
  name: string;
  versions: Record<string, string | null>;
  /** Whether the project has the worker pool too. */
  pool: boolean;
}

const GENERATIONS: Generation[] = [
  {
    name: "vitest 3.2",
    versions: {
      vitest: "3.2.4",
      "@cloudflare/vitest-plugin": null,
      "@cloudflare/vitest-pool-workers": "0.12.21",
      // What the pool looks for at the top, where npm would otherwise put newer ones.
      "@vitest/expect": "3.2.4",
      "@vitest/spy": "3.2.4",
      "@vitest/utils": "3.2.4",
    },
    pool: true,
  },
  {
    name: "vitest 4.1",
    versions: { vitest: "4.1.12", "@cloudflare/vitest-plugin": null },
    pool: false,
  },
  { name: "vitest 5", versions: {}, pool: true },
];

function passed({ code, stdout, stderr }: Finished, files: number, tests: number): void {
  assert.equal(code, 0, stdout + stderr);
  const output = stripVTControlCharacters(stdout);
  assert.match(output, new RegExp(`Test Files +${files} passed \\(${files}\\)`), stdout + stderr);
  assert.match(output, new RegExp(`Tests +${tests} passed \\(${tests}\\)`), stdout + stderr);
}

for (const { name, versions, pool } of GENERATIONS) {
  const reason = nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]";
  Deno.test({
    name: `${name} on Node: every shape of use${reason}`,
    ignore: !nodeIsAvailable,
    fn: async (t) => {
      const app: NpmProject = await createNpmProject([project], versions);
      try {
        await t.step("the usage shapes", async () => {
          passed(
            await app.vitest("--dir", "tests", ".spec.", "--exclude", "**/environment/**"),
            10,
            32,
          );
        });
        await t.step("environment and environmentOptions.bindings", async () => {
          passed(await app.vitest("--config", "vitest.environment.config.ts"), 1, 1);
        });
        if (!pool) return;
        await t.step("poolOptions.workers.wrangler.configPath", async () => {
          passed(await app.vitest("--config", "vitest.pool.config.ts"), 4, 9);
        });
      } finally {
        await app.remove();
      }
    },
  });
}
