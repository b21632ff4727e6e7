import * as esbuild from "esbuild";
import { join, relative, resolve } from "node:path";
import { loadedAtOnce, workspaceAlias } from "./budgets.ts";
import { readJson, readWorkspace, repositoryRoot } from "./workspace.ts";

/**
 * Budget of an entry's import. Not in milliseconds, which are another machine's tomorrow: how many
 * modules a runtime finds, reads and links, and how much code it parses, decide how long it takes,
 * and are the same everywhere.
 */
export interface ImportBudget {
  /** Subject of the measurement. */
  about: string;
  /** File that is imported, from the repository's root. */
  imports: string;
  /** Highest number of loaded modules, those of other packages included. */
  modules: number;
  /** Largest size of their code, minified, with nothing left out, in bytes. */
  bytes: number;
}

/** Costs of an entry's import. */
export type ImportCosts = Pick<ImportBudget, "modules" | "bytes">;

/** Reads the budgets of imports by name. */
export async function readImportBudgets(): Promise<Record<string, ImportBudget>> {
  const budgets = await readJson(join(repositoryRoot, "scripts", "budgets.json"));
  const entries = Object.entries(budgets as unknown as Record<string, ImportBudget>);
  return Object.fromEntries(entries.filter(([, budget]) => "imports" in budget));
}

/**
 * Bundles a file for Node. Without tree shaking it is what a runtime reads: all of a module, however little is used.
 */
async function bundle(file: string, treeShaking: boolean) {
  const result = await esbuild.build({
    absWorkingDir: repositoryRoot,
    entryPoints: [file],
    alias: await workspaceAlias(),
    bundle: true,
    splitting: true,
    outdir: "bundle",
    minify: true,
    treeShaking,
    ignoreAnnotations: !treeShaking,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    logLevel: "silent",
  });
  await esbuild.stop();
  return result;
}

/** Outputs that the import of a file loads at once. */
function outputsOf(metafile: esbuild.Metafile, file: string): string[] {
  const entry = relative(repositoryRoot, resolve(repositoryRoot, file)).replaceAll("\\", "/");
  return loadedAtOnce(metafile, entry);
}

/**
 * Counts what is loaded when Node or Deno imports a file, without what `import()` loads later: module by module, as
 * JSR has them. The npm package holds the same code in fewer files, see `writeBundles()`.
 */
export async function measureImport(file: string): Promise<ImportCosts> {
  const { outputFiles, metafile } = await bundle(file, false);
  const names = outputsOf(metafile, file);
  const modules = new Set(names.flatMap((name) => Object.keys(metafile.outputs[name]!.inputs)));
  const bytes = outputFiles
    .filter(({ path }) => names.some((name) => path.endsWith(name)))
    .reduce((sum, { contents }) => sum + contents.length, 0);
  return { modules: modules.size, bytes };
}

/**
 * Lists the library's modules that the import of an entry loads although none of its exports use anything in them:
 * each costs half a millisecond, and says that a file holds what belongs into two.
 */
export async function findUnusedModules(entry: string): Promise<string[]> {
  const loaded = (await bundle(entry, false)).metafile;
  const used = (await bundle(entry, true)).metafile;
  const bytes = new Map(
    Object.values(used.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).map(([name, { bytesInOutput }]) => [name, bytesInOutput] as const)
    ),
  );
  return outputsOf(loaded, entry).flatMap((name) => Object.keys(loaded.outputs[name]!.inputs))
    .filter((name) => name.startsWith("auth/") && name !== entry && !bytes.get(name)).sort();
}

/** Describes each cost above its budget; nothing when all are met. */
export function judgeCosts<Name extends string>(
  budget: Readonly<Record<Name, number>>,
  costs: Readonly<Record<Name, number>>,
  names: readonly Name[],
): string[] {
  return names
    .filter((name) => costs[name] > budget[name])
    .map((name) => `${costs[name]} ${name}, at most ${budget[name]} are allowed`);
}

/** The entries of `@framework/auth`, as files from the repository's root. */
export async function listEntries(): Promise<string[]> {
  const { members } = await readWorkspace();
  const auth = members.find(({ folder }) => folder === "auth")!;
  return Object.values(auth.exports).map((path) => path.replace(/^\./, "auth"));
}

if (import.meta.main) {
  for (const entry of await listEntries()) {
    const { modules, bytes } = await measureImport(entry);
    const unused = await findUnusedModules(entry);
    // deno-lint-ignore no-console -- this program prints
    console.log(
      `${entry}: ${modules} modules, ${bytes} bytes, unused: ${unused.join(", ") || "none"}`,
    );
  }
}
