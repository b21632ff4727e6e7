/**
 * Measures what a check of a session that is bound to its device costs more than one of an ordinary session: on Deno and
 * on the newest Node.
 *
 * Usage: `deno run -A scripts/bench/device_check.ts`
 *
 * Prints microseconds of CPU time for one request that asks who is signed in, and the difference of the two: the median of
 * interleaved rounds, in which both were measured one after the other. The exit code is 1 when it is above the goal.
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { bundleEntries } from "../../tests/support/bundle.ts";
import { findNodes } from "../../tests/support/node.ts";
import { run } from "../run_command.ts";
import type { Timing } from "./rounds.ts";

const GOAL = 2;

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
try {
  const [output] = await bundleEntries([
    fileURLToPath(new URL("device_in_process.ts", import.meta.url)),
  ]);
  const program = join(folder, "device_in_process.mjs");
  await Deno.writeTextFile(program, output!.text);
  const { newest } = await findNodes();
  const commands: [string, string, string[]][] = [
    ["Deno", Deno.execPath(), ["run", "-A", "--no-config", program]],
    ["Node", newest, [program]],
  ];
  let isMissed = false;
  for (const [runtime, command, args] of commands) {
    const timings = JSON.parse((await run(command, args)).stdout) as [Timing, Timing];
    const [plain, bound] = timings;
    const more = median(bound.measured.map((time, round) => time - plain.measured[round]!));
    isMissed ||= more > GOAL;
    const [first, second] = timings.map(({ microseconds }) => microseconds.toFixed(2));
    process.stdout.write(
      `${runtime}: ${first} µs without, ${second} µs bound: +${
        more.toFixed(2)
      } µs (goal ${GOAL})\n`,
    );
  }
  Deno.exitCode = isMissed ? 1 : 0;
} finally {
  await Deno.remove(folder, { recursive: true });
}
