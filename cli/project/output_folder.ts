import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";

/**
 * Puts a folder in the place of another one.
 *
 * @param target Absolute path of the folder to replace; it may not exist.
 * @param fresh Absolute path of the new one, beside it.
 */
export async function replaceFolder(target: string, fresh: string): Promise<void> {
  const old = `${target}.old-${process.pid}`;
  const existed = existsSync(target);
  if (existed) await rename(target, old);
  try {
    await rename(fresh, target);
  } catch (error) {
    if (existed) await rename(old, target);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}

/**
 * Removes what builds that were killed left beside a folder, and puts back the folder itself when one of them was
 * killed while it replaced it.
 *
 * @param target Absolute path of the folder.
 */
export async function clearLeftovers(target: string): Promise<void> {
  const parent = dirname(target);
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const [, kind, pid] = /^\.(new|old)-(\d+)$/.exec(name.slice(basename(target).length)) ?? [];
    if (!name.startsWith(basename(target)) || kind === undefined || isRunning(Number(pid))) {
      continue;
    }
    const leftover = join(parent, name);
    if (kind === "old" && !existsSync(target)) await rename(leftover, target);
    else await rm(leftover, { recursive: true, force: true });
  }
}

/** Another build may be under way. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
