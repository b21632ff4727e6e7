/**
 * Runs one part of the tests in a process of its own, which may not hang for ever.
 *
 * @module
 */

import { join } from "node:path";
import { killTree } from "./process_tree.ts";
import { readReport, type TestReport } from "./test_report.ts";
import type { Shard } from "./test_shards.ts";
import { repositoryRoot } from "./workspace.ts";

/** What a program did in the time that it had. */
export interface LimitedRun {
  code: number;
  /** What it wrote on stdout and stderr, in the order in which it came. */
  output: string;
  /** Whether it was ended, with all its children, because its time was over. */
  timedOut: boolean;
}

const MINUTE = 60_000;

/** How long a part may take: many times of what the slowest one takes on a slow machine. */
export const shardLimit: number = 25 * MINUTE;

/** Runs Deno until it ends, or until its time is over. */
export async function runLimited(
  args: string[],
  { limit, cwd = repositoryRoot }: { limit: number; cwd?: string },
): Promise<LimitedRun> {
  const child = new Deno.Command(Deno.execPath(), {
    args,
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    void killTree(child.pid);
  }, limit);
  const chunks: string[] = [];
  const readers = [child.stdout, child.stderr].map((stream) =>
    stream.pipeThrough(new TextDecoderStream()).getReader()
  );
  const reading = Promise.all(readers.map(async (reader) => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      chunks.push(read.value);
    }
  }));
  const { code } = await child.status;
  clearTimeout(timer);
  // A grandchild that outlives the program may hold its output open.
  const patience = setTimeout(() => readers.forEach((reader) => void reader.cancel()), 5000);
  await reading;
  clearTimeout(patience);
  return { code, output: chunks.join("").trimEnd(), timedOut };
}

/** Runs tests or examples, whose types `deno check --doc` has seen. */
export async function runShard(
  { name, files, examples = false }: Pick<Shard, "name" | "files" | "examples">,
  { limit = shardLimit }: { limit?: number } = {},
): Promise<{ report: TestReport; output: string }> {
  const folder = await Deno.makeTempDir({ prefix: "framework-test-" });
  const junit = join(folder, "report.xml");
  try {
    const tested = examples ? ["scripts/run_examples.ts", "--", ...files] : files;
    const args = ["test", "-A", "--no-check", `--junit-path=${junit}`, ...tested];
    const { code, output, timedOut } = await runLimited(args, { limit });
    const report = readReport(await Deno.readTextFile(junit).catch(() => ""), code);
    if (report.passed + report.failed + report.skipped.length === 0) {
      report.failed = 1;
      report.failures.push({ file: name, name: files.join(" "), message: "ran no test" });
    }
    if (report.failed > 0 && report.failures.length === 0) {
      const message = timedOut
        ? `did not end in ${limit / MINUTE} minutes, and was ended with its children`
        : `ended with exit code ${code} outside of its tests`;
      report.failures.push({ file: name, name: files.join(" "), message });
    }
    return { report, output };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
