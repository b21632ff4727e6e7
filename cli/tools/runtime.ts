import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import process from "node:process";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { isSupportedNode } from "../terminal/program.ts";

/** A JavaScript runtime that can run the project's tools. */
export interface RuntimeProcess {
  /** Absolute path of the executable. */
  command: string;
  /** Arguments before the script's path. */
  args: string[];
  /** Kind of runtime. */
  kind: "node" | "deno";
}

/** Environment that {@linkcode findRuntime} searches; replaced in tests. */
export interface RuntimeSearch {
  /** The executable of this process. */
  execPath?: string;
  /** `process.versions` of this process. */
  versions?: Record<string, string | undefined>;
  /** Returns an executable's version line. */
  versionOf?(command: string): string;
}

/**
 * Finds the runtime for the project's tools: the current one, otherwise Node or Deno from the
 * `PATH`. The compiled command is neither, so that the `PATH` decides.
 *
 * @param env Environment variables, for `PATH`.
 * @param search What to look at besides; the current process by default.
 * @throws {CliError} Exit code 2 when there is neither Node 22.13 or newer nor Deno.
 */
export function findRuntime(
  env: Record<string, string | undefined>,
  search: RuntimeSearch = {},
): RuntimeProcess {
  const execPath = search.execPath ?? process.execPath;
  const versions: Record<string, string | undefined> = search.versions ?? process.versions;
  const name = basename(execPath).replace(/\.exe$/i, "");
  if (versions["deno"] !== undefined) {
    if (name === "deno") return deno(execPath);
  } else if (isSupportedNode(versions["node"])) {
    return node(execPath);
  }

  const found = findOnPath("node", env);
  let tooOld: string | undefined;
  if (found !== undefined) {
    const version = (search.versionOf ?? askVersion)(found);
    if (isSupportedNode(version)) return node(found);
    tooOld = version;
  }
  const denoPath = findOnPath("deno", env);
  if (denoPath !== undefined) return deno(denoPath);
  throw new CliError(
    tooOld === undefined
      ? "This command requires Node 22.13 or newer, or Deno, and found neither on the PATH."
      : `This command requires Node 22.13 or newer, or Deno, and found Node ${tooOld.trim()}.`,
    {
      exitCode: ExitCode.config,
      hint: "Install Node 22.13 or newer (https://nodejs.org) or Deno (https://deno.com).",
    },
  );
}

function node(command: string): RuntimeProcess {
  return { command, args: [], kind: "node" };
}

function deno(command: string): RuntimeProcess {
  return { command, args: ["run", "--allow-all"], kind: "deno" };
}

function askVersion(command: string): string {
  const result = spawnSync(command, ["--version"], { encoding: "utf8", timeout: 10_000 });
  return result.status === 0 ? result.stdout : "";
}

/**
 * Looks for a program on the `PATH`, in absolute folders only.
 *
 * @param name Its name, without ending.
 * @param env Environment variables.
 */
export function findOnPath(
  name: string,
  env: Record<string, string | undefined>,
): string | undefined {
  const extensions = process.platform === "win32" ? [".exe"] : [""];
  // A relative or empty entry means the current folder, where a project could plant its own `node`.
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter(isAbsoluteFolder);
  for (const folder of folders) {
    for (const extension of extensions) {
      const candidate = join(folder, name + extension);
      if (isExecutable(candidate)) return candidate;
    }
  }
  return undefined;
}

/**
 * Checks the file's mode: for `access`, Deno requires more permissions than the compiled command
 * has.
 */
function isExecutable(path: string): boolean {
  try {
    const found = statSync(path);
    return found.isFile() && (process.platform === "win32" || (found.mode & 0o111) !== 0);
  } catch {
    return false;
  }
}

function isAbsoluteFolder(folder: string): boolean {
  return /^([a-z]:[\\/]|\/)/i.test(folder);
}

/** Finds Deno: the current process, otherwise a program on the `PATH`. */
export function findDeno(env: Record<string, string | undefined>): string | undefined {
  const isDeno = process.versions["deno"] !== undefined &&
    /^deno(\.exe)?$/i.test(basename(process.execPath));
  return isDeno ? process.execPath : findOnPath("deno", env);
}
