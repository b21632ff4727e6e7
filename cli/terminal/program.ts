import { realpathSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ExitCode } from "./exit.ts";

/**
 * Returns true when a module is the program that was started, rather than imported. Node before 22.18 has
 * no `import.meta.main`; there the script's path decides, its links resolved, because npm starts
 * programs through a link in `node_modules/.bin`.
 *
 * @param meta `import.meta` of the module.
 */
export function isProgram(meta: { url: string; main?: boolean }): boolean {
  if (typeof meta.main === "boolean") return meta.main;
  const script = process.argv[1];
  if (script === undefined || !meta.url.startsWith("file:")) return false;
  try {
    return realpathSync(script) === realpathSync(fileURLToPath(meta.url));
  } catch {
    return false;
  }
}

/**
 * Connects a run to this process: arguments, interruption, exit code.
 *
 * The first Ctrl-C (or SIGTERM) aborts the signal, so that the command can clean up; a second one ends the
 * process at once.
 *
 * @param run Runs the command line; resolves with the exit code.
 */
export async function runProgram(
  run: (argv: string[], signal: AbortSignal) => Promise<number>,
): Promise<never> {
  const interruption = new AbortController();
  function interrupt(): void {
    if (interruption.signal.aborted) process.exit(ExitCode.interrupted);
    interruption.abort();
  }
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  // `framework --help | head -1`: the reader has closed the pipe.
  process.stdout.on("error", (error: Error & { code?: string }) => {
    process.exit(error.code === "EPIPE" ? ExitCode.ok : ExitCode.failure);
  });
  // Exit code of a process that has nothing left to wait for, although the run has not ended.
  process.exitCode = ExitCode.failure;
  const code = await run(process.argv.slice(2), interruption.signal);
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  return process.exit(code);
}

/**
 * Flushes a pipe, which is written asynchronously: otherwise the end of a long output would be lost
 * at exit.
 */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}

/** Oldest supported Node: the first whose `node:sqlite` needs no flag. */
const OLDEST_NODE = [22, 13] as const;

/**
 * Returns true when a version of Node is new enough for the command.
 *
 * @param version For example `22.13.0` or `v22.13.0`.
 */
export function isSupportedNode(version: string | undefined): boolean {
  const match = /^v?(\d+)\.(\d+)\./.exec(version?.trim() ?? "");
  if (match === null) return false;
  const major = Number(match[1]);
  const minor = Number(match[2]);
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}

/**
 * Advice for an unsupported Node; undefined when the runtime is fine.
 *
 * @param versions `process.versions`.
 */
export function unsupportedRuntime(
  versions: Record<string, string | undefined>,
): { message: string; hint: string } | undefined {
  if (versions["deno"] !== undefined || isSupportedNode(versions["node"])) return undefined;
  return {
    message: `framework needs Node 22.13 or newer, or Deno; this is Node ${versions["node"]}.`,
    hint:
      "Install Node 22.13 or newer, or run `npx -y deno@2.9.6 run -A npm:@framework/cli` in place of `framework`.",
  };
}
