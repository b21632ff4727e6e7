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
  /** What the worker pool runs of the usage shapes. */
  pool: { files: number; tests: number; args?: string[] };
}

/** What the pools look for at the top, where npm would otherwise put newer ones. */
const alike = (version: string) => ({
  "@vitest/expect": version,
  "@vitest/spy": version,
  "@vitest/utils": version,
});

const GENERATIONS: Generation[] = [
  {
    name: "vitest 3.2",
    versions: {
      vitest: "3.2.4",
      "@cloudflare/vitest-plugin": null,
      "@cloudflare/vitest-pool-workers": "0.12.21",
      ...alike("3.2.4"),
    },
    // Its isolation of storage knows no objects with SQLite.
    pool: { files: 9, tests: 29, args: ["--exclude", "**/room.spec.ts"] },
  },
  {
    name: "vitest 4.1",
    versions: { vitest: "4.1.12", ...alike("4.1.12") },
    pool: { files: 10, tests: 32 },
  },
  { name: "vitest 5", versions: {}, pool: { files: 10, tests: 32 } },
];

function passed({ code, stdout, stderr }: Finished, files: number, tests: number): void {
  assert.equal(code, 0, stdout + stderr);
  const output = stripVTControlCharacters(stdout);
  assert.match(output, new RegExp(`Test Files +${files} passed \\(${files}\\)`), stdout + stderr);
  assert.match(
    output,
    new RegExp(`Tests +${tests} passed (?:\\| 2 skipped )?\\(`),
    stdout + stderr,
  );
}

for (const { name, versions, pool } of GENERATIONS) {
  const reason = nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]";
  Deno.test({
    name: `${name} on Node: every shape of use${reason}`,
    ignore: !nodeIsAvailable,
    fn: async (t) => {
      const app: NpmProject = await createNpmProject([project], {
        "playwright-core": "1.65.1",
        ...versions,
      });
      try {
        await t.step("the usage shapes", async () => {
          const others = ["browser", "environment", "forgetful", "pool"];
          const excluded = others.flatMap((folder) => ["--exclude", `**/${folder}/**`]);
          passed(await app.vitest("--dir", "tests", ".spec.", ...excluded), 11, 37);
        });
        // Tracks: F50
        await t.step(
          "a context that was not cleaned up is named, and disturbs no other",
          async () => {
            const finished = await app.vitest("--dir", "tests/forgetful");
            passed(finished, 1, 2);
            assert.match(
              stripVTControlCharacters(finished.stderr + finished.stdout),
              /1 test context was not cleaned up\.[^]*tests\/forgetful\/forgetful\.spec\.ts:5:\d+/,
            );
          },
        );
        await t.step("pages and components in Chromium", async () => {
          passed(await app.vitest("--dir", "tests/browser"), 1, 2);
        });
        await t.step("environment and environmentOptions.bindings", async () => {
          passed(await app.vitest("--config", "vitest.environment.config.ts"), 1, 1);
        });
        await t.step("poolOptions.workers.wrangler.configPath", async () => {
          const { files, tests, args = [] } = pool;
          // Each file loads the worker anew, and other tests run beside this one.
          const patient = ["--testTimeout", "120000", "--hookTimeout", "120000"];
          const config = ["--config", "vitest.pool.config.ts"];
          passed(await app.vitest(...config, ...patient, ...args), files, tests);
        });
      } finally {
        await app.remove();
      }
    },
  });
}
