import { lstatSync, realpathSync } from "node:fs";
import { link, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { CliError } from "../terminal/exit.ts";
import { contains, displayPath } from "../tools/paths.ts";
import type { PlannedFile } from "./plan.ts";

/** A file that was written, or would be. */
export interface WrittenFile {
  /** Absolute path. */
  path: string;
  action: "create" | "overwrite" | "change";
}

/** Options for {@linkcode writeGenerated}. */
export interface WriteOptions {
  /** Absolute path of the project. */
  root: string;
  /** Replaces files that exist. */
  force: boolean;
  /** Writes nothing. */
  dryRun: boolean;
  signal: AbortSignal;
}

/**
 * Writes generated files atomically: all of them or none.
 *
 * @param files The files.
 * @param options Project and switches.
 * @throws {CliError} Exit code 1 when a file exists and may not be replaced, when a link leads out of the folder that
 * it belongs to, or when the disk refuses.
 */
export async function writeGenerated(
  files: readonly PlannedFile[],
  options: WriteOptions,
): Promise<WrittenFile[]> {
  const { root, dryRun, signal } = options;
  const plan = judgeAll(files, options);
  if (dryRun) return plan;
  const undo: string[] = [];
  const temporary: string[] = [];
  try {
    for (const { path, text } of files) {
      signal.throwIfAborted();
      const made = await mkdir(dirname(path), { recursive: true });
      if (made !== undefined) undo.push(made);
      const draft = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
      temporary.push(draft);
      await writeFile(draft, text, { flag: "wx" });
    }
    for (const [index, { path, action }] of plan.entries()) {
      await place(temporary[index]!, { path, action }, root);
      if (action === "create") undo.push(path);
    }
    return plan;
  } catch (error) {
    for (const path of undo) await rm(path, { recursive: true, force: true });
    throw signal.aborted ? error : describe(error);
  } finally {
    for (const path of temporary) await rm(path, { force: true });
  }
}

function judgeAll(files: readonly PlannedFile[], options: WriteOptions): WrittenFile[] {
  try {
    return files.map((file) => {
      refuseOutside(file, options.root);
      return { path: file.path, action: judge(file, options) };
    });
  } catch (error) {
    throw describe(error);
  }
}

function describe(error: unknown): CliError {
  if (error instanceof CliError) return error;
  return new CliError(`The files could not be written: ${(error as Error).message}.`, {
    hint: "Check the folder's permissions and the free disk space.",
    cause: error,
  });
}

async function place(
  draft: string,
  { path, action }: WrittenFile,
  root: string,
): Promise<void> {
  if (action === "create") {
    try {
      // Unlike a rename, a link does not replace a file that another program wrote meanwhile.
      return await link(draft, path);
    } catch (error) {
      if ((error as { code?: string }).code === "EEXIST") throw exists(path, root);
      // Some file systems do not support links.
    }
  }
  // A link to a file that is changed stays a link.
  await rename(draft, action === "change" ? realpathSync(path) : path);
}

function judge(
  { path, edited }: PlannedFile,
  { root, force }: Pick<WriteOptions, "root" | "force">,
): WrittenFile["action"] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "create";
  if (edited) return "change";
  if (force && !found.isDirectory()) return "overwrite";
  throw exists(path, root);
}

function exists(path: string, root: string): CliError {
  return new CliError(`${displayPath(root, path)} already exists.`, {
    hint: "Choose another name, or replace the file with --force.",
  });
}

/** Refuses files outside of their folder, by its real path: a symbolic link may lead anywhere. */
function refuseOutside({ path, within }: PlannedFile, root: string): void {
  const allowed = existing(within) === within ? realpathSync(within) : realpathSync(root);
  if (contains(within, path) && contains(allowed, realpathSync(existing(dirname(path))))) return;
  const shown = displayPath(root, path);
  throw new CliError(`${shown} would be written outside of ${displayPath(root, within)}.`, {
    hint: "A symbolic link in the path leads elsewhere; remove it or choose another name.",
  });
}

function existing(path: string): string {
  for (let folder = path;; folder = dirname(folder)) {
    if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return folder;
  }
}
