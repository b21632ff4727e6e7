import { parseEnv } from "node:util";
import { CliError } from "../terminal/exit.ts";

/**
 * Sets a variable in the text of a `.dev.vars` file; everything else stays as it is.
 *
 * @param text The file; empty when there is none.
 * @param name Name of the variable.
 * @param value Its value, without quotes and line ends.
 * @throws {CliError} Exit code 1 when the file is written so that it cannot be changed safely.
 */
export function setDevVar(text: string, name: string, value: string): string {
  const line = `${name}=${value}`;
  const newLine = text.includes("\r\n") ? "\r\n" : "\n";
  const declaration = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*?(?=\\r?$)`, "m");
  const gap = text === "" || text.endsWith("\n") ? "" : newLine;
  const changed = declaration.test(text)
    ? text.replace(declaration, () => line)
    : `${text}${gap}${line}${newLine}`;
  const before = parseEnv(text);
  const after = parseEnv(changed);
  const kept = Object.keys(before).filter((key) => key !== name);
  if (
    after[name] === value && !before[name]?.includes("\n") &&
    kept.every((key) => after[key] === before[key]) &&
    Object.keys(after).length === kept.length + 1
  ) {
    return changed;
  }
  throw new CliError(
    `${name} cannot be placed in .dev.vars: the file declares it in a way of its own.`,
    {
      hint: `Remove ${name} from .dev.vars, then run the command again.`,
    },
  );
}
