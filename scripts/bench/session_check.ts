/**
 * Measures what a signed-in request costs, beside the same check written by hand: on Deno, on the newest
 * Node and in workerd.
 *
 * Usage: `deno run -A scripts/bench/session_check.ts`
 *
 * Prints microseconds for one check (medians of interleaved rounds; of CPU time on Deno and Node, of the
 * wall in workerd) and the ratios that matter: of each the median of the rounds, in which both were measured one
 * after the other. Compare ratios; times depend on the machine. The exit code is 1 when a ratio is above its goal.
 *
 * @module
 */

import { Miniflare } from "miniflare";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { bundleEntries } from "../../tests/support/bundle.ts";
import { findNodes } from "../../tests/support/node.ts";
import { run } from "../run_command.ts";
import { ratioOf, type Timing } from "./rounds.ts";

interface Report {
  sqlite?: Timing[];
  d1?: Timing[];
  queries?: number;
  jwt: Timing[];
}

const LIBRARY = "the library: readSession()";
const GOALS = { sqlite: 2, d1: 1.1, jwt: 1.5 } as const;

async function bundle(file: string): Promise<string> {
  const [output] = await bundleEntries([fileURLToPath(new URL(file, import.meta.url))]);
  return output!.text;
}

async function inProcess(command: string, args: string[]): Promise<Report> {
  return JSON.parse((await run(command, args)).stdout) as Report;
}

async function inWorker(): Promise<Report> {
  const miniflare = new Miniflare({
    modules: true,
    script: await bundle("in_worker.ts"),
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    d1Databases: { DB: "auth" },
  });
  try {
    const response = await miniflare.dispatchFetch("http://localhost/");
    if (!response.ok) throw new Error(await response.text());
    return await response.json() as Report;
  } finally {
    await miniflare.dispose();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints one table and returns how many times the best check by hand the library takes. */
function compare(title: string, timings: Timing[]): number {
  print(`\n${title}`);
  const byHand = timings.filter(({ name }) => name.startsWith("by hand:"));
  const floor = byHand.reduce((a, b) => a.microseconds <= b.microseconds ? a : b);
  for (const timing of timings) {
    const { name, microseconds, noise } = timing;
    const ratio = ratioOf(timing, floor).toFixed(2);
    const spread = `±${(noise * 100).toFixed(1)} %`;
    print(
      `  ${microseconds.toFixed(2).padStart(8)} µs  ${ratio.padStart(5)}×  ${
        spread.padStart(8)
      }  ${name}`,
    );
  }
  return ratioOf(timings.find(({ name }) => name === LIBRARY)!, floor);
}

const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
try {
  const program = join(folder, "in_process.mjs");
  await Deno.writeTextFile(program, await bundle("in_process.ts"));
  const { newest } = await findNodes();
  const reports: [string, Report][] = [
    ["Deno", await inProcess(Deno.execPath(), ["run", "-A", "--no-config", program])],
    ["Node", await inProcess(newest, [program])],
    ["workerd", await inWorker()],
  ];
  let missed = 0;
  for (const [runtime, { sqlite, d1, jwt, queries }] of reports) {
    for (const [kind, timings] of Object.entries({ sqlite, d1, jwt })) {
      if (timings === undefined) continue;
      const goal = GOALS[kind as keyof typeof GOALS];
      const ratio = compare(`${runtime}, ${kind}: at most ${goal}×`, timings);
      if (ratio > goal) {
        missed++;
        print(`  above the goal: ${ratio.toFixed(2)}×`);
      }
    }
    if (queries !== undefined) {
      print(`  queries of one check: ${queries}`);
      if (queries !== 1) missed++;
    }
  }
  Deno.exitCode = missed === 0 ? 0 : 1;
} finally {
  await Deno.remove(folder, { recursive: true });
}
