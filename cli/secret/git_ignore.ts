import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Whether git would offer to commit a project's `.dev.vars`, as far as the `.gitignore` files from the project up to
 * the repository tell.
 *
 * @param root Absolute path of the project.
 * @returns False outside of a repository.
 */
export function isDevVarsCommittable(root: string): boolean {
  for (let folder = root;; folder = dirname(folder)) {
    if (ignoresDevVars(join(folder, ".gitignore"))) return false;
    if (existsSync(join(folder, ".git"))) return true;
    if (dirname(folder) === folder) return false;
  }
}

function ignoresDevVars(file: string): boolean {
  if (!existsSync(file)) return false;
  return readFileSync(file, "utf8").split(/\r?\n/)
    .some((line) => /^(?:\/|\*\*\/)?\.dev\.vars(?:\*|\.\*)?\s*$/.test(line));
}
