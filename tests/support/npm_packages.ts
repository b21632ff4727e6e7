import { hash } from "node:crypto";
import { dirname, join } from "node:path";
import { findProgram } from "../../scripts/apt.ts";
import { capture, type Finished, run, type RunOptions } from "../../scripts/run_command.ts";
import { exists, repositoryRoot } from "../../scripts/workspace.ts";
import { withFileLock } from "./file_lock.ts";

/** The machine's own npm with these arguments, or npm's package under Deno. */
async function npmWith(args: readonly string[]): Promise<[command: string, args: string[]]> {
  const npm = await findProgram(["npm"]);
  return npm
    ? [npm, [...args]]
    : [Deno.execPath(), ["run", "-A", "--no-config", "npm:npm@11.19.1", ...args]];
}

/** Runs npm, which has to succeed. */
export async function runNpm(args: readonly string[], options: RunOptions): Promise<Finished> {
  return await run(...await npmWith(args), options);
}

/** Runs npm; any exit code is an answer. */
export async function captureNpm(args: readonly string[], options: RunOptions): Promise<Finished> {
  return await capture(...await npmWith(args), options);
}

/**
 * Installs packages with npm into a folder of their own, which later runs find again.
 *
 * @param versions Exact versions by name.
 * @param overrides Versions of what these need, in place of those that they name. Default: none.
 * @returns Absolute path of their `node_modules`.
 */
export async function installNpmPackages(
  versions: Record<string, string>,
  overrides: Record<string, string> = {},
): Promise<string> {
  const key = Object.entries(versions).map(([name, version]) => `${name}@${version}`).join(",");
  // A file system takes names of 255 bytes.
  const name = key.length < 240 ? key.replaceAll("/", "+") : hash("sha256", key);
  const folder = join(repositoryRoot, "tests", "output", "packages", name);
  const modules = join(folder, "node_modules");
  await withFileLock(`${folder}.lock`, async () => {
    if (!await exists(modules)) await install({ dependencies: versions, overrides }, modules);
  });
  return modules;
}

async function install(
  manifest: { dependencies: Record<string, string>; overrides: Record<string, string> },
  modules: string,
): Promise<void> {
  const draft = await Deno.makeTempDir({ prefix: "framework-packages-" });
  try {
    await Deno.writeTextFile(
      join(draft, "package.json"),
      JSON.stringify({ private: true, ...manifest }),
    );
    await runNpm(["install", "--no-audit", "--no-fund", "--no-package-lock"], { cwd: draft });
    await Deno.mkdir(dirname(modules), { recursive: true });
    // A folder that is there is complete.
    await run("cp", ["-R", join(draft, "node_modules"), `${modules}.draft`]);
    await Deno.rename(`${modules}.draft`, modules);
  } finally {
    await Deno.remove(draft, { recursive: true });
  }
}

/** The files of a folder under names of their own, as links: nothing writes into an installed package. */
export async function linkFolder(from: string, to: string): Promise<void> {
  const { code } = await capture("cp", ["-Rl", from, to]);
  if (code === 0) return;
  // On another disk.
  await Deno.remove(to, { recursive: true }).catch(() => {});
  await run("cp", ["-R", from, to]);
}
