import { join } from "node:path";
import { findNodes } from "../../../tests/support/node.ts";
import { buildPackages } from "../../npm.ts";
import { capture } from "../../run_command.ts";
import { initApplication, installPackages } from "../../scaffold.ts";
import { progress } from "../contest.ts";
import type { Figure, Section } from "../report.ts";

/** Runs in the application, with its installed packages. */
const PROGRAM = `
// Of the whole process, so that other work on the machine does not count.
const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const started = performance.now();
const { createTestContext } = await import("@framework/testing");
const imported = performance.now();
const usedByImport = used();
const runtime = process.argv[2];
const first = await createTestContext({ runtime });
const ready = performance.now();
const usedByFirst = used() - usedByImport;
await first.fetch("/api/bench");
const answered = performance.now();

async function measure(count, work) {
  for (let index = 0; index < count / 10; index++) await work();
  const times = [];
  for (let index = 0; index < count; index++) {
    const before = performance.now();
    await work();
    times.push(performance.now() - before);
  }
  return times.sort((a, b) => a - b)[Math.floor(count / 2)];
}

const inProcess = runtime === "process";
const context = await measure(inProcess ? 300 : 5, async () => {
  const ctx = await createTestContext({ runtime });
  await ctx.cleanup();
});
const request = await measure(inProcess ? 3000 : 300, async () => {
  await (await first.fetch("/api/bench")).json();
});
const database = await measure(inProcess ? 1000 : 100, async () => {
  await first.db.selectFrom("users").selectAll().execute();
});
const withAuth = await measure(inProcess ? 300 : 20, () => first.withAuth({ userId: "ada" }));
await first.cleanup();
console.log(JSON.stringify({
  import: imported - started,
  first: ready - imported,
  firstCpu: inProcess ? usedByFirst : undefined,
  firstFetch: answered - ready,
  context,
  request,
  database,
  withAuth,
}));
process.exit(0);
`;

const POOL_CONFIG = `
import { defineTestConfig } from "@framework/testing/vitest";
export default defineTestConfig({
  test: {
    include: ["bench.pool.ts"],
    poolOptions: { workers: { main: "dist/worker.js", wrangler: { configPath: "./wrangler.jsonc" } } },
  },
});
`;

const POOL_TEST = `
import { SELF } from "cloudflare:test";
import { it } from "vitest";
it("is measured", async () => {
  const count = 300;
  for (let index = 0; index < 30; index++) await (await SELF.fetch("http://localhost/api/bench")).json();
  const before = Date.now();
  for (let index = 0; index < count; index++) {
    await (await SELF.fetch("http://localhost/api/bench")).json();
  }
  console.log("POOL " + (Date.now() - before) / count);
}, 60_000);
`;

type Figures = Record<string, number>;

async function figures(root: string, runtime: string): Promise<Figures> {
  const { code, stdout, stderr } = await capture(
    Deno.execPath(),
    ["run", "-A", "bench.mjs", runtime],
    { cwd: root },
  );
  if (code !== 0) throw new Error(stdout + stderr);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

async function poolRequest(root: string): Promise<number> {
  const main = join(root, "node_modules", "@framework", "cli", "main.js");
  await capture(Deno.execPath(), ["run", "-A", main, "build"], { cwd: root });
  const { newest } = await findNodes();
  const vitest = join("node_modules", "vitest", "vitest.mjs");
  const { stdout, stderr } = await capture(
    newest,
    [vitest, "run", "--config", "vitest.pool.config.ts"],
    { cwd: root },
  );
  const found = /POOL ([\d.]+)/.exec(stdout)?.[1];
  if (found === undefined) throw new Error(stdout + stderr);
  return Number(found);
}

async function prepare(folder: string): Promise<string> {
  const build = await buildPackages({ gate: false });
  const root = join(folder, "my-app");
  await initApplication(root);
  // The worker pool, which a new application does not bring.
  const manifest = join(root, "package.json");
  const listed = JSON.parse(await Deno.readTextFile(manifest));
  listed.devDependencies["@cloudflare/vitest-plugin"] = "1.4.10";
  await Deno.writeTextFile(manifest, JSON.stringify(listed));
  await installPackages(root, build);
  await Deno.mkdir(join(root, "app", "api", "bench"), { recursive: true });
  await Deno.writeTextFile(
    join(root, "app", "api", "bench", "route.ts"),
    "export const GET = () => ({ hello: 'world' });\n",
  );
  await Deno.writeTextFile(join(root, "bench.mjs"), PROGRAM);
  await Deno.writeTextFile(join(root, "vitest.pool.config.ts"), POOL_CONFIG);
  await Deno.writeTextFile(join(root, "bench.pool.ts"), POOL_TEST);
  return root;
}

const ROWS = [
  ["import of the package", "import"],
  ["first context of a process", "first"],
  ["the same in processor time", "firstCpu"],
  ["first request", "firstFetch"],
  ["further context, with its cleanup", "context"],
  ["`fetch` of a JSON route", "request"],
  ["`db` query", "database"],
  ["`withAuth` of a user who exists", "withAuth"],
] as const;

/** Measures what tests of an application cost, by the starter of this repository. */
export async function measureTestContext(): Promise<Section> {
  const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
  try {
    const root = await prepare(folder);
    progress("  in process");
    // The first start reads files that no later one has to.
    await figures(root, "process");
    const runs: Figures[] = [];
    for (let count = 0; count < 5; count++) runs.push(await figures(root, "process"));
    const inProcess = Object.fromEntries(
      Object.keys(runs[0]!).map((key) => [key, median(runs.map((run) => run[key]!))]),
    );
    progress("  in workerd");
    const workerd = await figures(root, "workerd");
    progress("  in the worker pool");
    const pool = await poolRequest(root);
    const figure = (value: number | undefined): Figure | null =>
      value === undefined ? null : { value, unit: "ms" };
    return {
      name: "test-context",
      title: "Tests of an application",
      about:
        "`createTestContext()` with the starter under Deno, in process and in workerd, and the same request in vitest's " +
        "worker pool. The wall.",
      tables: [{
        title: "Test context",
        columns: ["in process", "workerd", "worker pool"],
        rows: ROWS.map(([name, key]) => ({
          name,
          figures: [
            figure(inProcess[key]),
            figure(workerd[key]),
            key === "request" ? figure(pool) : null,
          ],
        })),
      }],
      goals: [],
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
