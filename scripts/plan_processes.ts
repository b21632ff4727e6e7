// Which test files share a process of `deno test`, and in which order the processes start.
import { dirname, join } from "node:path";
import { repositoryRoot } from "./workspace.ts";

/** Files of one process that each have an isolate of their own. */
const TOGETHER = 8;

/** Files of one process that share an isolate. */
const SHARED = 24;

/** Files across packages, of one folder, that share an isolate: what they load takes 1 s, and 2 s with Chromium. */
const NEIGHBOURS = 4;

/** Tests in Chromium, which share it. None of them counts what its program still does when it ends. */
const BROWSER = /from "\.\.\/support\/browser\.ts"/;

/** Tests that start workerd themselves, or by a helper for it. */
export const STARTS_WORKERD: RegExp = /from "(?:miniflare|.*in_workerd\.ts)"/;

/** Tests that start workerd or esbuild, whose ends come after their test's own and would be counted to the next one. */
const OUTLIVES_ITS_TEST = new RegExp(
  `${STARTS_WORKERD.source}|from "esbuild"|\\bruntime\\b.*"workerd"`,
);

/** Tests that the file registers itself: the report names the file that does. */
const REGISTERS = /\bDeno\.test\b/;

/** File with the seconds of processor time of those test files that take the most. */
const TIMES = "scripts/test_seconds.json";

/** Seconds of a file that is not in there, by what else is in its process. */
const USUAL = { across: 4, own: 2, shared: 0.5 };

/** Files of one process of `deno test`. */
export interface Process {
  files: string[];
  /** True when they load the modules that they test once, in one isolate, which saves 0.2 s for each file. */
  shared: boolean;
}

/**
 * The files of each process, in the order in which these start, the longest first. A test across packages that takes up
 * to minutes, or starts workerd, has a process of its own; the others share one with some of their folder, and those
 * beside their sources with many.
 */
export async function planProcesses(
  files: readonly string[],
  cwd: string = repositoryRoot,
): Promise<Process[]> {
  const seconds: Record<string, number> = await readTimes(cwd);
  const [own, shared]: [string[], string[]] = [[], []];
  const neighbours = new Map<string, string[]>();
  const processes: Process[] = [];
  const costOf = ({ files, shared }: Process) => {
    const beside = shared ? USUAL.shared : files.length > 1 ? USUAL.own : USUAL.across;
    return files.reduce(
      (sum, file) => sum + (seconds[file] ?? (file.startsWith("tests/") ? USUAL.across : beside)),
      0,
    );
  };
  for (const file of files) {
    const text = await Deno.readTextFile(join(cwd, file));
    const isAcross = file.startsWith("tests/");
    const inBrowser = BROWSER.test(text);
    const outlives = OUTLIVES_ITS_TEST.test(text);
    const isAlone = isAcross && (file in seconds || (outlives && !inBrowser));
    if (isAlone || !REGISTERS.test(text)) processes.push({ files: [file], shared: false });
    else if (isAcross) {
      const place = `${dirname(file)} ${inBrowser}`;
      neighbours.set(place, [...neighbours.get(place) ?? [], file]);
    } else (outlives ? own : shared).push(file);
  }
  for (const files of neighbours.values()) {
    while (files.length > 0) processes.push({ files: files.splice(0, NEIGHBOURS), shared: true });
  }
  while (own.length > 0) processes.push({ files: own.splice(0, TOGETHER), shared: false });
  while (shared.length > 0) processes.push({ files: shared.splice(0, SHARED), shared: true });
  return processes.sort((a, b) => costOf(b) - costOf(a));
}

async function readTimes(cwd: string): Promise<Record<string, number>> {
  const text = await Deno.readTextFile(join(cwd, TIMES)).catch(() => "{}");
  return JSON.parse(text) as Record<string, number>;
}

/** Processor time of a process with all that it waited for. */
export interface Cost {
  /** Its files. */
  name: string;
  seconds: number;
}

/** Writes the times of the files that have a process each and take more than usual, by name. */
export async function writeTimes(costs: readonly Cost[]): Promise<void> {
  const dear = costs.filter(({ name, seconds }) =>
    /^tests\/\S+$/.test(name) && seconds >= 2 * USUAL.across
  );
  const sorted = dear.map(({ name, seconds }) => [name, Math.round(seconds)] as const).sort();
  const text = JSON.stringify(Object.fromEntries(sorted), null, 2);
  await Deno.writeTextFile(join(repositoryRoot, TIMES), `${text}\n`);
}
