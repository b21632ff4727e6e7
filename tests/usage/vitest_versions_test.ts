// The shapes of use and of configuration, in a project as npm lays it out, with the newest vitest, and
// in the matrix with each that is supported, and in its worker pool. Components in Chromium run with the newest alone.
import assert from "node:assert/strict";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { fileURLToPath } from "node:url";
import { startChild } from "../support/child.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { createNpmProject, type NpmProject, type Versions } from "../support/npm_project.ts";
import { passedByFile } from "./passed_by_file.ts";

const project = fileURLToPath(new URL("./project", import.meta.url));

/** Numbers of passing tests by file. */
type Counts = Record<string, number>;

interface Generation {
  name: string;
  versions: Versions;
  /** Arguments of the run on Node besides those of all, and what passes in it. */
  node: { args: string[]; passes: Counts };
  /** The same of the run in the worker pool. */
  pool: { args: string[]; passes: Counts };
}

const IN_BOTH: Counts = {
  "api.spec.ts": 4,
  "component.spec.tsx": 2,
  "fixture.spec.ts": 3,
  "loader.spec.ts": 4,
  "middleware.spec.ts": 2,
  "mocks.spec.ts": 3,
  "object.spec.ts": 2,
  "outgoing.spec.ts": 5,
  "queue.spec.ts": 3,
};
const SHAPES: Counts = {
  ...IN_BOTH,
  "client.spec.ts": 1,
  "env.spec.ts": 6,
  "look.spec.ts": 1,
  "room.spec.ts": 5,
};
const CONFIGURED: Counts = { "environment/bindings.spec.ts": 1, "forgetful/forgetful.spec.ts": 2 };
const BROWSER: Counts = { "browser/hydration.spec.tsx": 2 };
const POOL: Counts = { "pool/pool.spec.ts": 5 };
/** Without those that wait for an alarm. */
const ROOM_IN_POOL: Counts = { "room.spec.ts": 3 };

/** One process for all files. One for each is the default, which the other runs have. */
const TOGETHER = "--no-isolate";

/** What `framework test --coverage` has it do, with the report that is read here alone. */
const COVERAGE = ["--coverage", "--coverage.reporter=text"];

/** The report has the files of the application that tests reach, and nothing else. */
function assertCovered(said: string): void {
  // Name, statements, branches, functions, lines.
  const covered = (file: string) => Number(new RegExp(`${file} +\\| +([\\d.]+)`).exec(said)?.[1]);
  for (const file of ["page.tsx", "route.ts", "middleware.ts"]) {
    assert.ok(covered(file.replace(".", "\\.")) > 0, `${file} is not covered:\n${said}`);
  }
  assert.doesNotMatch(said, /node_modules|worker\.js/);
}

const GENERATIONS: Generation[] = [
  {
    name: "vitest 5.1",
    versions: {
      vitest: "5.1.1",
      "@cloudflare/vitest-plugin": "1.5.0",
      "@vitest/coverage-v8": "5.1.1",
      "@vitest/ui": "5.1.1",
    },
    node: { args: [TOGETHER, ...COVERAGE], passes: { ...SHAPES, ...CONFIGURED, ...BROWSER } },
    pool: { args: [TOGETHER], passes: { ...IN_BOTH, ...ROOM_IN_POOL, ...POOL } },
  },
  {
    name: "vitest 5.0",
    versions: {},
    node: {
      args: [TOGETHER, "--project", "!browser"],
      passes: { ...SHAPES, ...CONFIGURED },
    },
    pool: { args: [TOGETHER], passes: { ...IN_BOTH, ...ROOM_IN_POOL, ...POOL } },
  },
  {
    name: "vitest 4.1",
    versions: { vitest: "4.1.12" },
    node: {
      args: [TOGETHER, "--project", "!browser"],
      passes: { ...SHAPES, ...CONFIGURED },
    },
    // The same pool as with vitest 5, with a worker for each file.
    pool: { args: [], passes: { ...IN_BOTH, ...ROOM_IN_POOL, ...POOL } },
  },
  {
    name: "vitest 3.2",
    versions: {
      vitest: "3.2.4",
      "@cloudflare/vitest-plugin": null,
      "@cloudflare/vitest-pool-workers": "0.12.21",
    },
    node: {
      args: [TOGETHER, "--project", "!browser"],
      passes: { ...SHAPES, ...CONFIGURED },
    },
    // Its isolation of storage knows no objects with SQLite, and it has a worker for each file.
    pool: { args: ["--exclude", "**/room.spec.ts"], passes: { ...IN_BOTH, ...POOL } },
  },
];

