import { type Token, tokenize } from "../source/tokens.ts";

/**
 * Reads what a file exports as `schedule` without running it, so that a build can compare it with the platform's file.
 *
 * @param source Text of the file.
 * @returns The cron expressions; null unless it is a string or a list of strings, written there.
 */
export function readSchedule(source: string): string[] | null {
  const tokens = tokenize(source, { jsx: false }) ?? [];
  const start = tokens.findIndex((token, index) =>
    token.text === "export" && token.depth === 0 && tokens[index + 1]?.text === "const" &&
    tokens[index + 2]?.text === "schedule"
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
