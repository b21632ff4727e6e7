import { type JsoncDocument, type JsonValue, parseJsonc } from "./jsonc.ts";

/** An item that a list of a document lacks. */
export interface ListAddition {
  /** Keys that lead to the list, such as `["queues", "consumers"]`. */
  path: readonly string[];
  item: JsonValue;
}

/** Longest line that is written, in characters; what is longer takes several lines. */
const longestLine = 100;

/**
 * Appends an item to a list of a document. Objects and lists on the way that are missing are added. Comments, the
 * order of keys, indentation, line ends and trailing commas are preserved.
 *
 * @param source Text of the file: JSON with comments and trailing commas.
 * @param addition The list and its new item.
 * @returns The new text; null when a value on the way is of another type.
 * @throws {JsoncError} When the text is not JSON.
 */
export function appendToList(source: string, { path, item }: ListAddition): string | null {
  const document = parseJsonc(source);
  let current = document.value;
  let place = "";
  const missing = [...path];
  while (missing.length > 0 && isObject(current) && Object.hasOwn(current, missing[0]!)) {
    const key = missing.shift()!;
    current = current[key]!;
    place = place === "" ? key : `${place}.${key}`;
  }
  const [key, ...inner] = missing;
  const member = key === undefined
    ? { value: item }
    : { key, value: inner.reduceRight<JsonValue>((value, name) => ({ [name]: value }), [item]) };
  if (key === undefined ? !Array.isArray(current) : !isObject(current)) return null;
  return insert(source, member, { document, place, container: current });
}

/** Formats a value on one line, spaced as usual. */
export function formatInline(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(formatInline).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${formatInline(inner)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

interface Target {
  document: JsoncDocument;
  /** Path of the object or list that takes the member. */
  place: string;
  container: JsonValue;
}

function insert(
  source: string,
  member: { key?: string; value: JsonValue },
  { document, place, container }: Target,
): string {
  const { start, end } = document.rangeOf(place)!;
  const last = lastMember(place, container);
  const lastRange = last === undefined ? undefined : document.rangeOf(last)!;
  const from = lastRange?.end ?? start + 1;
  const tail = source.slice(from, end - 1);
  const comma = withoutComments(tail).includes(",");
  const before = source.slice(0, from) + (lastRange === undefined || comma ? "" : ",") +
    tail.trimEnd();
  const after = source.slice(from + tail.trimEnd().length);
  const newLine = source.includes("\r\n") ? "\r\n" : "\n";
  const unit = unitOf(source);
  const outer = indentAt(source, start);
  if (tail.includes("\n")) {
    const indent = lastRange === undefined
      ? indentAt(source, end - 1) + unit
      : indentAt(source, lastRange.start);
    const lines = format(member, { indent, unit }).replaceAll("\n", newLine);
    return before + newLine + indent + lines + (comma ? "," : "") + after;
  }
  const line = format(member, null);
  const isFull = lastRange !== undefined || tail.trim() !== "";
  const [left, right] = isFull
    ? [" ", after]
    : Array.isArray(container)
    ? ["", after.trimStart()]
    : [" ", ` ${after.trimStart()}`];
  const result = before + left + line + right;
  const own = source.slice(start, end);
  const width = lineAt(result, start).length;
  if (width <= longestLine || own.includes("\n") || hasComments(own)) return result;
  const grown = Array.isArray(container)
    ? [...container, member.value]
    : { ...container as { [key: string]: JsonValue }, [member.key!]: member.value };
  const text = formatLines(grown, { indent: outer, unit, used: longestLine });
  return source.slice(0, start) + text.replaceAll("\n", newLine) + source.slice(end);
}

function lastMember(place: string, container: JsonValue): string | undefined {
  if (Array.isArray(container)) {
    return container.length === 0 ? undefined : `${place}[${container.length - 1}]`;
  }
  const key = Object.keys(container as object).at(-1);
  return key === undefined || place === "" ? key : `${place}.${key}`;
}

function format(
  { key, value }: { key?: string; value: JsonValue },
  lines: { indent: string; unit: string } | null,
): string {
  const start = key === undefined ? "" : `${JSON.stringify(key)}: `;
  if (lines === null) return start + formatInline(value);
  return start + formatLines(value, { ...lines, used: lines.indent.length + start.length + 1 });
}

/** Formats a value on one line where it fits, otherwise with a line for each of its parts. */
function formatLines(
  value: JsonValue,
  { indent, unit, used }: { indent: string; unit: string; used: number },
): string {
  const line = formatInline(value);
  if (used + line.length <= longestLine || typeof value !== "object" || value === null) return line;
  const inner = indent + unit;
  const parts = Array.isArray(value)
    ? value.map((item) => format({ value: item }, { indent: inner, unit }))
    : Object.entries(value).map(([key, item]) =>
      format({ key, value: item }, { indent: inner, unit })
    );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

function hasComments(text: string): boolean {
  return /\/[/*]/.test(text.replace(/"(?:\\.|[^"\\])*"/g, ""));
}

function lineAt(source: string, offset: number): string {
  const end = source.indexOf("\n", offset);
  const start = source.lastIndexOf("\n", offset - 1) + 1;
  return source.slice(start, end === -1 ? undefined : end).trimEnd();
}

/** Replaces comments by spaces. The text stands between values, where no string can be. */
function withoutComments(text: string): string {
  return text.replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, (comment) => " ".repeat(comment.length));
}

function indentAt(source: string, offset: number): string {
  const line = source.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(source.slice(line))![0];
}

/** Returns the first indentation of the file. */
function unitOf(source: string): string {
  return /\n([ \t]+)\S/.exec(source)?.[1] ?? "  ";
}

function isObject(value: JsonValue): value is { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
