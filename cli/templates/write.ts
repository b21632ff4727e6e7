import { lstat, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CliError } from "../terminal/exit.ts";

/** Entries that do not make a folder count as used. */
const IGNORED = new Set([".git", ".DS_Store"]);

/**
 * Writes files into a new or empty folder: all of them or none.
 *
 * They are written to a temporary folder beside or inside the target first, then moved. `.dev.vars` is
 * readable by its owner only.
 *
 * @param target Absolute path of the folder.
 * @param files Path to text.
 * @param options `signal` stops the work; what was written is removed.
 * @throws {CliError} Exit code 1 when the folder holds something, naming it, or cannot be written.
 */
export async function writeFiles(
  target: string,
  files: Record<string, string>,
  options: { signal: AbortSignal },
): Promise<void> {
  const exists = await refuseUsed(target);
  const parent = exists ? target : dirname(target);
  let made: string | undefined;
  let staging: string | undefined;
  try {
    made = await mkdir(parent, { recursive: true });
    staging = await mkdtemp(join(parent, ".framework-init-"));
    // mkdtemp makes a private folder (0700); the application's own gets the usual permissions.
    const content = join(staging, "content");
    for (const [path, text] of Object.entries(files)) {
      options.signal.throwIfAborted();
      const file = join(content, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: "wx", mode: path === ".dev.vars" ? 0o600 : 0o666 });
    }
    if (exists) await moveEntries(content, target);
    else await rename(content, target);
  } catch (error) {
    if (made !== undefined) await rm(made, { recursive: true, force: true });
    throw options.signal.aborted ? error : describe(error, target);
  } finally {
    if (staging !== undefined) await rm(staging, { recursive: true, force: true });
  }
}

async function refuseUsed(target: string): Promise<boolean> {
  const found = await lstat(target).catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return undefined;
    throw describe(error, target);
  });
  if (found === undefined) return false;
  const entries = found.isDirectory() ? await readdir(target) : undefined;
  if (entries === undefined) {
    throw new CliError(`${target} exists and is not a folder.`, { hint: "Name another folder." });
  }
  const used = entries.filter((entry) => !IGNORED.has(entry)).sort();
  if (used.length === 0) return true;
  const more = used.length > 3 ? ` and ${used.length - 3} more` : "";
  throw new CliError(`${target} is not empty: it holds ${used.slice(0, 3).join(", ")}${more}.`, {
    hint: "Name a new or an empty folder.",
  });
}

/** An existing folder stays the same one: a shell may stand in it. */
async function moveEntries(from: string, target: string): Promise<void> {
  const moved: string[] = [];
  try {
    for (const entry of await readdir(from)) {
      await rename(join(from, entry), join(target, entry));
      moved.push(join(target, entry));
    }
  } catch (error) {
    await Promise.all(moved.map((path) => rm(path, { recursive: true, force: true })));
    throw error;
  }
}

function describe(error: unknown, target: string): CliError {
  const { code, message } = error as { code?: string; message?: string };
  return new CliError(`${basename(target)} cannot be written: ${message ?? code}.`, {
    hint: "Check the permissions of the folder and the free space of the disk.",
    cause: error,
  });
}
