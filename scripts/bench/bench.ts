/**
 * Measures this library beside its peers and beside what one would write by hand, and prints the report in Markdown.
 *
 * Usage: `deno task bench [section …] [--rounds N] [--users N] [--write]`
 *
 * Without a section all are measured but `scale`, which takes a quarter of an hour; `scale` makes a million users
 * (`--users`) with five sessions each before it measures. Contenders do the same work in interleaved
 * rounds, each in a process (in workerd: an isolate) of its own; the figures are medians. Compare ratios: times depend
 * on the machine, and on what else it does. `--write` puts the sections into `docs/benchmarks.md`,
 * and the summary into `README.md`. The peers
 * are pinned in `scripts/bench/peers` and installed for the benchmark alone. The exit code is 1 when a goal was missed.
 *
 * @module
 */

import { createRequire } from "node:module";
import os from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { findNodes } from "../../tests/support/node.ts";
import { run } from "../run_command.ts";
import { repositoryRoot } from "../workspace.ts";
import { type BenchOptions, progress } from "./contest.ts";
import { NOTES } from "./notes.ts";
import { installPeers, peerVersions } from "./peers.ts";
import { isReached, renderSection, replaceSection, type Section } from "./report.ts";
import { renderSummary } from "./summary.ts";
import { measureActs } from "./sections/acts.ts";
import { measureGrowth } from "./sections/growth.ts";
import { measurePages } from "./sections/pages.ts";
import { measureInstall } from "./sections/install.ts";
import { measureIsolation } from "./sections/isolation.ts";
import { measureMemory } from "./sections/memory.ts";
import { measureScale } from "./sections/scale.ts";
import { measureRequests } from "./sections/requests.ts";
import { measureLimiter, measurePermissions } from "./sections/rules.ts";
import { measureSessions } from "./sections/sessions.ts";
import { measureSizes } from "./sections/sizes.ts";
import { measureImports, measureWorkerStarts } from "./sections/starts.ts";
import { measureRuntime } from "./sections/runtime.ts";
import { measureEdits } from "./sections/edits.ts";
import { measureCommandLine } from "./sections/command_line.ts";
import { measureTestContext } from "./sections/test_context.ts";
import { measureTypes } from "./sections/types.ts";
import { measureMints, measureOAuth, measureSignIns } from "./sections/sign_ins.ts";

const SECTIONS: Record<string, (options: BenchOptions) => Promise<Section>> = {
  sessions: measureSessions,
  mint: measureMints,
  "sign-in": measureSignIns,
  oauth: measureOAuth,
  acts: measureActs,
  permissions: measurePermissions,
  limiter: measureLimiter,
  growth: measureGrowth,
  memory: measureMemory,
  requests: measureRequests,
  starts: measureWorkerStarts,
  imports: measureImports,
  sizes: measureSizes,
  types: measureTypes,
  install: measureInstall,
  runtime: measureRuntime,
  "command-line": measureCommandLine,
  edits: measureEdits,
  pages: measurePages,
  "test-context": measureTestContext,
  isolation: measureIsolation,
  scale: measureScale,
};

/** Sections that are measured when they are named: to make their rows takes longer than all the rest. */
const BY_NAME: readonly string[] = ["scale"];

/** Machine, versions and command, so that others can compare. */
async function describeRun(command: string): Promise<string> {
  const node = (await run((await findNodes()).newest, ["--version"])).stdout.trim();
  const require = createRequire(import.meta.resolve("miniflare"));
  const { version: workerd } = require("workerd/package.json") as { version: string };
  const peers = Object.entries(await peerVersions()).map(([name, version]) => `${name} ${version}`);
  const [load] = os.loadavg();
  const gigabytes = Math.round(os.totalmem() / 2 ** 30);
  return [
    `\`${command}\` on ${new Date().toISOString().slice(0, 10)}:`,
    `${os.cpus().length} × ${
      os.cpus()[0]!.model.trim()
    }, ${gigabytes} GB, ${os.type()} ${os.release()},`,
    `load ${load!.toFixed(1)} before the run.`,
    `Node ${node.slice(1)}, Deno ${Deno.version.deno}, workerd ${workerd}; ${peers.join(", ")}.`,
  ].join("\n");
}

const DOCUMENT = join(repositoryRoot, "docs", "benchmarks.md");
const README = join(repositoryRoot, "README.md");
const MEASURED = join(repositoryRoot, "tests", "output", "bench", "report.json");

async function replaceIn(file: string, parts: readonly [string, string][]): Promise<void> {
  let document = await Deno.readTextFile(file);
  for (const [name, text] of parts) document = replaceSection(document, name, text);
  await Deno.writeTextFile(file, document);
}

/** Keeps what was measured beside the sections of earlier runs; all of them, by name. */
async function keep(sections: readonly Section[]): Promise<Map<string, Section>> {
  const text = await Deno.readTextFile(MEASURED).catch(() => "[]");
  const all = new Map((JSON.parse(text) as Section[]).map((section) => [section.name, section]));
  for (const section of sections) all.set(section.name, section);
  await Deno.writeTextFile(MEASURED, JSON.stringify([...all.values()], null, 2));
  return all;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      rounds: { type: "string", default: "12" },
      users: { type: "string", default: "1000000" },
      write: { type: "boolean" },
    },
    allowPositionals: true,
  });
  const [rounds, users] = [Number(values.rounds), Number(values.users)];
  const unknown = positionals.find((name) => !Object.hasOwn(SECTIONS, name));
  const isCount = (number: number) => Number.isInteger(number) && number > 0;
  if (unknown !== undefined || !isCount(rounds) || !isCount(users)) {
    progress(
      unknown === undefined
        ? "--rounds and --users take a whole number from 1"
        : `There is no section "${unknown}", but: ${Object.keys(SECTIONS).join(", ")}`,
    );
    process.exit(2);
  }
  const isWhole = positionals.length === 0;
  const names = isWhole
    ? Object.keys(SECTIONS).filter((name) => !BY_NAME.includes(name))
    : positionals;
  const about = await describeRun(
    ["deno task bench", ...Deno.args].join(" ").replace(" --write", ""),
  );
  const peers = await installPeers();
  process.stdout.write(`${about}\n\n`);
  const sections: Section[] = [];
  for (const name of names) {
    const started = performance.now();
    const section = await SECTIONS[name]!({ rounds, peers, users });
    sections.push(section);
    progress(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s`);
    process.stdout.write(`${renderSection(section, { notes: NOTES })}\n`);
  }
  const all = await keep(sections);
  if (values.write) {
    // Sections of an earlier run keep the machine that they were measured on.
    const texts = sections.map((section): [string, string] => {
      const text = renderSection(section, { notes: NOTES });
      return [section.name, isWhole ? text : `${text}\nMeasured by itself, ${about}`];
    });
    if (isWhole) texts.unshift(["machine", about]);
    await replaceIn(DOCUMENT, texts);
    if (isWhole) await replaceIn(README, [["summary", `${renderSummary(all)}\n\n${about}`]]);
    await run(Deno.execPath(), ["fmt", "--quiet", DOCUMENT, README], { cwd: repositoryRoot });
  }
  const missed = sections.flatMap(({ goals }) => goals.filter((goal) => !isReached(goal)));
  // Not by the end of all work: bundlers and emulators end a moment later.
  process.exit(missed.length === 0 ? 0 : 1);
}
