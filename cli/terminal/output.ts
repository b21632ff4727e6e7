import { type Colors, createColors, wantsColor } from "./colors.ts";
import { printable } from "./printable.ts";

/** The part of a writable stream that the terminal output needs. */
export interface TextStream {
  /** Takes a part of the text; what it returns is not looked at. */
  write(text: string): unknown;
  /**
   * Whether somebody watches: colours are for those. `NO_COLOR` and `FORCE_COLOR` win. Default
   * false.
   */
  isTTY?: boolean | undefined;
}

/** Where a command writes: progress and problems to stderr, data to stdout. */
export interface Output {
  /** Progress, to stderr. Silent with `--quiet`. */
  info(line: string): void;
  /** A finished step, to stderr. Silent with `--quiet`. */
  success(line: string): void;
  /** Something the user should know, to stderr. */
  warn(line: string): void;
  /** What failed and, on a second line, what to do; to stderr. */
  error(line: string, hint?: string): void;
  /** Progress that only `--verbose` shows, to stderr. */
  detail(line: string): void;
  /** The result itself, to stdout. A line end is added when there is none. */
  data(text: string): void;
  /** Colours for stderr. */
  readonly color: Colors;
  /** Colours for stdout. */
  readonly dataColor: Colors;
  /** Whether `--verbose` was given. */
  readonly verbose: boolean;
  /** Whether `--quiet` was given. */
  readonly quiet: boolean;
}

/** What {@linkcode createOutput} needs. */
export interface OutputOptions {
  stdout: TextStream;
  stderr: TextStream;
  env: Record<string, string | undefined>;
  verbose?: boolean;
  quiet?: boolean;
}

/**
 * Makes the output of one run.
 *
 * @param options Streams, environment and the two global switches.
 */
export function createOutput(options: OutputOptions): Output {
  const { stdout, stderr, env } = options;
  const verbose = options.verbose ?? false;
  const quiet = options.quiet ?? false;
  const color = createColors(wantsColor(env, stderr.isTTY === true));
  const dataColor = createColors(wantsColor(env, stdout.isTTY === true));
  function line(text: string): void {
    stderr.write(`${printable(text, { allowColor: color.enabled })}\n`);
  }
  return {
    color,
    dataColor,
    verbose,
    quiet,
    info(text) {
      if (!quiet) line(text);
    },
    success(text) {
      if (!quiet) line(`${color.green("✓")} ${text}`);
    },
    warn(text) {
      line(`${color.yellow("warning:")} ${text}`);
    },
    error(text, hint) {
      line(`${color.red(color.bold("error:"))} ${text}`);
      if (hint !== undefined) line(`${color.cyan("hint:")} ${hint}`);
    },
    detail(text) {
      if (verbose) line(color.dim(text));
    },
    data(text) {
      stdout.write(text.endsWith("\n") ? text : `${text}\n`);
    },
  };
}
