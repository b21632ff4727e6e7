import { hash } from "node:crypto";
import { join } from "node:path";
import { findProgram } from "../../scripts/apt.ts";
import { capture, type Finished, run, type RunOptions } from "../../scripts/run_command.ts";
import { exists, repositoryRoot } from "../../scripts/workspace.ts";
import { withFileLock } from "./file_lock.ts";
import { inMatrix } from "./matrix.ts";

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
  return await installOnce(name, async (draft) => {
    const manifest = { private: true, dependencies: versions, overrides };
    await Deno.writeTextFile(join(draft, "package.json"), JSON.stringify(manifest));
    await installInto(draft);
  });
}

/**
 * Lays packages out as npm does, in a folder of their own, which later runs find again. Deno links what it has
 * unpacked before, in a tenth of the time that npm takes to unpack it; no script of a package runs. In the matrix npm
 * installs them.
 *
 * @param versions Versions by name.
 * @param overrides Versions of what these need, in place of those that they name. Default: none.
 * @returns Absolute path of their `node_modules`.
 */
export async function linkNpmPackages(
  versions: Record<string, string>,
  overrides: Record<string, string> = {},
): Promise<string> {
  if (inMatrix) return await installNpmPackages(versions, overrides);
  const manifest = { private: true, dependencies: versions, overrides };
  const name = `linked-${hash("sha256", JSON.stringify(manifest))}`;
  return await installOnce(name, async (draft) => {
    await Deno.writeTextFile(join(draft, "package.json"), JSON.stringify(manifest));
    const args = ["install", "--no-lock", "--quiet", "--node-modules-linker=hoisted"];
    const { code } = await capture(Deno.execPath(), args, { cwd: draft });
    // npm goes on without an optional package that the registry does not have.
    if (code !== 0) await installInto(draft, ["--ignore-scripts"]);
  });
}

async function installInto(cwd: string, args: string[] = []): Promise<void> {
  await runNpm(["install", "--no-audit", "--no-fund", "--no-package-lock", ...args], { cwd });
}

/** Has packages installed into a new folder of this name, unless it is there. */
async function installOnce(
  name: string,
  install: (draft: string) => Promise<void>,
): Promise<string> {
  const folder = join(repositoryRoot, "tests", "output", "packages", name);
  await withFileLock(`${folder}.lock`, async () => {
    if (await exists(folder)) return;
    const draft = `${folder}.draft`;
    await Deno.remove(draft, { recursive: true }).catch(() => {});
    await Deno.mkdir(draft, { recursive: true });
    await install(draft);
    // A folder that is there is complete.
    await Deno.rename(draft, folder);
  });
  return join(folder, "node_modules");
}

/** The files of a folder under names of their own, as links: nothing writes into an installed package. */
export async function linkFolder(from: string, to: string): Promise<void> {
  const { code } = await capture("cp", ["-Rl", from, to]);
  if (code === 0) return;
  // On another disk.
  await Deno.remove(to, { recursive: true }).catch(() => {});
  await run("cp", ["-R", from, to]);
}
