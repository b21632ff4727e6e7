import { join } from "node:path";
import { findNodes } from "../../../tests/support/node.ts";
import { buildPackages } from "../../npm.ts";
import { capture, run } from "../../run_command.ts";
import { installPackages } from "../../scaffold.ts";
import { progress } from "../contest.ts";
import { benchFolder } from "../peers.ts";
import type { Figure, Section, Table } from "../report.ts";

/** Tests for which the time is told. */
const TOLD = 1000;

/** A way to give each test a database of its own. */
interface Contender {
  name: string;
  /** File with the configuration of vitest, without `.config.ts`. */
  config: string;
  /** Tests that are run: fewer where {@linkcode TOLD} of them take a quarter of an hour. */
  tests: number;
  runtime?: string;
}

const OURS = "`createTestContext({ worker })`";

const contenders: readonly Contender[] = [
  { name: OURS, config: "ours", tests: TOLD, runtime: "process" },
  { name: `${OURS}, in workerd`, config: "ours", tests: 100, runtime: "workerd" },
  { name: "Cloudflare's plugin, `reset()`", config: "plugin", tests: TOLD },
  { name: "`createTestHarness()`, `reset()`", config: "harness", tests: 100 },
];

/** Makes the worker's project, with its packages. */
async function prepare(root: string): Promise<void> {
  const build = await buildPackages({ gate: false });
  await run("cp", ["-R", `${join(benchFolder, "isolation")}/.`, root]);
  await Deno.rename(join(root, "manifest.json"), join(root, "package.json"));
  await installPackages(root, build);
}

/** Runs tests, which must all pass. */
async function measure(
  root: string,
  { config, runtime }: Contender,
  tests: number,
): Promise<number> {
  const { newest } = await findNodes();
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const started = performance.now();
  const { code, stdout, stderr } = await capture(
    newest,
    [vitest, "run", "--config", `${config}.config.ts`],
    {
      cwd: root,
      env: {
        TESTS: String(tests),
        WRANGLER_SEND_METRICS: "false",
        CI: "true",
        NO_COLOR: "1",
        ...runtime === undefined ? {} : { RUNTIME: runtime },
      },
    },
  );
  const taken = performance.now() - started;
  if (code !== 0 || !stdout.includes(`${tests} passed`)) throw new Error(stdout + stderr);
  return taken;
}

/** Measures what it costs that no test finds what another one has written. */
export async function measureIsolation(): Promise<Section> {
  const root = await Deno.makeTempDir({ prefix: "framework-bench-" });
  try {
    await prepare(root);
    const rows = [];
    for (const contender of contenders) {
      progress(`  ${contender.name}`);
      // The first run reads files that no later one has to.
      const alone = [await measure(root, contender, 1), await measure(root, contender, 1)];
      const whole = await measure(root, contender, contender.tests);
      const each = (whole - alone[1]!) / (contender.tests - 1);
      const figures: Figure[] = [
        { value: alone[1]! / 1000, unit: "s" },
        { value: each, unit: "ms" },
        { value: (alone[1]! + each * (TOLD - 1)) / 1000, unit: "s" },
      ];
      rows.push({ name: contender.name, figures });
    }
    const table: Table = {
      title: "A database for each test",
      columns: ["one test", "each further test", `${TOLD} tests`],
      rows,
      base: OURS,
    };
    return {
      name: "isolation",
      title: "A thousand tests with a database each",
      about:
        "A worker with a table of notes; each test migrates an empty D1 database, writes a note by a request and finds " +
        "that note and no other by a second one. The whole run of vitest on Node, the wall. Of " +
        `\`createTestHarness()\` and of the context in workerd 100 tests are run, and the time of ${TOLD} is ` +
        "computed from them.",
      tables: [table],
      goals: [],
    };
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}
