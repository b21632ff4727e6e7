/**
 * Runs the checks of the source and every test: `deno test` processes of some files each, side by side, each of
 * which has a limit, so that one hung test does not take the run with it.
 *
 * Usage: `deno task test [--all] [--times] [PATHS]`; `deno task ok` is `--quick`
 *
 * With paths, only their tests and examples run, and only their types are checked. `--quick` leaves out the tests
 * across packages and those in workerd. `--all` adds the matrix: old versions, and frameworks and drivers that take
 * minutes to install. `--times` lists the processes that took the most processor time (Linux), and a run of everything
 * then writes `scripts/test_seconds.json`, by which the next ones begin with the longest. With `CI=true` a skipped test has
 * failed, unless its name says in `[unavoidable: …]` why it cannot run there.
 *
 * @module
 */

import { DOMParser } from "linkedom";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { authenticatorsHint, ensureAuthenticators } from "./authenticators.ts";
import {
  chromiumHint,
  ensureChromium,
  ensureWholeChromium,
  wholeChromiumHint,
} from "./chromium.ts";
import { readExamples } from "./examples.ts";
import { ensureMariadb, mariadbHint } from "./mariadb.ts";
import { type Cost, planProcesses, STARTS_WORKERD, writeTimes } from "./plan_processes.ts";
import { ensurePostgres, postgresHint } from "./postgres.ts";
import { capture } from "./run_command.ts";
import { ensureShells, shellsHint } from "./shells.ts";
import { ensureValkey, valkeyHint } from "./valkey.ts";
import { listFiles, readJson, repositoryRoot } from "./workspace.ts";

/** Outcome of tests: how many passed, with their steps, and a line for each that did not. */
export class Outcome {
  passed = 0;
  failures: string[] = [];
  skips: string[] = [];
  /** Files of which the report tells. */
  files: Set<string> = new Set();
  /** True when a test was ended before it was done, or something outside of the tests failed. */
  cut = false;
  /** Seconds after which the process was ended, when it was. */
  late: number | undefined;

  /** Takes in what became of other tests. */
  add({ passed, failures, skips, files }: Outcome): void {
    this.passed += passed;
    this.failures.push(...failures);
    this.skips.push(...skips);
    for (const file of files) this.files.add(file);
  }
}

/** Bounds of a run. */
export interface Bounds {
  /** Folder from which files are named. Default: the repository. */
  cwd?: string;
  /**
   * Seconds after which a process is ended with all that it started. Default: 600, more than twice what the slowest
   * takes on a loaded machine; 900 with the matrix, which installs frameworks.
   */
  limit?: number | undefined;
}

const running = new Set<number>();

function signal(groups: Iterable<number>, name: Deno.Signal): void {
  for (const group of groups) {
    try {
      Deno.kill(-group, name);
    } catch {
      // Nothing of the group is left.
    }
  }
}

/** The groups of a process and of its descendants: a browser has one of its own. */
async function groupsOf(pid: number): Promise<Set<number>> {
  const { stdout } = await capture("ps", ["-A", "-o", "pid=,ppid=,pgid="]);
  const processes = stdout.trim().split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const [tree, groups] = [[pid], new Set([pid])];
  for (const member of tree) {
    for (const [child, parent, group] of processes) {
      if (parent !== member) continue;
      tree.push(child!);
      groups.add(group!);
    }
  }
  return groups;
}

/** Processor time of each process. */
const costs: Cost[] = [];
let spent = 0;

