import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "./frame.ts";

/** An error of the worker in the terms of the application's files. */
export interface Explanation {
  /** The stack, with places in those files. */
  text: string;
  /** The first line of the stack that is the application's own. */
  place: Diagnostic | null;
}

/**
 * Finds the line of the application that an error comes from.
 *
 * @param stack The error's stack, with places in the application's files.
 * @param root Absolute path of the project, which those are relative to.
 */
export function explainError(stack: string, root: string): Explanation {
  // The emulator follows the worker's map too, to addresses of files.
  const text = stack.replaceAll(`file://${root}/`, "");
  const [message = ""] = text.split("\n", 1);
  for (const [, file = "", line, column] of text.matchAll(/(?:^|[\s(])([^\s():]+):(\d+):(\d+)/gm)) {
    if (file.includes("node_modules/") || file.startsWith("..") || file.startsWith(".framework/")) {
      continue;
    }
    const lineText = readLine(join(root, file), Number(line));
    if (lineText === undefined) continue;
    const place = { file, line: Number(line), column: Number(column), lineText };
    return { text, place: { message, ...place, notes: [] } };
  }
  return { text, place: null };
}

function readLine(file: string, line: number): string | undefined {
  try {
    return readFileSync(file, "utf8").split("\n")[line - 1];
  } catch {
    return undefined;
  }
}
