import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

const DOCUMENT = ["node_modules", "@framework", "auth", "docs", "error_codes.md"];

/** Names of an error in a text: its class before its message, or its code. */
const NAMED = /\b([A-Z]\w*Error)(?=:)|\bcode"?[:=] ?["']?([A-Z]{3,}(?:_[A-Z]+)*)\b/g;

/**
 * Says where the installed documents explain an error, for terminals and pages of development.
 *
 * @param text Text with an error: its stack, or a line of the log.
 * @param root Absolute path of the project.
 * @returns A sentence with the file and the line, which terminals open; undefined when no error of the packages is named,
 * or their documents are not installed.
 */
export function pointToCode(text: string, root: string): string | undefined {
  const named = [...text.matchAll(NAMED)];
  if (named.length === 0) return undefined;
  const file = findDocument(root);
  if (file === undefined) return undefined;
  const lines = readFileSync(file, "utf8").split("\n");
  for (const [, name, code] of named) {
    // The facts below a heading begin with the class.
    const line = code === undefined
      ? lines.findIndex((each) => each.startsWith(`\`${name}\` of `)) - 2
      : lines.indexOf(`### ${code}`);
    if (line < 0) continue;
    const path = relative(root, file).split(sep).join("/");
    return `About ${lines[line]!.replace("### ", "")}: ${path}:${line + 1}`;
  }
  return undefined;
}

function findDocument(root: string): string | undefined {
  for (let folder = root;; folder = dirname(folder)) {
    const file = join(folder, ...DOCUMENT);
    if (existsSync(file)) return file;
    if (dirname(folder) === folder) return undefined;
  }
}
