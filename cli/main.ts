#!/usr/bin/env node
/**
 * Program `framework`. When imported, it runs nothing and exports {@linkcode runCli}.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { runCli } from "@framework/cli/main";
 *
 * let text = "";
 * const code = await runCli(["--version"], { stdout: { write: (part) => text += part } });
 * assert.equal(code, 0);
 * assert.match(text, /^\d+\.\d+\.\d+/);
 * ```
 *
 * @module
 */
import process from "node:process";
import { type CliIo, dispatch } from "./commands/dispatch.ts";
import { commands } from "./commands/registry.ts";
import { isProgram, runProgram } from "./terminal/program.ts";

export type { CliIo } from "./commands/dispatch.ts";
export type { Keyboard } from "./terminal/keyboard.ts";
export type { TextStream } from "./terminal/output.ts";

/**
 * Runs one command line in this process, as the program `framework` does, without ending the
 * process.
 *
 * @param argv Arguments without runtime and script, for example `["migrate", "up"]`.
 * @param io What to replace of the outside world. Default: this process, without a keyboard, so
 * that nothing is asked.
 * @returns The exit code: 0 success, 1 failure, 2 configuration, 3 build, 4 deployment, 130 interrupted.
 * Never rejects.
 *
 * @example
 * ```ts
 * import { runCli } from "@framework/cli/main";
 * import { equal, match } from "node:assert/strict";
 *
 * let problems = "";
 * const code = await runCli(["migrat"], { stderr: { write: (text) => problems += text } });
 * equal(code, 1);
 * match(problems, /migrate/); // it says what was meant
 * ```
 */
export function runCli(argv: readonly string[], io: Partial<CliIo> = {}): Promise<number> {
  const world: CliIo = {
    cwd: io.cwd ?? process.cwd(),
    env: io.env ?? process.env,
    stdout: io.stdout ?? process.stdout,
    stderr: io.stderr ?? process.stderr,
    signal: io.signal ?? new AbortController().signal,
    keyboard: io.keyboard,
    versions: io.versions ?? process.versions,
  };
  return dispatch(argv, world, commands);
}

if (isProgram(import.meta)) {
  const { stdin, stderr } = process;
  // Questions go to stderr: without a terminal there, nobody reads them.
  const keyboard = stdin.isTTY && stderr.isTTY ? stdin : undefined;
  // Not awaited: V8 in Node 22 may lose a module with a pending top-level await and end the process
  // (nodejs/node#53238).
  void runProgram((argv, signal) => runCli(argv, { signal, keyboard }));
}
