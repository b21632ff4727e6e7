/**
 * Measures what tests of an application cost, by the starter of this repository: the first context of a
 * process, further ones, a request for JSON, in process and in workerd, and the same request in vitest's worker
 * pool.
 *
 * `deno run -A scripts/bench/test_context.ts`
 *
 * @module
 */

import { join } from "node:path";
import { findNodes } from "../../tests/support/node.ts";
import { buildPackages } from "../npm.ts";
import { capture } from "../run_command.ts";
import { initApplication, installPackages } from "../scaffold.ts";

/** Runs in the application, with its installed packages. */
const PROGRAM = `
const started = performance.now();
const { createTestContext } = await import("@framework/testing");
const imported = performance.now();
const runtime = process.argv[2];
const first = await createTestContext({ runtime });
const ready = performance.now();
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

const build = await buildPackages({ gate: false });
const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
try {
  const root = join(folder, "my-app");
  await initApplication(root);
  await installPackages(root, build);
  await Deno.mkdir(join(root, "app", "api", "bench"), { recursive: true });
  await Deno.writeTextFile(
    join(root, "app", "api", "bench", "route.ts"),
    "export const GET = () => ({ hello: 'world' });\n",
  );
  await Deno.writeTextFile(join(root, "bench.mjs"), PROGRAM);
  await Deno.writeTextFile(join(root, "vitest.pool.config.ts"), POOL_CONFIG);
  await Deno.writeTextFile(join(root, "bench.pool.ts"), POOL_TEST);
  // The first start reads files that no later one has to.
  await figures(root, "process");
  const runs = [await figures(root, "process"), await figures(root, "process")];
  const inProcess = runs.sort((a, b) => a["first"]! - b["first"]!)[0]!;
  const workerd = await figures(root, "workerd");
  const pool = await poolRequest(root);
  const text = (value: number | undefined) =>
    typeof value === "number" ? `${value.toFixed(value < 10 ? 2 : 0)} ms` : "–";
  const rows = [
    ["import of the package", "import"],
    ["first context of a process", "first"],
    ["first request", "firstFetch"],
    ["further context, with its cleanup", "context"],
    ["`fetch` of a JSON route", "request"],
    ["`db` query", "database"],
    ["`withAuth` of a user who exists", "withAuth"],
  ] as const;
  // deno-lint-ignore no-console -- what the program is for.
  console.log(
    [
      "| | in process | workerd | worker pool |",
      "| --- | --- | --- | --- |",
      ...rows.map(([name, key]) =>
        `| ${name} | ${text(inProcess[key])} | ${text(workerd[key])} | ${
          key === "request" ? text(pool) : "–"
        } |`
      ),
    ].join("\n"),
  );
} finally {
  await Deno.remove(folder, { recursive: true });
}
