/**
 * Collects the files that the command `framework` consists of: its program, and the program that
 * drives a project's tools, as JavaScript, without anything that applications import.
 *
 * @module
 */

import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackages } from "./npm.ts";
import { run } from "./run_command.ts";
import { readWorkspace, repositoryRoot } from "./workspace.ts";

/** The programs of `@framework/cli`, as they are packed. */
export const programs: readonly string[] = ["main.js", "driver.js"];

/** Licence of the command, and notices of the runtime within what is handed out. */
const LICENCES = { LICENSE: "LICENSE", "THIRD_PARTY_NOTICES.txt": "scripts/deno_notices.txt" };

/** Files that were collected. */
export interface CommandFiles {
  version: string;
  /** Paths below the folder, sorted. */
  files: string[];
}

/**
 * Copies the packed programs and every module that they import into an empty folder.
 *
 * @throws {Error} when the command imports an npm package, which would have to be embedded with it.
 */
export async function collectCommand(folder: string): Promise<CommandFiles> {
  await buildPackages({ gate: false });
  const { root, members } = await readWorkspace();
  const member = members.find((each) => each.folder === "cli")!;
  const packed = join(root, "npm", member.folder);
  const files = new Set<string>();
  for (const program of programs) {
    const { stdout } = await run(Deno.execPath(), ["info", "--json", "--no-config", program], {
      cwd: packed,
    });
    for (
      const { specifier } of (JSON.parse(stdout) as { modules: { specifier: string }[] }).modules
    ) {
      if (specifier.startsWith("node:")) continue;
      const path = specifier.startsWith("file:")
        ? relative(packed, fileURLToPath(specifier))
        : "..";
      if (path.startsWith("..")) throw new Error(`The command imports ${specifier}.`);
      files.add(path);
    }
  }
  for (const file of files) {
    await Deno.mkdir(dirname(join(folder, file)), { recursive: true });
    await Deno.copyFile(join(packed, file), join(folder, file));
  }
  return { version: member.version, files: [...files].sort() };
}

/**
 * Copies the command's licence and the notices that Deno's and V8's licences require beside a program that contains
 * them.
 *
 * @returns Names of the files.
 */
export async function collectLicences(folder: string): Promise<string[]> {
  for (const [name, source] of Object.entries(LICENCES)) {
    await Deno.copyFile(join(repositoryRoot, source), join(folder, name));
  }
  return Object.keys(LICENCES);
}
