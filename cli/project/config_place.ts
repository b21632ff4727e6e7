import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { CliError, ExitCode } from "../terminal/exit.ts";

const NAMES = ["framework.config.ts", "framework.config.js"];

/**
 * The configuration file of a folder; undefined when it has none.
 *
 * @param root Absolute path of the folder.
 * @throws {CliError} Exit code 2 when there are two, because which one counts would be a guess.
 */
export function findConfigFile(root: string): string | undefined {
  const found = NAMES.filter((name) => existsSync(join(root, name)));
  if (found.length > 1) {
    throw new CliError(`There are two configuration files: ${found.join(" and ")}.`, {
      exitCode: ExitCode.config,
      hint: `Remove one of them.`,
    });
  }
  return found[0] === undefined ? undefined : join(root, found[0]);
}

const MARKS = ["package.json", "deno.json", "deno.jsonc", "wrangler.json", "wrangler.jsonc"];

/**
 * The project that a configuration file belongs to, which may stand in a folder of it.
 *
 * @param file Absolute path of the file.
 * @returns Absolute path of the nearest folder with what every project has; without one, of the file's own.
 */
export function projectAround(file: string): string {
  const own = dirname(file);
  for (let folder = own;; folder = dirname(folder)) {
    if (MARKS.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return own;
  }
}
