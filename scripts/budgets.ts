/**
 * Measures what the library adds to a worker, against the limits in `scripts/budgets.json`.
 *
 * Usage: `deno run -A scripts/budgets.ts [file]`, with `scripts/budgets.json` unless a file is named. The status is 1
 * when a bundle exceeds its budget.
 *
 * @module
 */

import * as esbuild from "esbuild";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { asInstalled } from "./as_installed.ts";
import { readJson, readWorkspace, repositoryRoot } from "./workspace.ts";

/** A limit of `scripts/budgets.json`. */
export interface Budget {
  /** Subject of the measurement. */
  about: string;
  /** File that is bundled, from the repository's root. */
  entry: string;
  /** Largest size of the minified bundle, compressed, in bytes. */
  gzipBytes: number;
  /**
   * Names that it may not have: top-level names of the library, wherever they are declared, names
   * of `features`, which stand for several of these, and packages, as `npm:jose`, or `npm:*` for
   * all.
   */
  without: string[];
  /**
   * True for a browser's bundle: what `import()` loads later is a file of its own, as every bundler for browsers
   * makes it, and does not count. Default false: one file, as workers have it.
   */
  splits?: boolean;
}

/** The hooks of `scripts/budgets.json`: what the core has for features that an application need not import. */
export interface Hooks {
  /** The most compressed bytes that all hooks together may add to a worker. */
  reserve: number;
  /** Compressed bytes of each hook, by the optional member of the contracts that it is. */
  bytes: Record<string, number>;
}

/** Measured bundle. */
export interface Measured {
  minifiedBytes: number;
  gzipBytes: number;
  /** Files that have code in the bundle, the largest first. */
  files: { path: string; bytes: number }[];
  /** Top-level names of the library that are in the bundle, and the packages of others, each as `npm:name`. */
  names: Set<string>;
}

const BUDGETS = join(repositoryRoot, "scripts", "budgets.json");

/** The document that holds all budgets. */
async function readDocument(file: string): Promise<
  Record<string, Budget> & { features: Record<string, string[]>; hooks: Hooks }
> {
  return await readJson(file) as never;
}

/** Reads the hooks and their reserve. */
export async function readHooks(): Promise<Hooks> {
  return (await readDocument(BUDGETS)).hooks;
}

/**
 * Finds hooks that are no optional member of the contracts, and a sum above the reserve.
 *
 * @param contracts Source text of the contracts.
 * @returns Sentences; none when all is well.
 */
export function judgeHooks({ reserve, bytes }: Hooks, contracts: string): string[] {
  const faults = Object.keys(bytes)
    .filter((name) => !new RegExp(`^  (?:readonly )?${name}\\?[:(]`, "m").test(contracts))
    .map((name) => `${name} is no optional member of the contracts`);
  const all = sum(Object.values(bytes));
  if (all > reserve) faults.push(`hooks have ${all} bytes, the reserve is ${reserve}`);
  return faults;
}

/**
 * Reads the budgets of bundles by name; those of imports and types are beside them. What hooks add is allowed to the
 * workers, which have the core.
 *
 * @param file Document with the budgets. Default: that of the repository.
 */
export async function readBudgets(file: string = BUDGETS): Promise<Record<string, Budget>> {
  const { features, hooks, ...budgets } = await readDocument(file);
  const added = sum(Object.values(hooks.bytes));
  return Object.fromEntries(
    Object.entries(budgets).filter(([, budget]) => "gzipBytes" in budget).map(([name, budget]) => {
      const { entry, without, gzipBytes } = budget;
      return [name, {
        ...budget,
        gzipBytes: gzipBytes + (entry.startsWith("scripts/budgets/") ? added : 0),
        without: without.flatMap((one) => features[one] ?? one),
      }];
    }),
  );
}

/** The workspace's entries as esbuild's alias option wants them: import specifier to file. */
export async function workspaceAlias(): Promise<Record<string, string>> {
  const { members } = await readWorkspace();
  return Object.fromEntries(
    members.flatMap(({ name, path, exports }) =>
      Object.entries(exports).map(([entry, file]) => [name + entry.slice(1), join(path, file)])
    ),
  );
}

const CONDITIONS = ["workerd", "worker", "browser"];

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The names of the entry's file and of those that it cannot begin without. */
export function loadedAtOnce({ outputs }: esbuild.Metafile, entry: string): string[] {
  const loaded = Object.keys(outputs).filter((name) => outputs[name]!.entryPoint === entry);
  for (const name of loaded) {
    for (const { path, kind } of outputs[name]!.imports) {
      if (kind === "import-statement" && path in outputs && !loaded.includes(path)) {
        loaded.push(path);
      }
    }
  }
  return loaded;
}

const PACKAGE = /node_modules\/(?:\.deno\/[^/]+\/node_modules\/)?((?:@[^/]+\/)?[^/]+)\//;

