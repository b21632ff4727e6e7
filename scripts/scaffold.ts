/**
 * Makes an application from the starter with the packages of this repository, as a user gets it:
 * `framework init` of the packed command, then an install from a registry.
 *
 * @module
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Build } from "./npm.ts";
import { startRegistry } from "./registry.ts";
import { capture, run } from "./run_command.ts";
import { readJson, repositoryRoot } from "./workspace.ts";

/** Exports of `@framework/cli/main` for a program. */
interface CommandLine {
  runCli(argv: readonly string[], io?: CommandIo): Promise<number>;
}

/** Folder and streams of a command line. */
export interface CommandIo {
  cwd?: string;
  stdout?: { write(text: string): unknown; isTTY?: boolean };
  stderr?: { write(text: string): unknown; isTTY?: boolean };
  signal?: AbortSignal;
}

/**
 * Runs `framework init` of the packed command line. The folder must be empty or missing.
 *
 * @throws {Error} with what the command said when it fails.
 */
export async function initApplication(
  folder: string,
  options: { name?: string; template?: string } = {},
): Promise<void> {
  const packed = join(repositoryRoot, "npm", "cli", "main.js");
  let said = "";
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const argv = ["init", folder, "--no-git", ...flags];
  const stream = { write: (text: string) => said += text };
  const code = await (await commandLine(packed)).runCli(argv, {
    cwd: repositoryRoot,
    stdout: stream,
    stderr: stream,
  });
  if (code !== 0) throw new Error(`"framework init" ended with exit code ${code}.\n${said.trim()}`);
}

/** Packages of the starter that check, test and deploy it: to be served, it needs none of them. */
const NOT_SERVING = ["oxlint", "typescript", "vite", "vitest", "wrangler"];

/** Extent of an installation. */
export interface InstallOptions {
  /** Leaves out what checks, tests and deploys the application. Default: false. */
  toServe?: boolean;
}

/**
 * Installs an application's packages with Deno, the `@framework` ones from a build, the others from
 * the registry that this machine is set up for. Leaves no trace of the build's address behind: no
 * lock file is written, and a `.npmrc` and the `package.json` are as they were.
 *
 * @throws {Error} with what the installation said when it fails.
 */
export async function installPackages(
  folder: string,
  build: Build,
  { toServe = false }: InstallOptions = {},
): Promise<void> {
  const registry = await startRegistry(build);
  const npmrc = join(folder, ".npmrc");
  const before = await Deno.readTextFile(npmrc).catch(() => null);
  const manifestFile = join(folder, "package.json");
  const manifest = await Deno.readTextFile(manifestFile);
  try {
    if (toServe) {
      await Deno.writeTextFile(manifestFile, JSON.stringify(servedBy(JSON.parse(manifest))));
    }
    await Deno.writeTextFile(npmrc, `${before ?? ""}\n@framework:registry=${registry.url}\n`);
    await run(Deno.execPath(), ["install", "--no-lock", "--quiet"], { cwd: folder });
  } finally {
    await Deno.writeTextFile(manifestFile, manifest);
    if (before === null) await Deno.remove(npmrc);
    else await Deno.writeTextFile(npmrc, before);
    await registry.close();
  }
}

interface Dependent {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

/** The manifest without the packages that no served application needs. */
function servedBy<Manifest extends Dependent>(manifest: Manifest): Manifest {
  const needed = Object.entries(manifest.devDependencies)
    .filter(([name]) => !NOT_SERVING.includes(name));
  return { ...manifest, devDependencies: Object.fromEntries(needed) };
}

/**
 * Puts what the starter is served with, of other origin, into Deno's cache, so that this can go on
 * while the packages are built. A failure is left to the installation, which reports it.
 */
export async function downloadDependencies(): Promise<void> {
  const template = join(repositoryRoot, "cli", "templates", "starter", "_package.json");
  const { dependencies, devDependencies } = servedBy(
    await readJson(template) as unknown as Dependent,
  );
  const others = Object.entries({ ...dependencies, ...devDependencies })
    .filter(([name]) => !name.startsWith("@framework/"));
  const folder = await Deno.makeTempDir({ prefix: "framework-download-" });
  try {
    await Deno.writeTextFile(
      join(folder, "package.json"),
      JSON.stringify({ dependencies: Object.fromEntries(others) }),
    );
    await capture(
      Deno.execPath(),
      ["install", "--no-lock", "--quiet", "--node-modules-dir=none"],
      { cwd: folder },
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs the command line that is installed in an application, inside this process. */
export async function runInstalled(
  folder: string,
  argv: string[],
  io: CommandIo = {},
): Promise<number> {
  const installed = join(folder, "node_modules", "@framework", "cli", "main.js");
  return await (await commandLine(installed)).runCli(argv, { cwd: folder, ...io });
}

async function commandLine(file: string): Promise<CommandLine> {
  return await import(pathToFileURL(file).href) as CommandLine;
}
