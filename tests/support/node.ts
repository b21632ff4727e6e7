import { join } from "node:path";
import { capture, run } from "../../scripts/run_command.ts";
import { exists, repositoryRoot } from "../../scripts/workspace.ts";
import { withFileLock } from "./file_lock.ts";

// The oldest release line that the library supports, and the newest release that was tried.
const OLDEST = { line: "v20.", version: "20.20.2" };
const NEWEST = "26.10.0";
const LONG_TERM_SUPPORT = "24.21.0";
const MAINTENANCE = "22.23.5";
// The oldest on which the command and the testing package run.
const SUPPORTED = "22.13.0";

/** The Nodes that tests run on. */
export interface Nodes {
  /** Path of a Node 20. */
  oldest: string;
  /** Path of the oldest Node that the command line supports. */
  supported: string;
  /** Path of the newest Node. */
  newest: string;
}

/** Returns true when the npm registry has Node for this machine. */
export const nodeIsAvailable: boolean = ["linux", "darwin"].includes(Deno.build.os) &&
  !(Deno.build.os === "darwin" && Deno.build.arch === "aarch64");

const ARCHITECTURES: Record<string, string> = { "x86_64": "x64", "aarch64": "arm64" };

/** A package by itself, in a folder that later runs find again. */
async function installAlone(
  folder: string,
  { name, version }: { name: string; version: string },
): Promise<string> {
  const place = join(repositoryRoot, "tests", "output", "node", folder);
  const installed = join(place, "node_modules", name);
  await withFileLock(`${place}.lock`, async () => {
    if (await exists(installed)) return;
    await Deno.mkdir(place, { recursive: true });
    await Deno.writeTextFile(
      join(place, "package.json"),
      JSON.stringify({ private: true, dependencies: { [name]: version } }),
    );
    await run(
      Deno.execPath(),
      ["install", "--no-lock", "--quiet", "--node-modules-dir=auto"],
      { cwd: place },
    );
  });
  return installed;
}

async function installNode(version: string): Promise<string> {
  const name = `node-${Deno.build.os}-${ARCHITECTURES[Deno.build.arch]}`;
  return join(await installAlone(version, { name, version }), "bin", "node");
}

/** All three Nodes; this machine's own is the old one when it is of that release line. */
export async function findNodes(): Promise<Nodes> {
  const own = await capture("node", ["--version"]).catch(() => null);
  const isOldest = own?.stdout.startsWith(OLDEST.line) ?? false;
  return {
    oldest: isOldest ? "node" : await installNode(OLDEST.version),
    supported: await installNode(SUPPORTED),
    newest: await installNode(NEWEST),
  };
}

/** The oldest Node on which the command and the testing package run. */
export function findOldestNodeOfCommand(): Promise<string> {
  return installNode(SUPPORTED);
}

/** The oldest line on which the command runs, as whoever keeps it up to date has it. */
export function findNodeOfMaintenance(): Promise<string> {
  return installNode(MAINTENANCE);
}

/** The Node whose line has long-term support. */
export function findNodeOfLongTermSupport(): Promise<string> {
  return installNode(LONG_TERM_SUPPORT);
}

/** Folder of npm. */
export function installNpm(): Promise<string> {
  return installAlone("npm", { name: "npm", version: "11.19.1" });
}
