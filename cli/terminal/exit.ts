/** Exit codes of the `framework` command. Usage errors are `failure`. */
export const ExitCode: {
  readonly ok: 0;
  readonly failure: 1;
  readonly config: 2;
  readonly build: 3;
  readonly deploy: 4;
  readonly interrupted: 130;
} = { ok: 0, failure: 1, config: 2, build: 3, deploy: 4, interrupted: 130 };

/** What a {@linkcode CliError} may carry besides its message. */
export interface CliErrorOptions {
  /** Exit code of the process. Default: 1. */
  exitCode?: number;
  /** One line that says what to do. */
  hint?: string | undefined;
  /** The error behind this one; its stack is shown with `--verbose`. */
  cause?: unknown;
}

/**
 * An expected failure: its message goes to the terminal as it is, without a stack.
 *
 * The message says what failed and what was found; `hint` says what to do.
 */
export class CliError extends Error {
  /** Exit code of the process. */
  readonly exitCode: number;
  /** One line that says what to do. */
  readonly hint: string | undefined;

  /**
   * @param message What failed, as one sentence.
   * @param options Exit code, hint and cause.
   */
  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CliError";
    this.exitCode = options.exitCode ?? ExitCode.failure;
    this.hint = options.hint;
  }
}
