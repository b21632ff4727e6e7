import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../terminal/exit.ts";
import { findRuntime, type RuntimeProcess } from "./runtime_process.ts";
import { requirePackage } from "./tools.ts";

/** A program of the project, and how to run it. */
export interface ToolRun {
  /** Absolute path of the project, where the program runs. */
  root: string;
  /** Environment variables. */
  env: Record<string, string | undefined>;
  /** Interrupts the program, as ^C does. */
  signal: AbortSignal;
  /**
   * `inherit` leaves the terminal to the program, `pipe` collects what it prints. Default: `pipe`.
   */
  stdio?: "inherit" | "pipe";
  /** Takes what the program prints to standard output and standard error, as it comes. */
  onOutput?(text: string): void;
  /** Whether ^C in the terminal must not reach the program: it finishes what it began. Default: false. */
  shielded?: boolean;
}

/** What came of it. */
export interface ToolResult {
  /** Exit code; 1 when a signal ended the program. */
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a script of a package that the project has installed, with Node or Deno.
 *
 * @param packageName Name of the package, for example `wrangler`.
 * @param args Arguments after the script.
 * @param options How; `runtime` where it cannot be either.
 * @throws {CliError} Exit code 2 when the package, or a runtime for it, is missing.
 */
export function runPackage(
  packageName: string,
  args: string[],
  options: ToolRun & { bin?: string; runtime?: RuntimeProcess },
): Promise<ToolResult> {
  const script = packageScript(packageName, options.bin ?? packageName, options.root);
  const runtime = options.runtime ?? findRuntime(options.env);
  return runProgram(runtime.command, [...runtime.args, script, ...args], options);
}

/**
 * Runs a program to its end.
 *
 * @param command Absolute path of the program.
 * @param args Its arguments.
 * @param options How.
 * @throws {CliError} Exit code 1 when it cannot be started.
 */
export function runProgram(command: string, args: string[], options: ToolRun): Promise<ToolResult> {
  const { root, env, signal, stdio = "pipe", onOutput, shielded = false } = options;
  const child = spawn(command, args, {
    cwd: root,
    env: { ...env, DENO_NO_UPDATE_CHECK: "1" },
    stdio: stdio === "inherit" ? "inherit" : ["ignore", "pipe", "pipe"],
    detached: shielded,
    windowsHide: true,
  });
  const text = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (part: string) => {
      text[name] += part;
      onOutput?.(part);
    });
  }
  return new Promise((resolve, reject) => {
    function interrupt(): void {
      child.kill("SIGINT");
    }
    if (!shielded) {
      if (signal.aborted) interrupt();
      signal.addEventListener("abort", interrupt, { once: true });
    }
    child.once("error", (error) => {
      reject(new CliError(`${command} cannot be started: ${error.message}.`, { cause: error }));
    });
    child.once("close", (code) => {
      signal.removeEventListener("abort", interrupt);
      resolve({ code: code ?? 1, ...text });
    });
  });
}

/** The script behind a name in a package's `bin`. */
function packageScript(packageName: string, bin: string, root: string): string {
  const folder = requirePackage(packageName, root);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    bin?: string | Record<string, string>;
  };
  const path = typeof manifest.bin === "string" ? manifest.bin : manifest.bin?.[bin];
  if (path === undefined) {
    throw new CliError(`The installed package ${packageName} has no program ${bin}.`, {
      hint: "Install another version of it.",
    });
  }
  return join(folder, path);
}
