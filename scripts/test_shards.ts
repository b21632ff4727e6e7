/**
 * Divides the tests into parts that run side by side.
 *
 * @module
 */

import { join } from "node:path";
import { readExamples } from "./examples.ts";
import { listFiles, readJson, repositoryRoot } from "./workspace.ts";

/** Files that are tested in one process. */
export interface Shard {
  /** The folder, or the file that stands alone. */
  name: string;
  /** Paths from the repository's root. */
  files: string[];
  /** How long it took when the durations were last written down, or a guess. */
  seconds: number;
  /** Whether these are files with examples, which run together. Default: files with tests. */
  examples?: boolean;
}

/** Seconds of the files that take longest, by path. `deno task test --remember` writes them down. */
export type SlowTests = Readonly<Record<string, number>>;

/** Where they are written down. */
export const slowTestsFile: string = join(repositoryRoot, "scripts", "slow_tests.json");

/** A file that takes this many seconds is a part of its own. */
export const slowSeconds = 5;

// Of a file that is not among the slow ones.
const USUAL_SECONDS = 0.7;

/** Reads the seconds of the slow files. */
export async function readSlowTests(): Promise<SlowTests> {
  return await readJson(slowTestsFile) as Record<string, number>;
}

/** Whether a file holds tests, by its name, as `deno test` sees it. */
export function isTestFile(path: string): boolean {
  return /(?:^|[/._])test\.[cm]?[jt]sx?$/.test(path);
}

/** Every file below some files and folders that holds tests or examples, without what `deno.json` excludes. */
export async function findTested(paths: readonly string[]): Promise<string[]> {
  const { exclude, test } = await readJson(join(repositoryRoot, "deno.json")) as {
    exclude: string[];
    test: { exclude: string[] };
  };
  const excluded = [...exclude, ...test.exclude];
  const isExcluded = (path: string) =>
    /(?:^|\/)(?:node_modules|\.git)\//.test(`${path}/`) ||
    excluded.some((prefix) => `${path}/`.startsWith(prefix) || path === prefix);
  const found = new Set<string>();
  for (const given of paths) {
    const path = given.replaceAll("\\", "/").replace(/^\.\/(?=.)/, "").replace(/\/$/, "");
    const { isFile } = await Deno.stat(join(repositoryRoot, path)).catch(() => {
      throw new Error(`There is no file or folder "${given}" in the repository.`);
    });
    const prefix = path === "." ? "" : `${path}/`;
    const files = isFile ? [path] : (await listFiles(
      join(repositoryRoot, path),
      (folder) => !isExcluded(prefix + folder),
    )).map((file) => prefix + file);
    for (const file of files) {
      if (isExcluded(file)) continue;
      if (isTestFile(file)) found.add(file);
      else if (/\.(?:[jt]sx?|md)$/.test(file)) {
        const text = await Deno.readTextFile(join(repositoryRoot, file));
        if (readExamples(text, { markdown: file.endsWith(".md") }).length > 0) found.add(file);
      }
    }
  }
  return [...found].sort();
}

/**
 * Divides files by folder, with the slow ones alone, and the examples of all of them in one part; the longest part
 * first, so that all end together.
 */
export function divide(files: readonly string[], slow: SlowTests): Shard[] {
  const shards = new Map<string, Shard>();
  const examples = files.filter((file) => !isTestFile(file));
  if (examples.length > 0) {
    shards.set("examples", {
      name: "examples",
      files: examples,
      seconds: USUAL_SECONDS * 20,
      examples: true,
    });
  }
  for (const file of files.filter(isTestFile)) {
    const alone = (slow[file] ?? 0) >= slowSeconds;
    const name = alone ? file : file.split("/").slice(0, -1).slice(0, 2).join("/") || ".";
    const shard = shards.get(name) ?? { name, files: [], seconds: 0 };
    shard.files.push(file);
    shard.seconds += slow[file] ?? USUAL_SECONDS;
    shards.set(name, shard);
  }
  return [...shards.values()].sort((a, b) => b.seconds - a.seconds);
}
