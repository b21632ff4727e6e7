import { type Token, tokenize } from "./tokens.ts";

/**
 * Reads the texts that a file exports under a name, without running it: `export const name = "a"`, or a list of texts.
 *
 * @param source Text of the file.
 * @param name What is exported.
 * @param options `jsx`: whether the file may hold JSX.
 * @returns The texts; null unless they are written out there.
 */
export function readExportedTexts(
  source: string,
  name: string,
  options: { jsx: boolean },
): string[] | null {
  const tokens = tokenize(source, options) ?? [];
  const start = tokens.findIndex((token, index) =>
    token.text === "export" && token.depth === 0 && tokens[index + 1]?.text === "const" &&
    tokens[index + 2]?.text === name
  );
  if (start === -1) return null;
  const equals = tokens.findIndex(({ text, depth }, index) =>
    index > start && text === "=" && depth === 0
  );
  const first = tokens[equals + 1];
  if (equals === -1 || first === undefined) return null;
  if (first.text !== "[") return readList(tokens.slice(equals + 1, equals + 2));
  const end = tokens.findIndex(({ text }, index) => index > equals && text === "]");
  return readList(tokens.slice(equals + 2, end).filter(({ text }) => text !== ","));
}

function readList(tokens: Token[]): string[] | null {
  if (tokens.length === 0 || tokens.some(({ kind }) => kind !== "string")) return null;
  return tokens.map(({ text }) => text.slice(1, -1));
}