/**
 * Finds what a bundle that is not minified has at its top level: names of the library, and packages. A comment above
 * each module says its file. A number at the end of a name may be the bundler's, which tells equal names of two modules
 * apart: such a name counts with and without it.
 */
export function namesIn(bundle: string): Set<string> {
  const names = new Set<string>();
  let isOwn = false;
  for (const line of bundle.split("\n")) {
    const file = /^\/\/ ([\w@+./-]+\.[jt]sx?)$/.exec(line)?.[1];
    if (file !== undefined) {
      const name = PACKAGE.exec(file)?.[1];
      isOwn = name === undefined;
      if (name !== undefined) names.add("npm:*").add(`npm:${name}`);
    }
    const name = /^(?:async )?(?:function\*?|class|var|let|const) ([\w$]+)/.exec(line)?.[1];
    if (isOwn && name !== undefined) names.add(name).add(name.replace(/\d+$/, ""));
  }
  return names;
}

/** Entry to bundle, into one file or several. */
type Bundle = Pick<Budget, "entry" | "splits">;

/** Bundles an entry as an application for workers does, and measures it. */
export async function measure(bundle: Bundle): Promise<Measured> {
  return (await measureAll([bundle])).get(bundle.entry)!;
}

/**
 * Bundles each entry as an application for workers does, and measures it, by entry. The modules are read once for all
 * those of one file, which the bundler writes as if each were alone.
 */
export async function measureAll(bundles: readonly Bundle[]): Promise<Map<string, Measured>> {
  const measured = new Map<string, Measured>();
  const whole = [...new Set(bundles.filter(({ splits }) => !splits).map(({ entry }) => entry))];
  // Entries that are split would share files with each other.
  const split = bundles.filter(({ splits }) => splits).map(({ entry }) => [entry]);
  for (const entries of [whole, ...split]) {
    if (entries.length > 0) await measureTogether(entries, entries !== whole, measured);
  }
  await esbuild.stop();
  return measured;
}

async function measureTogether(
  entries: string[],
  splitting: boolean,
  measured: Map<string, Measured>,
): Promise<void> {
  const options = {
    absWorkingDir: repositoryRoot,
    entryPoints: entries,
    alias: await workspaceAlias(),
    bundle: true,
    splitting,
    outdir: "bundle",
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
    conditions: CONDITIONS,
    plugins: [await asInstalled()],
    external: ["node:*", "cloudflare:*"],
    logLevel: "silent",
  } as const satisfies esbuild.BuildOptions;
  const { outputFiles, metafile } = await esbuild.build({ ...options, minify: true });
  const readable = await esbuild.build(options);
  for (const entry of entries) {
    const names = namesIn(textsOf(readable, entry).map(({ text }) => text).join("\n"));
    const contents = textsOf({ outputFiles, metafile }, entry).map(({ contents }) => contents);
    const files = loadedAtOnce(metafile, entry)
      .flatMap((name) => Object.entries(metafile.outputs[name]!.inputs))
      .map(([path, { bytesInOutput }]) => ({ path, bytes: bytesInOutput }))
      .filter(({ bytes }) => bytes > 0)
      .sort((a, b) => b.bytes - a.bytes);
    measured.set(entry, {
      minifiedBytes: sum(contents.map(({ length }) => length)),
      gzipBytes: sum(contents.map((one) => gzipSync(one, { level: 9 }).length)),
      files,
      names,
    });
  }
}

/** The files of a build that an entry loads at once. */
function textsOf(
  { outputFiles, metafile }: { outputFiles: esbuild.OutputFile[]; metafile: esbuild.Metafile },
  entry: string,
): esbuild.OutputFile[] {
  const names = loadedAtOnce(metafile, entry).map((name) => join(repositoryRoot, name));
  return outputFiles.filter(({ path }) => names.includes(path));
}

/** Describes each violation of a bundle's budget; nothing when it meets its budget. */
export function judge(budget: Budget, measured: Measured): string[] {
  const faults: string[] = [];
  if (measured.gzipBytes > budget.gzipBytes) {
    faults.push(`${measured.gzipBytes} bytes compressed, at most ${budget.gzipBytes} are allowed`);
  }
  for (const name of budget.without) {
    if (measured.names.has(name)) faults.push(`${name} is in it`);
  }
  return faults;
}

if (import.meta.main) {
  const budgets = await readBudgets(Deno.args[0]);
  const all = await measureAll(Object.values(budgets));
  for (const [name, budget] of Object.entries(budgets)) {
    const measured = all.get(budget.entry)!;
    const faults = judge(budget, measured);
    if (faults.length > 0) Deno.exitCode = 1;
    // deno-lint-ignore no-console -- this program prints
    console.log(
      `${name}: ${measured.minifiedBytes} bytes, ${measured.gzipBytes} compressed ` +
        `(of ${budget.gzipBytes}) ${faults.join("; ")}\n` +
        measured.files.slice(0, 12).map(({ path, bytes }) => `  ${bytes} ${path}`).join("\n"),
    );
  }
}
