import type { Colors } from "./output.ts";

/** Problem found by the bundler, with its position in the application's files. */
export interface Diagnostic {
  message: string;
  /** File, relative to the project. */
  file?: string;
  /** Line, counted from 1. */
  line?: number;
  /** Column, counted from 1. */
  column?: number;
  /** Number of characters to mark. */
  length?: number;
  /** Text of the line. */
  lineText?: string;
  notes: string[];
}

const contextWidth = 160;

/**
 * Formats a build problem for people: position, message, the line, and a mark under the relevant
 * part.
 */
export function formatDiagnostic(diagnostic: Diagnostic, color: Colors): string {
  const { message, file, line, column = 1, length = 1, lineText, notes } = diagnostic;
  const place = file === undefined ? "" : `${color.cyan(`${file}:${line}:${column}`)} `;
  const lines = [`${place}${color.bold(message)}`];
  if (lineText !== undefined && line !== undefined) {
    const number = String(line);
    // A minified line would fill the terminal: only the text around the position is shown.
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