/** Processor time of all processes that have ended, in seconds; 0 where there is no /proc to ask. */
async function spentByChildren(): Promise<number> {
  const text = await Deno.readTextFile("/proc/self/stat").catch(() => null);
  if (text === null) return 0;
  // After the name in brackets: cutime and cstime, in hundredths of a second.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** The processes that took the most processor time, as lines, with the sum of all. */
export function dearest(all: readonly Cost[], count = 25): string[] {
  const sum = all.reduce((seconds, one) => seconds + one.seconds, 0);
  return [
    `Processor time: ${sum.toFixed(1)} s, of which the most:`,
    ...all.toSorted((a, b) => b.seconds - a.seconds).slice(0, count)
      .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`),
  ];
}

/**
 * Environment of the processes: esbuild and TypeScript 7, both in Go, spend less of a short life on collecting garbage.
 */
const ENVIRONMENT = { GOGC: "400" };

/** End of a process. */
interface End {
  code: number;
  /** Everything that it wrote. */
  output: string;
  /** Seconds after which it was ended, when it was. */
  late: number | undefined;
}

/** Runs Deno as a process group, of which nothing is left afterwards, and prints what it wrote. */
async function deno(name: string, args: string[], bounds: Bounds): Promise<End> {
  const { cwd = repositoryRoot, limit = process.env.TEST_MATRIX === "true" ? 900 : 600 } = bounds;
  const streams = { stdin: "null", stdout: "piped", stderr: "piped" } as const;
  const options = { args, cwd, env: ENVIRONMENT, detached: true, ...streams };
  const child = new Deno.Command(Deno.execPath(), options).spawn();
  running.add(child.pid);
  let groups = new Set([child.pid]);
  let late: number | undefined;
  let timer = setTimeout(async () => {
    late = limit;
    groups = await groupsOf(child.pid);
    // Interrupted, `deno test` names what is pending and reports the rest.
    signal([child.pid], "SIGINT");
    timer = setTimeout(() => signal(groups, "SIGKILL"), 10_000);
  }, limit * 1000);
  const output: string[] = [];
  const reading = Promise.all(
    [child.stdout, child.stderr].map((stream) =>
      stream.pipeThrough(new TextDecoderStream())
        .pipeTo(new WritableStream({ write: (text) => void output.push(text) }))
    ),
  );
  const { code } = await child.status;
  const until = await spentByChildren();
  costs.push({ name, seconds: until - spent });
  spent = until;
  clearTimeout(timer);
  signal(groups, "SIGKILL");
  running.delete(child.pid);
  // What left the group may hold the pipes open.
  await Promise.race([reading, new Promise((resolve) => timer = setTimeout(resolve, 5000))]);
  clearTimeout(timer);
  process.stdout.write(output.join(""));
  return { code, output: output.join(""), late };
}

/** Runs a command of Deno that counts as one test. */
async function check(name: string, args: string[]): Promise<Outcome> {
  const outcome = new Outcome();
  const { code, late } = await deno(name, args, {});
  if (late !== undefined) outcome.failures.push(`${name}: hung, and was ended after ${late} s`);
  else if (code === 0) outcome.passed++;
  else outcome.failures.push(`${name}: exit code ${code}`);
  return outcome;
}

/** The first line of the error of each file that no test has caught: it cancels those of the file that are left. */
function uncaughtErrors(output: string): Map<string, string> {
  // deno-lint-ignore no-control-regex -- the colors of a terminal
  const plain = output.replace(/\x1b\[[0-9;]*m/g, "");
  const found = plain.matchAll(/^(?:\.\/)?(.+) \(uncaught error\)\nerror: (.*)$/gm);
  return new Map([...found].map(([, file, error]) => [file!, error!]));
}

/** Tests of a file that stood behind one that was ended. */
type Left = Map<string, string[]>;

/**
 * Message of a failure, with the lines that it came from.
 *
 * A test that fails once in many runs is found by the values that it saw.
 *
 * @param trace Its message once more, with the lines it came from and with its causes.
 */
function whatItSaid(fault: string, trace: string, cwd: string): string[] {
  const said = fault.split("\n").filter((line) => line.trim() !== "");
  const from = trace.split("\n")
    .filter((line) => /^\s+at .*file:|^Caused by: /.test(line) && !line.includes("/node_modules/"))
    .map((line) => line.trim().replaceAll(`${pathToFileURL(cwd).href}/`, ""));
  return [...said.slice(0, 12), ...from.slice(0, 6)];
}

/**
 * Runs `deno test` once, and reads its report.
 *
 * @param only Names of the tests to report. Default: all.
 */
async function testOnce(
  name: string,
  args: string[],
  bounds: Bounds,
  only?: ReadonlySet<string>,
): Promise<{ outcome: Outcome; left: Left }> {
  const outcome = new Outcome();
  const left: Left = new Map();
  const report = await Deno.makeTempFile({ prefix: "framework-report-" });
  try {
    const { code, output, late } = await deno(
      name,
      ["test", "-A", "--no-check", `--junit-path=${report}`, ...args],
      bounds,
    );
    const errors = uncaughtErrors(output);
    const xml = new DOMParser().parseFromString(await Deno.readTextFile(report), "text/html");
    const found = [...xml.querySelectorAll("testcase")].map((element) => ({
      file: element.getAttribute("classname")!.replace(/^\.\//, ""),
      test: element.getAttribute("name")!,
      fault: element.querySelector("failure, error")?.getAttribute("message")?.trim(),
      trace: element.querySelector("failure, error")?.textContent ?? "",
      isSkipped: element.querySelector("skipped") !== null,
      // Only what stood behind a test that hung has no time, and a step within it.
      isReached: element.getAttribute("time") !== null,
    }));
    for (const { file } of found) outcome.files.add(file);
    /** The test of each file that was ended. */
    const ended = new Map<string, string>();
    for (const { file, test, fault } of found) {
      if (fault === "Cancelled" && !ended.has(file)) ended.set(file, test);
    }
    const isStepOf = (test: string, whole: string) => test.startsWith(`${whole} > `);
    for (const { file, test, fault, trace, isSkipped, isReached } of found) {
      if (only && ![...only].some((whole) => test === whole || isStepOf(test, whole))) continue;
      const title = `${file}: ${test}`;
      const stopped = ended.get(file);
      // Its step tells why.
      if (/^\d+ test steps? failed/.test(fault ?? "")) continue;
      if (test === stopped) {
        outcome.cut = true;
        const step = found.findLast((other) =>
          other.file === file && isStepOf(other.test, test) && !other.isReached
        );
        const within = step ? `, in its step ${step.test.slice(test.length + 3)}` : "";
        const why = late === undefined
          ? `was cancelled by an error outside of the tests: ${errors.get(file) ?? `code ${code}`}`
          : `hung${within}, and was ended after ${late} s of its process`;
        outcome.failures.push(`${title}\n    ${why}`);
      } else if (fault === "Cancelled" || !isReached) {
        if (stopped === undefined || !isStepOf(test, stopped)) {
          left.set(file, [...left.get(file) ?? [], test]);
        }
      } else if (fault !== undefined) {
        const told = whatItSaid(fault, trace, bounds.cwd ?? repositoryRoot);
        outcome.failures.push(`${title}\n    ${told.join("\n    ")}`);
      } else if (isSkipped) outcome.skips.push(title);
      else outcome.passed++;
    }
    for (const test of only ?? []) {
      const [file] = args as [string];
      if (!found.some((one) => one.test === test)) left.set(file, [...left.get(file) ?? [], test]);
    }
    outcome.late = late;
    const outside = [...errors]
      .filter(([file]) => outcome.files.has(file) && !ended.has(file))
      .map(([, error]) => error);
    const what = outside.length > 0
      ? `an error outside of its tests: ${outside.join("; ")}`
      : late !== undefined && found.length > 0 && ended.size === 0
      ? `hung outside of its tests, and was ended after ${late} s`
      : code !== 0 && found.length > 0 && outcome.failures.length === 0
      ? `exit code ${code} outside of its tests`
      : undefined;
    if (what !== undefined) {
      outcome.cut = true;
      outcome.failures.push(`${name}: ${what}`);
    }
  } finally {
    await Deno.remove(report);
  }
  return { outcome, left };
}

/** Runs `deno test`. Tests that stood behind one that was ended run again, without it, once. */
async function test(name: string, args: string[], bounds: Bounds): Promise<Outcome> {
  const { outcome, left } = await testOnce(name, args, bounds);
  // Tests of a file alone are its own, whichever helper registers them.
  if (args.length === 1 && outcome.files.size > 0) outcome.files.add(args[0]!);
  for (const [file, tests] of left) {
    const names = tests.map((test) => test.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    const again = await testOnce(
      `${file}, what was left of it`,
      [file, `--filter=/^(?:${names.join("|")})$/`],
      bounds,
      new Set(tests),
    );
    outcome.add(again.outcome);
    for (const missing of [...again.left.values()].flat()) {
      outcome.failures.push(`${file}: ${missing}\n    was not reached`);
    }
  }
  return outcome;
}

/** Runs the tests of some files in one isolate. When one of the files ends that, each runs alone. */
async function testShared(files: readonly string[], bounds: Bounds): Promise<Outcome> {
  const name = files.join(", ");
  const folder = await Deno.makeTempDir({ prefix: "framework-shared-" });
  try {
    const entry = join(folder, "shared_test.ts");
    const urls = files.map((file) => pathToFileURL(join(bounds.cwd ?? repositoryRoot, file)));
    await Deno.writeTextFile(entry, urls.map((url) => `import "${url}";\n`).join(""));
    const config = join(repositoryRoot, "deno.json");
    const { outcome } = await testOnce(name, ["--config", config, entry], bounds);
    if (!outcome.cut) return outcome;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  const alone = new Outcome();
  for (const file of files) alone.add(await test(file, [file], bounds));
  if (alone.failures.length === 0) {
    alone.failures.push(`${name}: failed together, though each of them passes alone`);
  }
  return alone;
}

/** Runs jobs side by side, one more than there are processors and at most six, because many wait: more get into each other's way. */
async function sideBySide(jobs: (() => Promise<Outcome>)[]): Promise<Outcome> {
  const sum = new Outcome();
  async function work(): Promise<void> {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) sum.add(await job());
  }
  const workers = Math.min(6, availableParallelism() + 1);
  await Promise.all(Array.from({ length: workers }, work));
  return sum;
}

/** Runs jobs and the tests of some files. A file whose process ended before its turn runs again, alone. */
export async function runTests(
  files: string[],
  { before = [], ...bounds }: Bounds & { before?: (() => Promise<Outcome>)[] } = {},
): Promise<Outcome> {
  const outcome = await sideBySide([
    ...before,
    ...(await planProcesses(files, bounds.cwd)).map(({ files: some, shared }) => () =>
      shared ? testShared(some, bounds) : test(some.join(", "), some, bounds)
    ),
  ]);
  const left = files.filter((file) => !outcome.files.has(file));
  outcome.add(
    await sideBySide(left.map((file) => async () => {
      const alone = await test(file, [file], bounds);
      const end = alone.late === undefined ? "" : `, and it was ended after ${alone.late} s`;
      if (alone.files.size === 0) alone.failures.push(`${file}: no test of it was reported${end}`);
      return alone;
    })),
  );
  return outcome;
}

/** The files with tests, and those with examples, below some paths, without what `deno.json` excludes. */
export async function findTested(
  paths: string[],
): Promise<{ tests: string[]; examples: string[] }> {
  const config = await readJson(join(repositoryRoot, "deno.json")) as {
    exclude: string[];
    test: { exclude: string[] };
  };
  const excluded = [".git/", ...config.exclude, ...config.test.exclude];
  const isIncluded = (path: string) =>
    !/(?:^|\/)node_modules\//.test(path) && !excluded.some((prefix) => path.startsWith(prefix));
  const all = await listFiles(repositoryRoot, (folder) => isIncluded(`${folder}/`));
  const chosen = all.filter(isIncluded).filter((file) =>
    paths.some((path) =>
      path === "." || `${file}/`.startsWith(`${path.replace(/^\.\/|\/$/g, "")}/`)
    )
  );
  const isTest = (file: string) => /_test\.tsx?$/.test(file);
  const examples: string[] = [];
  for (const file of chosen.filter((file) => /\.(?:[jt]sx?|md)$/.test(file) && !isTest(file))) {
    const text = await Deno.readTextFile(join(repositoryRoot, file));
    if (readExamples(text, { markdown: file.endsWith(".md") }).length > 0) examples.push(file);
  }
  return { tests: chosen.filter(isTest), examples };
}

/** Those of the files that start no workerd themselves: starting one takes as long as ten files of other tests. */
export async function withoutWorkerd(files: readonly string[]): Promise<string[]> {
  const quick: string[] = [];
  for (const file of files) {
    const text = await Deno.readTextFile(join(repositoryRoot, file));
    if (!STARTS_WORKERD.test(text)) quick.push(file);
  }
  return quick;
}

/** Those of the files that have more cases in the matrix. */
async function withMatrix(files: readonly string[]): Promise<string[]> {
  const more: string[] = [];
  for (const file of files) {
    const text = await Deno.readTextFile(join(repositoryRoot, file));
    if (/from ".*\/support\/matrix\.ts"/.test(text)) more.push(file);
  }
  return more;
}

async function main(): Promise<Outcome> {
  const { values, positionals } = parseArgs({
    options: {
      all: { type: "boolean" },
      quick: { type: "boolean" },
      times: { type: "boolean" },
    },
    allowPositionals: true,
  });
  if (values.all) process.env.TEST_MATRIX = "true";
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const hints: string[] = [];
  if (!values.quick) {
    if (!await ensureChromium(say)) hints.push(chromiumHint);
    if (!await ensureWholeChromium(say)) hints.push(wholeChromiumHint);
    if (!await ensurePostgres(say)) hints.push(postgresHint);
    if (!await ensureMariadb(say)) hints.push(mariadbHint);
    if (!await ensureShells(say)) hints.push(shellsHint);
    if (!await ensureValkey(say)) hints.push(valkeyHint);
    if (!await ensureAuthenticators(say)) hints.push(authenticatorsHint);
  }
  const source = ["mod.ts", "auth", "cli", "testing", "scripts"];
  const documents = ["docs", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
  const everything = [...source, ...documents, ...(values.quick ? [] : ["tests"])];
  const whole = positionals.length === 0;
  const { tests: found, examples } = await findTested(whole ? everything : positionals);
  const tests = values.quick && whole ? await withoutWorkerd(found) : found;
  const written = examples.filter((file) => file.endsWith(".md"));
  const types = whole ? [".", ...written] : [...tests, ...examples];
  const jobs = [() => check("types", ["check", "--quiet", "--doc", ...types])];
  if (whole) {
    const publish = ["publish", "--dry-run", "--allow-dirty", "--quiet", "--no-check"];
    jobs.push(
      () => check("format", ["fmt", "--check"]),
      () => check("lint", ["lint", "--quiet"]),
      () => check("publish dry run", publish),
    );
  }
  if (examples.length > 0) {
    const program = ["scripts/run_examples.ts", "--", ...examples];
    jobs.push(() => test("examples", program, {}));
  }
  const outcome = await runTests(tests, { before: jobs });
  const skipped = outcome.skips.length > 0 ? [...outcome.skips, ...hints] : ["nothing"];
  say(`Skipped:\n  ${skipped.join("\n  ")}`);
  if (process.env.CI === "true") {
    const avoidable = outcome.skips.filter((title) => !/\[unavoidable: [^\]]+\]/.test(title));
    outcome.failures.push(...avoidable.map((title) => `${title}\n    is skipped, with CI=true`));
  }
  if (values.times) say(dearest(costs).join("\n"));
  if (values.times && whole && !values.quick && !values.all) await writeTimes(costs);
  if (outcome.failures.length > 0) say(`Failed:\n  ${outcome.failures.join("\n  ")}`);
  if (!values.all) {
    const files = await withMatrix(tests);
    say(
      `Without the matrix, which --all runs: more versions, drivers, frameworks and rounds of what ` +
        `has one case here, in\n  ${files.join("\n  ")}`,
    );
  }
  say(`${outcome.passed} passed, ${outcome.failures.length} failed`);
  return outcome;
}

if (import.meta.main) {
  Deno.addSignalListener("SIGINT", () => {
    signal(running, "SIGKILL");
    Deno.exit(130);
  });
  const { passed, failures } = await main();
  Deno.exit(passed > 0 && failures.length === 0 ? 0 : 1);
}
