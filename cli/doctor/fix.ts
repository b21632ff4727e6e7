import {
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { compareBackground } from "../build/background_check.ts";
import { loadConfig, type ProjectConfig } from "../config/load.ts";
import { type Platform, readPlatform } from "../platform/wrangler_file.ts";
import { CliError } from "../terminal/exit.ts";
import { type JsonValue, parseJsonc } from "../tools/jsonc.ts";
import { appendToList, formatInline, type ListAddition } from "../tools/jsonc_edit.ts";
import { scanIfAny } from "./declarations.ts";
import { bindingsOf, findMissingBindings } from "./bindings.ts";

/**
 * Writes what the platform file lacks: consumers of queues, triggers of cron jobs, bindings and migrations of durable
 * objects, the database, bindings that the code uses, and `nodejs_compat`. Comments and formatting stay.
 *
 * @param cwd The folder that the command was started in.
 * @param path Value of `--config`.
 * @returns A line for each entry that was written; empty when nothing is missing.
 * @throws {CliError} When the project cannot be read, or the file not be written.
 */
export async function writeMissing(cwd: string, path: string | undefined): Promise<string[]> {
  const config = await loadConfig(cwd, path);
  const { platformFile } = config;
  if (!existsSync(platformFile)) return [];
  const written: string[] = [];
  const flags = missingFlags(platformFile);
  if (flags.length > 0) written.push(...write(platformFile, flags));
  const platform = await readPlatform(config);
  const additions = await missingEntries(config, platform);
  if (additions.length > 0) written.push(...write(platformFile, additions));
  return written;
}

async function missingEntries(
  config: ProjectConfig,
  platform: Platform,
): Promise<ListAddition[]> {
  const scan = await scanIfAny(config);
  const background = scan === undefined
    ? []
    : compareBackground(scan, platform, config).faults.flatMap(({ additions }) => additions);
  const names = bindingsOf(background);
  const missing = findMissingBindings(config, platform).filter(({ name }) => !names.has(name));
  return [...background, ...missing.flatMap(({ addition }) => addition ?? [])];
}

function missingFlags(platformFile: string): ListAddition[] {
  const { value } = parse(platformFile);
  const flags = (value as { ["compatibility_flags"]?: JsonValue } | null)?.["compatibility_flags"];
  const found = Array.isArray(flags) && flags.includes("nodejs_compat");
  return found ? [] : [{ path: ["compatibility_flags"], item: "nodejs_compat" }];
}

function parse(platformFile: string): { value: JsonValue } {
  try {
    return parseJsonc(readFileSync(platformFile, "utf8"));
  } catch {
    // The examination says what is wrong with the file.
    return { value: { ["compatibility_flags"]: ["nodejs_compat"] } };
  }
}

/** Writes the file atomically; a link stays one. */
function write(platformFile: string, additions: readonly ListAddition[]): string[] {
  const name = basename(platformFile);
  let text = readFileSync(platformFile, "utf8");
  for (const addition of additions) {
    const next = appendToList(text, addition);
    if (next === null) {
      throw new CliError(`${name}: ${addition.path.join(".")} is not a list.`, {
        hint: `Correct it, then run the command again.`,
      });
    }
    text = next;
  }
  const target = realpathSync(platformFile);
  const draft = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text, { flag: "wx", mode: statSync(target).mode });
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new CliError(`${name} could not be written: ${(error as Error).message}.`, {
      hint: "Check the folder's permissions and the free disk space.",
      cause: error,
    });
  }
  return additions.map(({ path, item }) => `${path.join(".")} of ${name}: ${formatInline(item)}`);
}
