/**
 * Installs the packages of `deno.lock` into `node_modules` when they are not there or others are. The tasks that need
 * them begin with it: Deno itself installs nothing here, because then every task would wait for all of them, and the
 * demo needs few.
 *
 * Usage: `deno task install`
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { repositoryRoot } from "./workspace.ts";

/** File in `node_modules` with the digest of the `deno.lock` whose packages are installed. */
const STAMP = ".installed";

/**
 * Installs what `deno.lock` of a folder lists, unless that was the last that was installed by this function.
 *
 * @param root Absolute path of the folder. Default: the repository.
 * @returns False when there was nothing to do.
 * @throws {Error} with the exit code when `deno install` fails; it has said why.
 */
export async function installLocked(root: string = repositoryRoot): Promise<boolean> {
  const lock = await Deno.readFile(join(root, "deno.lock"));
  const digest = createHash("sha256").update(Deno.version.deno).update(lock).digest("hex");
  const stamp = join(root, "node_modules", STAMP);
  if (await Deno.readTextFile(stamp).catch(() => "") === digest) return false;
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["install", "--frozen", "--quiet"],
    cwd: root,
    stdin: "null",
  }).spawn().status;
  if (code !== 0) throw new Error(`"deno install --frozen" ended with exit code ${code}.`);
  await Deno.writeTextFile(stamp, digest);
  return true;
}

if (import.meta.main) {
  try {
    await installLocked();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    Deno.exit(1);
  }
}
