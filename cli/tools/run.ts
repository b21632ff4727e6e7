import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandContext } from "../terminal/command.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { requirePackage } from "./packages.ts";
import { findRuntime, type RuntimeProcess } from "./runtime.ts";

/** Settings for running a program of the project. */
export interface ToolRun {
  /** Absolute path of the project, where the program runs. */
  root: string;
  /** Environment variables. */
  env: Record<string, string | undefined>;
  /** Interrupts the program, as ^C does. */
  signal: AbortSignal;
  /** `inherit` gives the program the terminal, `pipe` collects its output. Default: `pipe`. */
  stdio?: "inherit" | "pipe";
  /** Receives the program's standard output and standard error as they arrive. */
  onOutput?(text: string): void;
  /** Shields the program from ^C in the terminal, so that it finishes its work. Default: false. */
  shielded?: boolean;
}

/** Result of a program. */
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
      reject(new CliError(`${command} could not be started: ${error.message}.`, { cause: error }));
    });
    child.once("close", (code) => {
      signal.removeEventListener("abort", interrupt);
      resolve({ code: code ?? 1, ...text });
    });
  });
}

/** Finds the script of a name in a package's `bin`. */
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

/**
 * Runs the project's wrangler without questions and telemetry.
 *
 * @param args Its arguments.
 * @param options How.
 * @throws {CliError} Exit code 2 when wrangler is not installed.
 */
export function runWrangler(args: string[], options: ToolRun): Promise<ToolResult> {
  const env = {
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
    ...options.env,
    // Below this level wrangler does not print its results.
    WRANGLER_LOG: "log",
  };
  return runPackage("wrangler", args, { ...options, env });
}

/**
 * Parses wrangler's JSON output, which notices may precede.
 *
 * @param stdout Its standard output.
 * @returns Undefined when there is none.
 */
export function readWranglerJson(stdout: string): unknown {
  for (const { index } of stdout.matchAll(/^[[{]/gm)) {
    try {
      return JSON.parse(stdout.slice(index));
    } catch {
      continue;
    }
  }
  return undefined;
}

/**
 * Returns wrangler's error message: from its JSON if that was requested, otherwise from its text.
 *
 * @param result What came of it.
 */
export function wranglerMessage(result: ToolResult): string {
  // The command has no such option, and a temporary account would not help.
  return rawMessage(result).split("\n").filter((line) => !line.includes("`--temporary`")).join("\n")
    .trim();
}

function rawMessage({ stdout, stderr }: ToolResult): string {
  const json = readWranglerJson(stdout) as
    | { error?: { text?: unknown; notes?: { text?: unknown }[] } }
    | undefined;
  const { text, notes = [] } = json?.error ?? {};
  if (typeof text === "string") {
    const reasons = notes.map((note) => String(note.text));
    // The URL of the request is of no help when the platform gives the reason.
    const lines = reasons.length > 0 && GENERIC.test(text) ? reasons : [text, ...reasons];
    return lines.join("\n").trim();
  }
  const plain = `${stderr}\n${stdout}`.replace(COLOR, "");
  const lines = plain.split("\n").map((line) => line.trimEnd());
  const start = lines.findIndex((line) => /\[ERROR\]/.test(line));
  if (start === -1) return lines.filter((line) => line !== "").slice(-5).join("\n");
  const error = lines.slice(start).join("\n").split(/\n+\s*(?:🪵|If you think)/u)[0] ?? "";
  const [first = "", ...rest] = error
    .replace(/^.*\[ERROR\]\s*/, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return (rest.length > 0 && GENERIC.test(first) ? rest : [first, ...rest]).join("\n");
}

const GENERIC = /^A request to the Cloudflare API .* failed\.$/;

// deno-lint-ignore no-control-regex -- colour sequences begin with the escape character.
const COLOR = /\x1b\[[0-9;]*m/g;

/**
 * Returns the exit code of a command whose tool has already reported its findings: the codes of
 * tools have other meanings here.
 *
 * @param ctx The running command.
 * @param tool What ended, for `--verbose`.
 * @param code Its exit code.
 */
export function toolExitCode({ output }: CommandContext, tool: string, code: number): number {
  if (code === 0) return ExitCode.ok;
  output.detail(`${tool} ended with code ${code}.`);
  return ExitCode.failure;
}
