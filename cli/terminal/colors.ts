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
 * Makes the colour functions.
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
 * Decides whether a stream gets colour: `NO_COLOR`, then `FORCE_COLOR`, then whether the stream is a
 * terminal that is neither dumb nor a build server's.
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
