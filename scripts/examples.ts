/**
 * Finds the examples of docstrings and guides, as `deno test --doc` does.
 *
 * @module
 */

/** A fenced block of code that is run. */
export interface Example {
  /** Line of its first line of code, from 1. */
  line: number;
  language: string;
  /** The code. */
  text: string;
}

/**
 * The examples of a file: fenced blocks of TypeScript or JavaScript, in comments of code and anywhere
 * in Markdown, without those that say `ignore`.
 */
export function readExamples(text: string, { markdown }: { markdown: boolean }): Example[] {
  const examples: Example[] = [];
  const fence = markdown
    ? /^([ ]*)```([jt]sx?)[ ]*\n([\s\S]*?)^[ ]*```[ ]*$/gm
    : /^([ ]*\*[ ]?)```([jt]sx?)[ ]*\n([\s\S]*?)^[ ]*\*[ ]*```[ ]*$/gm;
  for (const match of text.matchAll(fence)) {
    const [, , language, body] = match;
    const code = markdown ? body! : body!.replace(/^[ ]*\*[ ]?/gm, "");
    const line = text.slice(0, match.index).split("\n").length + 1;
    examples.push({ line, language: language!, text: code });
  }
  return examples;
}
