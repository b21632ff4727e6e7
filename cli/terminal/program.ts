import { realpathSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ExitCode } from "./exit.ts";

/**
 * Whether a module is the program that was started, rather than imported. Node before 22.18 has no
 * `import.meta.main`; there the script's path decides, its links resolved, because npm starts programs
 * through a link in `node_modules/.bin`.
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
  // `framework --help | head -1`: the reader has what it wanted.
  process.stdout.on("error", (error: Error & { code?: string }) => {
    process.exit(error.code === "EPIPE" ? ExitCode.ok : ExitCode.failure);
  });
  const code = await run(process.argv.slice(2), interruption.signal);
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  return process.exit(code);
}

/** Pipes are written asynchronously: without this the end of a long output is lost at exit. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}
