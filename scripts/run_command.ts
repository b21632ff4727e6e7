/**
 * Runs a program and keeps what it says.
 *
 * @module
 */

/** Result of a finished program. */
export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** Options for running a program: its folder and environment. */
export interface RunOptions {
  cwd?: string;
  /** Added to the environment of this process. */
  env?: Record<string, string>;
}

/** Runs a program to its end, without colours; any exit code is an answer. */
export async function capture(
  command: string,
  args: string[],
  options: RunOptions = {},
): Promise<Finished> {
  const output = await new Deno.Command(command, {
    args,
    stdin: "null",
    ...options,
    env: { NO_COLOR: "1", ...options.env },
  }).output();
  const decoder = new TextDecoder();
  return {
    code: output.code,
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr),
  };
}

/**
 * Runs a program that has to succeed.
 *
 * @throws {Error} with everything that the program printed when its exit code is not 0.
 */
export async function run(
  command: string,
  args: string[],
  options: RunOptions = {},
): Promise<Finished> {
  const finished = await capture(command, args, options);
  if (finished.code !== 0) {
    const name = command === Deno.execPath() ? "deno" : command;
    throw new Error(
      `"${[name, ...args].join(" ")}" ended with exit code ${finished.code}.\n` +
        `${finished.stdout}${finished.stderr}`.trimEnd(),
    );
  }
  return finished;
}
