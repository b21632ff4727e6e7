import { existsSync } from "node:fs";
import { join } from "node:path";
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
