// What sqlite() and postgres() take, each by the real driver: the table in docs/databases.md.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqlite } from "@framework/auth/sqlite";
import { sendBatch } from "../../auth/tests/conformance_in_workerd.ts";
import { type AskedSuite, SUITE_NAMES } from "../../auth/tests/handle_cases.ts";
import { SQL_STORAGE_CASES } from "../../auth/tests/sql_storage_cases.ts";
import { MORE_CASES, record, type Sent } from "../../scripts/plans.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { run } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { setRounds } from "../../testing/storage/race.ts";
import { readTable } from "../docs/tables.ts";
import { emptyDatabase } from "../support/empty_d1.ts";
import { inMatrix, RACE_ROUNDS } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { linkNpmPackages } from "../support/npm_packages.ts";
import { DATABASES, ensureWorkerd, runProgram, VERSIONS, withServer } from "./databases.ts";

const LINUX = Deno.build.os === "linux" && Deno.build.arch === "x86_64";

const withNode = {
  ignore: !nodeIsAvailable || !LINUX,
  sanitizeOps: false,
  sanitizeResources: false,
};

setRounds(RACE_ROUNDS);

/**
 * Suites on each push: what a driver itself does, races among it. The engines have all suites in postgres_test.ts and
 * auth/storage/storage_conformance_test.ts. All suites over all of them take minutes.
 */
const DAILY: readonly AskedSuite[] = ["driver"];
const suites = inMatrix ? SUITE_NAMES : DAILY;

for (const [title, { hint, isRare, run }] of Object.entries(DATABASES)) {
  if (isRare && !inMatrix) continue;
  const name = title.replaceAll("`", "");
  // Tracks: AU-05, F10, F11, F48, OP-06
  Deno.test({
    name: `${name} does what every database does, by the driver itself` +
      (hint === null ? "" : ` [unavoidable: ${hint}]`),
    ignore: hint !== null,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: (test) => run(test, suites),
  });
}

// It takes fewer than SQLite does: no long ones, no deep ones, and not every function.
Deno.test({
  name: "D1 takes every statement that the library sends to SQLite",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const sent = new Map<string, Sent>();
    using file = new DatabaseSync(":memory:");
    const own = sqlite(file);
    for (const run of Object.values({ ...SQL_STORAGE_CASES, ...MORE_CASES })) {
      await emptyDatabase(own);
      await run(record(own.direct ?? own, sent));
    }
    assert.ok(sent.size > 60, String(sent.size));
    // Which values there are makes no plan another one.
    const statements = [...sent.values()].map(({ sql, values }) => ({
      sql: `EXPLAIN QUERY PLAN ${sql}`,
      values: values.map(() => null),
    }));
    const miniflare = await ensureWorkerd(suites);
    assert.equal(await sendBatch(miniflare, { suite: suites[0]!, statements }), "passed");
  },
});

// Every suite is a step of the test above, or several, by its name.
Deno.test("the table in docs/databases.md is what the databases are asked", async () => {
  const { mysql2, ...table } = await readTable("docs/databases.md", "conformance");
  assert.ok(mysql2, "mariadb_test.ts holds it");
  assert.deepEqual(Object.keys(table), Object.keys(DATABASES));
  for (const [row, cells] of Object.entries(table)) {
    for (const suite of SUITE_NAMES) assert.equal(cells[suite], "✓", `${row}: ${suite}`);
  }
});

const bin = await findPostgres();

const DENO = {
  runtime: Deno.execPath(),
  flags: ["run", "-A", "--no-lock", "--node-modules-dir=manual"],
};

for (const [title, start] of [["Node", {}], ["Deno", DENO]] as const) {
  if (title === "Deno" && !inMatrix) continue;
  // Tracks: AU-05
  Deno.test({
    name:
      `postgres() over postgres.js on ${title} does all of a batch or nothing while its connections are ended` +
      (bin === null ? ` [unavoidable: ${postgresHint}]` : ""),
    ...withNode,
    ignore: withNode.ignore || bin === null,
    fn: () =>
      withServer(async (argument) => {
        const printed = await runProgram("postgres_js_lost", { ...start, argument });
        const { passed, failures } = JSON.parse(printed) as { passed: number; failures: string[] };
        assert.deepEqual(failures, []);
        assert.ok(passed > 50, `only ${passed} cases ran`);
      }),
  });
}

// The tests themselves are checked with those of `pg`, node:sqlite and mysql2.
if (inMatrix) {
  Deno.test({
    name: "the drivers' own types fit sqlite() and postgres()",
    ...withNode,
    async fn() {
      const modules = await linkNpmPackages(VERSIONS);
      const folder = await Deno.makeTempDir({ prefix: "framework-types-" });
      try {
        await Deno.symlink(modules, join(folder, "node_modules"));
        await Deno.copyFile(
          join(import.meta.dirname!, "drivers", "types.ts"),
          join(folder, "types.ts"),
        );
        const auth = (name: string) => join(repositoryRoot, "auth", `${name}.ts`);
        await Deno.writeTextFile(
          join(folder, "package.json"),
          JSON.stringify({ private: true, type: "module", dependencies: VERSIONS }),
        );
        await Deno.writeTextFile(
          join(folder, "deno.json"),
          JSON.stringify({
            nodeModulesDir: "manual",
            compilerOptions: { types: ["@types/bun"] },
            imports: {
              "@framework/auth/postgres": auth("postgres"),
              "@framework/auth/sqlite": auth("sqlite"),
            },
          }),
        );
        await run(Deno.execPath(), ["check", "--no-lock", "types.ts"], { cwd: folder });
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}
