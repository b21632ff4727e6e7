/**
 * Measures what a request with an API key costs, beside `verifyApiKey()` of `@better-auth/api-key`: on Deno and on the
 * newest Node, with `node:sqlite`.
 *
 * Usage: `deno run -A scripts/bench/api_key_check.ts`
 *
 * Prints microseconds of CPU time: of the library for a whole request with its guard, of Better Auth for the check alone,
 * both without limits. Medians of interleaved rounds; compare the ratio, times depend on the machine.
 *
 * @module
 */

import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { bundleEntries } from "../../tests/support/bundle.ts";
import { findNodes } from "../../tests/support/node.ts";
import { installNpmPackages } from "../../tests/support/npm_packages.ts";
import { run } from "../run_command.ts";
import { ratioOf, type Timing } from "./rounds.ts";

// The two want different versions of a package that both depend on.
process.env.npm_config_legacy_peer_deps = "true";
const versions = { "better-auth": "1.7.25", "@better-auth/api-key": "1.7.5" };
const modules = await installNpmPackages(versions);
const installed = dirname(modules);
// Deno resolves packages as Node does beside a package.json alone.
await Deno.writeTextFile(
  join(installed, "package.json"),
  JSON.stringify({ private: true, dependencies: versions }),
);
const program = join(installed, "api_key_in_process.mjs");
try {
  const [output] = await bundleEntries([
    fileURLToPath(new URL("api_key_in_process.ts", import.meta.url)),
  ]);
  await Deno.writeTextFile(program, output!.text);
  const { newest } = await findNodes();
  const commands: [string, string, string[]][] = [
    ["Node", newest, [program, modules]],
    ["Deno", Deno.execPath(), ["run", "-A", "--node-modules-dir=manual", program, modules]],
  ];
  for (const [runtime, command, args] of commands) {
    const { timings: [own, other], passed } = JSON.parse(
      (await run(command, args, { cwd: installed })).stdout,
    ) as { timings: [Timing, Timing]; passed: number[] };
    process.stdout.write(
      `${runtime}: ${own.microseconds.toFixed(1)} µs a request, Better Auth ${
        other.microseconds.toFixed(1)
      } µs a check (${ratioOf(other, own).toFixed(1)}×); of 100 at once with a limit of five pass ${
        passed.join(" and ")
      }\n`,
    );
  }
} finally {
  await Deno.remove(program);
}
