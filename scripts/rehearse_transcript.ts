/**
 * The transcript of a rehearsal.
 *
 * @module
 */

/** Hears what is done: commands, with what they said that is the same at every run, and what else is to be known. */
export interface Transcript {
  heading(text: string): void;
  command(line: string, said?: readonly string[]): void;
  note(text: string): void;
}

/** Collects the lines of a transcript, and says each as it comes. */
export function createTranscript(
  say: (line: string) => void,
): { told: Transcript; text(): string } {
  const lines: string[] = [];
  function write(line: string): void {
    lines.push(line);
    say(line);
  }
  return {
    told: {
      heading(text) {
        if (lines.length > 0) write("");
        write(`== ${text}`);
      },
      command(line, said = []) {
        for (const part of line.split("\n")) write(`$ ${part}`);
        for (const one of said) write(`  ${one}`);
      },
      note: (text) => write(`  # ${text}`),
    },
    text: () => `${lines.join("\n")}\n`,
  };
}