let app: NpmProject;
Deno.test.beforeAll(async () => {
  if (nodeIsAvailable) app = await createNpmProject([project]);
});
Deno.test.afterAll(async () => {
  await (app as NpmProject | undefined)?.remove();
});

/** The newest, unless those before it are asked for as well. */
const chosen = inMatrix ? GENERATIONS : GENERATIONS.slice(0, 1);

/** What a push sees of the oldest: mocks of modules, a component, the environment, and contexts that are left open. */
const BRIEF: Counts = {
  "component.spec.tsx": 2,
  "env.spec.ts": 6,
  "forgetful/forgetful.spec.ts": 2,
  "mocks.spec.ts": 3,
};

/** Packages of the starter that no test needs. */
const NOT_TESTING: Versions = { oxlint: null, typescript: null, wrangler: null };

const reason = nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]";

for (const { name, versions, node, pool } of chosen) {
  Deno.test({
    name: `${name} on Node: every shape of use${reason}`,
    ignore: !nodeIsAvailable,
    fn: async (t) => {
      await app.install({
        ...NOT_TESTING,
        "@cloudflare/vitest-plugin": "1.4.10",
        ...versions,
        "playwright-core": "1.65.1",
      });
      const { version } = JSON.parse(
        await Deno.readTextFile(join(app.root, "node_modules", "vitest", "package.json")),
      );
      assert.ok(version.startsWith(name.replace("vitest ", "")), version);

      let said = "";
      await t.step("the usage shapes, in each environment", async () => {
        const run = await passedByFile(app, ["--config", "vitest.node.config.ts", ...node.args]);
        said = stripVTControlCharacters(run.said);
        assert.deepEqual(run.passed, node.passes, said);
        if (node.args.includes("--coverage")) assertCovered(said);
      });
      // tests/packages/lone_node_test.ts runs the starter's in processes of their own.
      if (inMatrix && node.args.includes(TOGETHER)) {
        await t.step(
          "some of them with a process for each file, which is the default",
          async () => {
            const args = ["--config", "vitest.node.config.ts", "fixture.spec", "bindings.spec"];
            const run = await passedByFile(app, args);
            const passes = { "fixture.spec.ts": 3, "environment/bindings.spec.ts": 1 };
            assert.deepEqual(run.passed, passes, run.said);
          },
        );
      }
      // Tracks: F50
      await t.step("a context that was not cleaned up is named, and disturbs no other", () => {
        assert.match(
          said,
          /1 test context was not cleaned up\.[^]*tests\/forgetful\/forgetful\.spec\.ts:5:\d+/,
        );
      });
      // Tracks: SP-A2
      await t.step("a configuration without defineTestConfig() is named", async () => {
        const { code, stdout, stderr } = await app.vitest("--config", "vitest.plain.config.ts");
        assert.equal(code, 1);
        const plain = stripVTControlCharacters(stdout + stderr);
        assert.match(plain, /TestingError: .*vitest does not transform.*defineTestConfig\(\)/);
      });
      if ("@vitest/ui" in versions) {
        await t.step("framework test --ui shows them in a page", async () => {
          const main = join("node_modules", "@framework", "cli", "main.js");
          const { newest } = await findNodes();
          const page = startChild(newest, [main, "test", "--ui", "tests/look.spec.ts"], {
            cwd: app.root,
            group: true,
          });
          try {
            await page.waitFor(/__vitest__/, 300);
          } finally {
            await page.stop();
          }
        });
      }
      if (!inMatrix) return;
      // A push sees a worker in the pool, in tests/workers/plain_vitest_test.ts.
      await t.step("poolOptions.workers.wrangler.configPath", async () => {
        const run = await passedByFile(app, ["--config", "vitest.pool.config.ts", ...pool.args]);
        assert.deepEqual(run.passed, pool.passes, run.said);
      });
    },
  });
}

if (!inMatrix) {
  const { name, versions, node } = GENERATIONS.at(-1)!;
  Deno.test({
    name: `${name} on Node: some shapes of use${reason}`,
    ignore: !nodeIsAvailable,
    fn: async () => {
      await app.install({ ...NOT_TESTING, ...versions, "@cloudflare/vitest-pool-workers": null });
      const files = Object.keys(BRIEF).map((file) => file.replace(/\.tsx?$/, ""));
      const args = ["--config", "vitest.node.config.ts", ...node.args, ...files];
      const { passed, said } = await passedByFile(app, args);
      assert.deepEqual(passed, BRIEF, said);
    },
  });
}
