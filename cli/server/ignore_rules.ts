/** Tells whether a file, by its path below the folder, is left out. */
export type IgnoreRules = (path: string) => boolean;

interface Rule {
  pattern: RegExp;
  isNegated: boolean;
  directoriesOnly: boolean;
}

/**
 * Reads an `.assetsignore` file, whose lines are those of a `.gitignore`; upper and lower case are the same, as for
 * wrangler. The last line that matches counts, and nothing below an ignored folder can be taken in again.
 *
 * @param text Content of the file.
 * @see https://git-scm.com/docs/gitignore#_pattern_format
 */
export function parseIgnoreRules(text: string): IgnoreRules {
  const rules = text.split(/\r?\n/).flatMap(parseLine);
  return (path) => {
    const parts = path.split("/");
    return parts.some((_, index) => {
      const isFile = index === parts.length - 1;
      const entry = parts.slice(0, index + 1).join("/");
      const rule = rules.findLast(({ pattern, directoriesOnly }) =>
        !(isFile && directoriesOnly) && pattern.test(entry)
      );
      return rule !== undefined && !rule.isNegated;
    });
  };
}

function parseLine(line: string): Rule[] {
  if (line.startsWith("#")) return [];
  // Spaces at the end count behind a backslash only.
  const given = line.replace(/(?<!\\) +$/, "");
  const isNegated = given.startsWith("!");
  const glob = isNegated ? given.slice(1) : given;
  const body = glob.replace(/\/$/, "");
  if (body === "") return [];
  // With a slash before its end it is a path from the folder, else a name anywhere below it.
  const source = (body.includes("/") ? "" : "(?:.*/)?") + toSource(body.replace(/^\//, ""));
  try {
    const pattern = new RegExp(`^${source}$`, "isu");
    return [{ pattern, isNegated, directoriesOnly: glob.endsWith("/") }];
  } catch {
    // A range in brackets that is none matches nothing.
    return [];
  }
}

/** Parts of a pattern: an escaped character, a range in brackets, and the wildcards. */
const PARTS = /\\.|\[[!^]?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|^\*\*\/|\/\*\*(?=\/|$)|\*+|\?|[^]/gu;

function toSource(glob: string): string {
  return glob.replace(PARTS, (part, at: number) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "/**") return at + part.length === glob.length ? "/.+" : "(?:/.*)?";
    if (part.startsWith("*")) return "[^/]*";
    if (part === "?") return "[^/]";
    if (part.startsWith("[") && part.length > 1) return toClass(part);
    return escape(part.replace(/^\\(?=[^])/, ""));
  });
}

function toClass(part: string): string {
  const [, negation, content = ""] = /^\[([!^])?([^]*)\]$/.exec(part)!;
  const members = content.replace(/\\[^]|\[:\w+:\]|[^]/gu, (member) => {
    if (member.length > 2 && member.startsWith("[:")) return CLASSES[member.slice(2, -2)] ?? "";
    return member === "-" ? member : escape(member.replace(/^\\(?=[^])/, ""));
  });
  return `(?!/)[${negation === undefined ? "" : "^"}${members}]`;
}

const CLASSES: Record<string, string> = {
  alnum: "a-zA-Z0-9",
  alpha: "a-zA-Z",
  digit: "0-9",
  lower: "a-z",
  space: "\\s",
  upper: "A-Z",
  xdigit: "0-9A-Fa-f",
};

function escape(text: string): string {
  return text.replace(
    /[\\^$.*+?()[\]{}|/-]/g,
    (character) => `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
}
