/**
 * Exit codes of the `framework` command. A wrong command line is `failure`.
 *
 * @example
 * ```ts
 * import { ExitCode } from "@framework/cli/project";
 * import { equal } from "node:assert/strict";
 *
 * equal(ExitCode.config, 2);
 * equal(ExitCode.interrupted, 130); // 128 + SIGINT, as shells have it
 * ```
 */
export const ExitCode: {
  readonly ok: 0;
  readonly failure: 1;
  readonly config: 2;
  readonly build: 3;
  readonly deploy: 4;
  readonly interrupted: 130;
} = { ok: 0, failure: 1, config: 2, build: 3, deploy: 4, interrupted: 130 };

/** Options for a {@linkcode CliError}, besides its message. */
export interface CliErrorOptions {
  /** Exit code of the process. Default: 1. */
  exitCode?: number;
  /** One line with the remedy. */
  hint?: string | undefined;
  /** Error that caused this one; its stack is shown with `--verbose`. */
  cause?: unknown;
}

/**
 * Expected failure: its message is printed unchanged, without a stack. The message says what failed
 * and what was found; `hint` says what to do.
 *
 * The message says what failed and what was found; `hint` says what to do.
 *
 * @example
 * ```ts
 * import { CliError, ExitCode } from "@framework/cli/project";
 * import { equal } from "node:assert/strict";
 *
 * const error = new CliError("There is no folder app/.", {
 *   exitCode: ExitCode.config,
 *   hint: "Run the command in the folder of an application.",
 * });
 * equal(error.exitCode, 2);
 * equal(new CliError("The port is taken.").exitCode, 1);
 * ```
 */
export class CliError extends Error {
  /** Exit code of the process. */
  readonly exitCode: number;
  /** One line with the remedy. */
  readonly hint: string | undefined;

  /**
   * Creates the error, for a tool that reports as the command does.
   *
   * @param message What failed and what was found, as one sentence.
   * @param options Exit code, hint and cause.
   */
  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CliError";
    this.exitCode = options.exitCode ?? ExitCode.failure;
    this.hint = options.hint;
  }
}

/**
 * Formats a failure as JSON: `{"error":{"code","message","hint"}}`, for commands with `--json`.
 *
 * @param error What was thrown.
 * @returns Text whose `code` is the name of the exit code: `failure`, `config`, `build` or `deploy`.
 */
export function renderJsonError(error: unknown): string {
  const exitCode = error instanceof CliError ? error.exitCode : ExitCode.failure;
  const code = Object.entries(ExitCode).find(([, value]) => value === exitCode)?.[0] ?? "failure";
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof CliError ? error.hint : undefined;
  return JSON.stringify({ error: { code, message, ...(hint === undefined ? {} : { hint }) } });
}
