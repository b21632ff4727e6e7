import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The keyboard of a terminal. */
export interface Keyboard extends Readable {
  /** Raw mode hands over each key as it is pressed and shows none. */
  setRawMode(raw: boolean): unknown;
}

/**
 * Waits for one line from the keyboard.
 *
 * @param keyboard Where it is typed.
 * @param signal Ends the wait.
 * @returns The line; empty when the signal or the end of the input came first.
 */
export function readTypedLine(keyboard: Keyboard, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: keyboard, terminal: false });
    let typed = "";
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
