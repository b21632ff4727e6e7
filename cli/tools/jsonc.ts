/** Value of a JSON text. */
export type JsonValue = null | boolean | number | string | JsonValue[] | {
  [key: string]: JsonValue;
};

/** Object of a JSON text. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Parsed document that knows the line of each value. */
export interface JsoncDocument {
  /** Parsed value. */
  value: JsonValue;
  /**
   * Returns the line of the value at a path such as `d1_databases[0].binding`; 1 for an unknown
   * path.
   */
  lineOf(path: string): number;
  /** Returns the offsets of the value at a path, from its first character to after its last. */
  rangeOf(path: string): { start: number; end: number } | undefined;
}

/** Syntax error with its position (line and column count from 1). */
export class JsoncError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, place: { line: number; column: number }) {
    super(message);
    this.name = "JsoncError";
    this.line = place.line;
    this.column = place.column;
  }
}

/** Maximum nesting, so that a hostile file cannot exhaust the stack. */
const MAX_DEPTH = 100;

/**
 * Parses JSON with comments and trailing commas, with or without a byte order mark.
 *
 * @param source Text of the file.
 * @throws {JsoncError} For anything else; it names line, column, what was expected and what was found.
 */
export function parseJsonc(source: string): JsoncDocument {
  const text = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source;
  const mark = source.length - text.length;
  const lines = new Map<string, number>();
  const ranges = new Map<string, { start: number; end: number }>();
  let at = 0;
  let line = 1;
  let lineStart = 0;

  function fail(message: string): never {
    throw new JsoncError(message, { line, column: at - lineStart + 1 });
  }

  function found(): string {
    const character = text[at];
    if (character === undefined) return "the end of the file";
    const word = /^[\w$-]{1,24}/.exec(text.slice(at, at + 24));
    return JSON.stringify(word?.[0] ?? character);
  }

  function step(count: number): void {
    for (const end = at + count; at < end; at++) {
      if (text[at] === "\n") {
        line++;
        lineStart = at + 1;
      }
    }
  }

  function skipSpace(): void {
    for (;;) {
      const character = text[at];
      if (character === " " || character === "\t" || character === "\n" || character === "\r") {
        step(1);
      } else if (character === "/" && text[at + 1] === "/") {
        const end = text.indexOf("\n", at);
        at = end === -1 ? text.length : end;
      } else if (character === "/" && text[at + 1] === "*") {
        const end = text.indexOf("*/", at + 2);
        if (end === -1) fail("This comment is not closed (expected */)");
        step(end + 2 - at);
      } else {
        return;
      }
    }
  }

  function readString(): string {
    const start = at;
    let index = at + 1;
    while (text[index] !== '"') {
      const character = text[index];
      if (character === undefined || character === "\n") fail("This string is not closed");
      index += character === "\\" ? 2 : 1;
    }
    const literal = text.slice(start, index + 1);
    try {
      const value: unknown = JSON.parse(literal);
      at = index + 1;
      return String(value);
    } catch {
      return fail("This string contains an escape or character that JSON does not allow");
    }
  }

  function readScalar(): JsonValue {
    const word = /^[\w+.-]+/.exec(text.slice(at, at + 400))?.[0] ?? "";
    const scalar = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/;
    if (!scalar.test(word)) fail(`Expected a value, found ${found()}`);
    at += word.length;
    return JSON.parse(word) as JsonValue;
  }

  function readArray(path: string, depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    step(1);
    for (;;) {
      skipSpace();
      if (text[at] === "]") break;
      items.push(readValue(`${path}[${items.length}]`, depth + 1));
      skipSpace();
      if (text[at] === ",") step(1);
      else if (text[at] !== "]") fail(`Expected "," or "]", found ${found()}`);
    }
    step(1);
    return items;
  }

  function readObject(path: string, depth: number): JsonValue {
    const entries: [string, JsonValue][] = [];
    step(1);
    for (;;) {
      skipSpace();
      if (text[at] === "}") break;
      if (text[at] !== '"') fail(`Expected a key in double quotes or "}", found ${found()}`);
      const key = readString();
      skipSpace();
      if (text[at] !== ":") fail(`Expected ":", found ${found()}`);
      step(1);
      skipSpace();
      entries.push([key, readValue(path === "" ? key : `${path}.${key}`, depth + 1)]);
      skipSpace();
      if (text[at] === ",") step(1);
      else if (text[at] !== "}") fail(`Expected "," or "}", found ${found()}`);
    }
    step(1);
    // Defines own properties, so that a key named __proto__ stays a key.
    return Object.fromEntries(entries);
  }

  function readValue(path: string, depth: number): JsonValue {
    if (depth > MAX_DEPTH) fail(`Nested deeper than ${MAX_DEPTH} levels`);
    lines.set(path, line);
    const start = at;
    const value = readAny(path, depth);
    ranges.set(path, { start: start + mark, end: at + mark });
    return value;
  }

  function readAny(path: string, depth: number): JsonValue {
    const character = text[at];
    if (character === "{") return readObject(path, depth);
    if (character === "[") return readArray(path, depth);
    if (character === '"') return readString();
    return readScalar();
  }

  skipSpace();
  const value = readValue("", 0);
  skipSpace();
  if (at < text.length) fail(`Expected the end of the file, found ${found()}`);
  return {
    value,
    lineOf: (path) => lines.get(path) ?? 1,
    rangeOf: (path) => ranges.get(path),
  };
}
