/**
 * Says in the terminal what a step of the demo has come to.
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";

/** Options for {@linkcode step}. */
export interface StepOptions {
  /** Says how much of the step is done; asked each time before the seconds are printed. */
  measure?: (() => Promise<string>) | undefined;
  /** Milliseconds after which a step that is not done yet says how long it has gone on. Default: 5000. */
  every?: number;
  /** Takes what is printed. Default: standard error. */
  write?: (text: string) => unknown;
}

/**
 * Runs a step, and prints its title, what it says of itself, and the seconds that it took.
 *
 * @param title As in `Building the packages`.
 * @param action The step; it is given a function that prints a part which is done.
 * @param options Measure of what is done, and where it is printed.
 * @throws What the action throws.
 */
export async function step<Result>(
  title: string,
  action: (say: (done: string) => void) => Promise<Result>,
  options: StepOptions = {},
): Promise<Result> {
  const { measure, every = 5000, write = (text: string) => process.stderr.write(text) } = options;
  const started = performance.now();
  const seconds = (digits: number) => ((performance.now() - started) / 1000).toFixed(digits);
  write(`${title} … `);
  let isDone = false;
  const alive = setInterval(async () => {
    const measured = measure === undefined ? "" : `${await measure()}, `;
    if (!isDone) write(`${measured}${seconds(0)} s … `);
  }, every);
  try {
    const result = await action((done) => write(`${done} … `));
    isDone = true;
    write(`${seconds(1)} s\n`);
    return result;
  } finally {
    isDone = true;
    clearInterval(alive);
  }
}

/**
 * Counts the packages that Deno has put into an application so far.
 *
 * @param folder Absolute path of the application.
 * @returns As in `41 packages`.
 */
export async function countPackages(folder: string): Promise<string> {
  let count = 0;
  try {
    for await (const { name } of Deno.readDir(join(folder, "node_modules", ".deno"))) {
      if (/@\d/.test(name)) count++;
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return `${count} package${count === 1 ? "" : "s"}`;
}
