import { CliError } from "./exit.ts";
import { type Keyboard, readTypedLine } from "./keyboard.ts";
import type { Output } from "./output.ts";

/** What {@linkcode confirmDestruction} needs of the running command. */
export interface ConfirmContext {
  output: Output;
  signal: AbortSignal;
  /** Undefined off a terminal. */
  keyboard: Keyboard | undefined;
  /** Whether the user gave `--yes`. */
  yes: boolean;
}

/**
 * Asks before data are lost. Off a terminal nobody can be asked, and silence is not consent.
 *
 * @param question What is about to happen, as a question.
 * @param context Where to ask.
 * @throws {CliError} Exit code 1 unless the answer is yes.
 */
export async function confirmDestruction(
  question: string,
  { output, signal, keyboard, yes }: ConfirmContext,
): Promise<void> {
  if (yes) return;
  if (keyboard === undefined) {
    throw new CliError("This loses data, and there is no terminal to ask on.", {
      hint: "Add --yes if it is meant.",
    });
  }
  output.warn(`${question} [y/N]`);
  const answer = await readTypedLine(keyboard, signal);
  if (/^\s*y(es)?\s*$/i.test(answer)) return;
  throw new CliError("Nothing was done.", { hint: "Answer y to go on." });
}
