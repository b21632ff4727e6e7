import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { CliError } from "./exit.ts";

/** Reasons why the system writes nothing, by the code of its error. */
const reasons: Readonly<Record<string, string>> = {
  EROFS: "it is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EACCES: "this user lacks the permission",
  EPERM: "this user lacks the permission",
};

/**
 * Describes an error of the file system that refused to write, which is no fault of the program.
 *
 * @param error What was thrown.
 * @returns undefined for all other errors.
 */
export function describeRefusedWrite(error: unknown): CliError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = "", path, syscall } = error as NodeJS.ErrnoException;
  const reason = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  // Too many watched files are ENOSPC as well.
  if (reason === undefined || syscall === "watch") return undefined;
  const isPermission = code === "EACCES" || code === "EPERM";
  if (isPermission && !(path !== undefined && isWrite(syscall, path))) return undefined;
  const what = path === undefined ? "The project" : `The folder ${dirname(path)}`;
  return new CliError(`${what} cannot be written: ${reason}.`, {
    hint: "Check the folder's permissions and the free disk space.",
    cause: error,
  });
}

const writes: readonly unknown[] = ["mkdir", "rename", "unlink", "rmdir", "copyfile"];

/** Returns true when a call that lacked a permission was to write: what it opens can be read, or is not there yet. */
function isWrite(syscall: string | undefined, path: string): boolean {
  if (syscall !== "open") return writes.includes(syscall);
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === "ENOENT";
  }
}
