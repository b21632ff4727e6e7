import type { Colors } from "./output.ts";

/** A problem that the bundler found, with the place in the application's files. */
export interface Diagnostic {
  message: string;
  /** Relative to the project. */
  file?: string;
  /** Counted from 1. */
  line?: number;
  /** Counted from 1. */
  column?: number;
  /** Number of characters to mark. */
  length?: number;
  /** The line itself. */
  lineText?: string;
  notes: string[];
}

const contextWidth = 160;

/** A build's problem as people read it: place, message, the line and a mark under what is meant. */
export function formatDiagnostic(diagnostic: Diagnostic, color: Colors): string {
  const { message, file, line, column = 1, length = 1, lineText, notes } = diagnostic;
  const place = file === undefined ? "" : `${color.cyan(`${file}:${line}:${column}`)} `;
  const lines = [`${place}${color.bold(message)}`];
  if (lineText !== undefined && line !== undefined) {
    const number = String(line);
    // A minified line would fill the terminal: only what stands around the place is shown.
    const start = Math.max(0, column - 1 - contextWidth / 2);
    const text = lineText.slice(start, start + contextWidth).replaceAll("\t", " ");
    const mark = "^".repeat(Math.max(1, Math.min(length, text.length - (column - 1 - start))));
    lines.push(
      `${color.dim(`  ${number} |`)} ${text}`,
      `${color.dim(`  ${" ".repeat(number.length)} |`)} ${" ".repeat(column - 1 - start)}${
        color.red(mark)
      }`,
    );
  }
  for (const note of notes) lines.push(color.dim(`  ${note}`));
  return lines.join("\n");
}
