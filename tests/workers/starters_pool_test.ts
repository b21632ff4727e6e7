// The spec files that create-cloudflare ships, unchanged: under the worker pool alone, and with defineTestConfig(), where
// createTestContext() walks through the same starters.
import assert from "node:assert/strict";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackages } from "../../scripts/npm.ts";
import { capture } from "../../scripts/run_command.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { installWithNpm } from "../support/npm_project.ts";
import { GENERATIONS, OF_STARTERS } from "./generations.ts";
import { IN_POOL, SPECS, STARTERS } from "./starters.ts";

/** Configuration of each pool alone, by its package. */
const BARE: Record<string, string> = {
  "@cloudflare/vitest-pool-workers":
    `import { defineWorkersConfig } from "@cloudflare/vitest-pool-workers/config";
export default defineWorkersConfig({
  test: { poolOptions: { workers: { wrangler: { configPath: "./wrangler.jsonc" } } } },
});
`,
  "@cloudflare/vitest-plugin": `import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
export default defineConfig({
  plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.jsonc" } })],
});
`,
};

const OURS = `import { defineTestConfig } from "@framework/testing/vitest";
export default defineTestConfig({
  test: { poolOptions: { workers: { wrangler: { configPath: "./wrangler.jsonc" } } } },
});
`;

const WALK = `import { createTestContext } from "@framework/testing";
import { it } from "vitest";
import { STARTERS } from "../starters.ts";

it("is walked through", async () => {
  await using ctx = await createTestContext();
  await STARTERS[STARTER](ctx);
});
`;

const here = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url));

async function countPassed(cwd: string, config: string): Promise<number> {
  const results = join(cwd, "results.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", config, ...reporters];
  const { newest } = await findNodes();
  const { code, stdout, stderr } = await capture(newest, args, { cwd });
  assert.equal(code, 0, stdout + stderr);
  return JSON.parse(await readFile(results, "utf8")).numPassedTests;
}

Deno.test("the starters with spec files are some of those that are walked through", () => {
  for (const name of IN_POOL) assert.ok(name in STARTERS, name);
});

for (const vitest of inMatrix && nodeIsAvailable ? OF_STARTERS : []) {
  Deno.test(`vitest ${vitest}: the spec files of create-cloudflare, and our context beside them`, async (t) => {
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-starters-" }));
    try {
      const pool = GENERATIONS[vitest]!;
      const bare = BARE[Object.keys(pool)[0]!]!;
      const devDependencies = {
        "@framework/testing": "*",
        "create-cloudflare": "2.67.4",
        ...pool,
        vitest,
      };
      const manifest = { private: true, type: "module", devDependencies };
      await writeFile(join(root, "package.json"), JSON.stringify(manifest));
      await installWithNpm(root, await buildPackages({ gate: false }));
      const modules = join(root, "node_modules");
      // The storage isolation of vitest 3's pool knows no workflows.
      for (const name of vitest.startsWith("3.") ? Object.keys(SPECS) : IN_POOL) {
        const count = SPECS[name] ?? 0;
        const cwd = join(root, name.replace("/", "-"));
        await mkdir(cwd);
        const template = join(modules, "create-cloudflare", "templates", name);
        await cp(template, cwd, { recursive: true });
        await symlink(modules, join(cwd, "node_modules"), "dir");
        const file = join(cwd, "wrangler.jsonc");
        const text = (await readFile(file, "utf8"))
          .replaceAll("<WORKER_NAME>", "starter")
          .replace("<COMPATIBILITY_DATE>", "2026-07-30");
        await writeFile(file, text);
        await cp(here("starters.ts"), join(root, "starters.ts"));
        await writeFile(join(cwd, "bare.config.mts"), bare);
        await writeFile(join(cwd, "ours.config.mts"), OURS);
        if (count > 0) {
          await t.step(`${name}: alone`, async () => {
            assert.equal(await countPassed(cwd, "bare.config.mts"), count);
          });
        }
        await t.step(`${name}: with defineTestConfig()`, async () => {
          await mkdir(join(cwd, "test"), { recursive: true });
          const walk = WALK.replace("STARTER]", `${JSON.stringify(name)}]`);
          await writeFile(join(cwd, "test", "walk.spec.ts"), walk);
          assert.equal(await countPassed(cwd, "ours.config.mts"), count + 1);
        });
      }
    } finally {
      await rm(root, { recursive: true });
    }
  });
}
