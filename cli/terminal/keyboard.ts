import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { CliError, ExitCode } from "./exit.ts";
import type { Output } from "./output.ts";

/** Keyboard of a terminal. */
export interface Keyboard extends Readable {
  /** Sets raw mode, which passes each key as it is pressed and echoes none. */
  setRawMode(raw: boolean): unknown;
}

/**
 * Waits for one line from the keyboard.
 *
 * @param keyboard Where it is typed.
 * @param signal Ends the wait.
 * @returns The line; null when the signal or the end of the input came first.
 */
function readTypedLine(keyboard: Keyboard, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: keyboard, terminal: false });
    let typed: string | null = null;
    function close(): void {
      lines.close();
    }
    lines.once("line", (line) => {
      typed = line;
      close();
    });
    lines.once("close", () => {
      signal.removeEventListener("abort", close);
      keyboard.pause();
      resolve(typed);
    });
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
  });
}

/** The terminal that {@linkcode ask} uses. */
export interface AskContext {
  output: Output;
  signal: AbortSignal;
  keyboard: Keyboard;
}

/**
 * Asks a question until the answer can be used.
 *
 * @param question Text of the question.
 * @param read Reads a typed line; undefined for one that cannot be used. An empty line is what Enter alone types.
 * @param context The terminal.
 * @throws {CliError} Exit code 130 when the input ends or the user interrupts.
 */
export async function ask<T>(
  question: string,
  read: (line: string) => T | undefined,
  { output, signal, keyboard }: AskContext,
): Promise<T> {
  for (;;) {
    output.info(question);
    const line = await readTypedLine(keyboard, signal);
    if (line === null || signal.aborted) {
      throw new CliError("Nothing was created.", { exitCode: ExitCode.interrupted });
    }
    const answer = read(line.trim());
    if (answer !== undefined) return answer;
  }
}

/** Context for {@linkcode confirm}. */
export interface ConfirmContext {
  output: Output;
  signal: AbortSignal;
  /** The keyboard; undefined without a terminal. */
  keyboard: Keyboard | undefined;
  /** True when the user gave `--yes`. */
  yes: boolean;
  /** Predicate of the error without a terminal, such as `deletes data`. */
  effect: string;
}

/**
 * Asks before a command does what cannot be taken back. Without a terminal nobody can be asked, and silence is not
 * consent.
 *
 * @param question What is about to happen, as a question.
 * @param context Where to ask.
 * @throws {CliError} Exit code 1 unless the answer is yes.
 */
export async function confirm(
  question: string,
  { output, signal, keyboard, yes, effect }: ConfirmContext,
): Promise<void> {
  if (yes) return;
  if (keyboard === undefined) {
    throw new CliError(`This ${effect}, and there is no terminal to ask for confirmation.`, {
      hint: "Add --yes to confirm.",
    });
  }
  output.warn(`${question} [y/N]`);
  const answer = await readTypedLine(keyboard, signal);
  if (/^\s*y(es)?\s*$/i.test(answer ?? "")) return;
  throw new CliError("Nothing was changed.", { hint: "Answer y to go on." });
}

/**
 * Asks before data is lost.
 *
 * @param question What is about to happen, as a question.
 * @param context Where to ask.
 * @throws {CliError} Exit code 1 unless the answer is yes.
 */
export function confirmDestruction(
  question: string,
  context: Omit<ConfirmContext, "effect">,
): Promise<void> {
  return confirm(question, { ...context, effect: "deletes data" });
}
