/**
 * Measures what the library adds to a worker, against the limits in `scripts/budgets.json`.
 *
 * Usage: `deno run -A scripts/budgets.ts`
 *
 * @module
 */

import * as esbuild from "esbuild";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { readJson, readWorkspace, repositoryRoot } from "./workspace.ts";

/** A limit of `scripts/budgets.json`. */
export interface Budget {
  /** What is measured. */
  about: string;
  /** File that is bundled, from the repository's root. */
  entry: string;
  /** How large the minified bundle may be, compressed. */
  gzipBytes: number;
  /** Folders and files of which nothing may be in it. */
  without: string[];
}

/** What a bundle is. */
export interface Measured {
  minifiedBytes: number;
  gzipBytes: number;
  /** Files that have code in the bundle, the largest first. */
  files: { path: string; bytes: number }[];
}

/** Reads the budgets by name. */
export async function readBudgets(): Promise<Record<string, Budget>> {
  const budgets: unknown = await readJson(join(repositoryRoot, "scripts", "budgets.json"));
  return budgets as Record<string, Budget>;
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

/** Bundles an entry as an application for workers does, and measures it. */
export async function measure({ entry }: Pick<Budget, "entry">): Promise<Measured> {
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: repositoryRoot,
    entryPoints: [entry],
    alias: await workspaceAlias(),
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "silent",
  });
  await esbuild.stop();
  const [file] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  const files = Object.entries(output!.inputs)
    .map(([path, { bytesInOutput }]) => ({ path, bytes: bytesInOutput }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
  return {
    minifiedBytes: file!.contents.length,
    gzipBytes: gzipSync(file!.contents, { level: 9 }).length,
    files,
  };
}

/** What is wrong with a bundle, in words; nothing when it keeps its budget. */
export function judge(budget: Budget, measured: Measured): string[] {
  const faults: string[] = [];
  if (measured.gzipBytes > budget.gzipBytes) {
    faults.push(`${measured.gzipBytes} bytes compressed, at most ${budget.gzipBytes} are allowed`);
  }
  for (const { path, bytes } of measured.files) {
    const unwanted = budget.without.find((prefix) => path.startsWith(prefix));
    if (unwanted !== undefined) faults.push(`${path} is in it (${bytes} bytes)`);
  }
  return faults;
}

if (import.meta.main) {
  for (const [name, budget] of Object.entries(await readBudgets())) {
    const measured = await measure(budget);
    // deno-lint-ignore no-console -- this program prints
    console.log(
      `${name}: ${measured.minifiedBytes} bytes, ${measured.gzipBytes} compressed ` +
        `(of ${budget.gzipBytes}) ${judge(budget, measured).join("; ")}\n` +
        measured.files.slice(0, 12).map(({ path, bytes }) => `  ${bytes} ${path}`).join("\n"),
    );
  }
}
