/** Colour functions for one stream; each returns its text unchanged when colour is off. */
export interface Colors {
  /** True when the functions add escape sequences. */
  readonly enabled: boolean;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/**
 * Creates the colour functions.
 *
 * @param enabled Whether escape sequences are added.
 */
export function createColors(enabled: boolean): Colors {
  function paint(open: number, close: number): (text: string) => string {
    return (text) => enabled ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  }
  return {
    enabled,
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

/**
 * Decides whether a stream gets colour: by `NO_COLOR`, then by `FORCE_COLOR`, then by whether the
 * stream is a terminal that is neither dumb nor of a build server.
 *
 * @param env Environment variables.
 * @param isTerminal Whether the stream is a terminal.
 * @see https://no-color.org
 */
export function wantsColor(env: Record<string, string | undefined>, isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  return isTerminal && env["TERM"] !== "dumb" && !env["CI"];
}

/**
 * Replaces control characters, so that a file name or a compiler message cannot move the cursor,
 * clear the screen or rename the window. Line feeds and tabs stay.
 *
 * @param text Text of unknown origin.
 * @param options `allowColor` keeps colour sequences (SGR); everything else is replaced by `�`.
 */
export function printable(text: string, options: { allowColor?: boolean } = {}): string {
  return text.replace(CONTROL, (found) => {
    if (options.allowColor && found.length > 1) return found;
    return found.length > 1 ? "" : "\ufffd";
  });
}

// deno-lint-ignore no-control-regex -- control characters are the subject here.
const CONTROL = /\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** Formats a size for people: `512 B`, `20.3 kB`, `1.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, "kB"] : [bytes / 1_000_000, "MB"];
  return `${value.toFixed(1)} ${unit}`;
}

/** Part of a writable stream that terminal output needs. */
export interface TextStream {
  /** Writes a text; the return value is ignored. */
  write(text: string): unknown;
  /**
   * True for a terminal, which gets colours. `NO_COLOR` and `FORCE_COLOR` take precedence. Default
   * false.
   */
  isTTY?: boolean | undefined;
}

/** Output of a command: progress and problems to stderr, data to stdout. */
export interface Output {
  /** Prints progress to stderr, except with `--quiet`. */
  info(line: string): void;
  /** Prints a finished step to stderr, except with `--quiet`. */
  success(line: string): void;
  /** Prints a warning to stderr. */
  warn(line: string): void;
  /** Prints a failure and, on a second line, the remedy to stderr. */
  error(line: string, hint?: string): void;
  /** Prints progress to stderr, only with `--verbose`. */
  detail(line: string): void;
  /** Prints the result to stdout, with a final line break. */
  data(text: string): void;
  /** Colours for stderr. */
  readonly color: Colors;
  /** Colours for stdout. */
  readonly dataColor: Colors;
  /** True when `--verbose` was given. */
  readonly verbose: boolean;
  /** True when `--quiet` was given. */
  readonly quiet: boolean;
}

/** Options for {@linkcode createOutput}. */
export interface OutputOptions {
  stdout: TextStream;
  stderr: TextStream;
  env: Record<string, string | undefined>;
  verbose?: boolean;
  quiet?: boolean;
}

/**
 * Creates the output of one run.
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
