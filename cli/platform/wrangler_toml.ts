import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { CliError, ExitCode } from "../terminal/exit.ts";
import type { JsoncDocument, JsonValue } from "../tools/jsonc.ts";
import { requirePackage } from "../tools/packages.ts";

/** Part of wrangler's interface for other programs. */
interface Wrangler {
  "experimental_readRawConfig"?(options: { config: string }): { rawConfig: JsonValue };
}

interface TomlError extends Error {
  /** The column counts from 0. */
  location?: { line: number; column: number };
}

/**
 * Reads a platform file in TOML, by the project's own wrangler: nobody else's parser reads it as the deployment does.
 *
 * @param file Absolute path of `wrangler.toml`.
 * @throws {CliError} Exit code 2 when the file is wrong, or wrangler is missing or too old.
 */
export function readToml(file: string): JsoncDocument {
  const root = dirname(file);
  requirePackage("wrangler", root);
  const { "experimental_readRawConfig": read } = createRequire(join(root, "package.json"))(
    "wrangler",
  ) as Wrangler;
  if (read === undefined) {
    throw new CliError("wrangler.toml is read by wrangler 4, and this project has an older one.", {
      exitCode: ExitCode.config,
      hint: "Update wrangler, or convert the file to wrangler.jsonc.",
    });
  }
  const text = readFileSync(file, "utf8");
  try {
    const { rawConfig } = read({ config: file });
    return { value: rawConfig, lineOf: (path) => lineOf(text, path), rangeOf: () => undefined };
  } catch (error) {
    const { message, location } = error as TomlError;
    const where = location === undefined ? "" : `:${location.line}:${location.column + 1}`;
    // Without its cause, which holds the text of the file and its secrets.
    throw new CliError(`${basename(file)}${where}: ${message}.`, {
      exitCode: ExitCode.config,
      hint: `Correct ${basename(file)}.`,
    });
  }
}

/** Returns the line on which a name first stands as a key or as a table; 1 for none. */
function lineOf(text: string, path: string): number {
  const name = path.split(/[.[\]]+/).filter((part) => !/^\d*$/.test(part)).at(-1);
  if (name === undefined) return 1;
  // A quoted key may have any sign in it.
  const literal = name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const key = new RegExp(`(?:^|[\\s"'.[{,])${literal}["']?\\s*[=\\]]`);
  return Math.max(0, text.split("\n").findIndex((line) => key.test(line))) + 1;
}
