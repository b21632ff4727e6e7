import { wrongBodyLimit } from "../runtime/manifest.ts";
import { type Token, tokenize } from "./tokens.ts";

/** A name and its position. */
export interface NamedPlace {
  name: string;
  /** Offset in the source. */
  at: number;
}

/** Imports and re-exports of a module, read from its text. */
export interface ModuleNames {
  /** Exported values, types left out, each once and in order. */
  exports: NamedPlace[];
  /** Modules that are re-exported completely (`export * from`). */
  stars: NamedPlace[];
  /** Imported modules. */
  imports: NamedPlace[];
}

const declarators = new Set(["const", "let", "var"]);
const named = new Set(["function", "class", "enum", "namespace"]);
const modifiers = new Set(["async", "abstract"]);
const typeOnly = new Set(["type", "interface", "declare", "import", "as"]);

/**
 * Reads the names that a module exports without running or bundling it, so that listing the routes
 * of an application requires no installed tool.
 *
 * @param source Text of the file.
 * @param file Its name; `.tsx` and `.jsx` may hold JSX.
 * @returns null for a text that cannot be read; the build explains why.
 */
export function readModuleNames(source: string, file: string): ModuleNames | null {
  const tokens = tokenize(source, { jsx: /\.[jt]sx$/.test(file) });
  if (tokens === null) return null;
  const names: ModuleNames = { exports: [], stars: [], imports: [] };
  for (let index = 0; index < tokens.length; index++) {
    const { text, depth, kind } = tokens[index]!;
    const leads = text === "import" || text === "export";
    if (!leads || depth > 0 || kind !== "word" || tokens[index - 1]?.text === ".") continue;
    if (text === "import") readImport(tokens, index, names);
    else readExport(tokens, index, names);
  }
  if (names.exports.length > 1) {
    const seen = new Set<string>();
    names.exports = names.exports.filter(({ name }) => !seen.has(name) && seen.add(name));
  }
  return names;
}

/**
 * Line and column, counted from 1.
 *
 * @param source Text of the file.
 * @param at Offset in it.
 */
export function placeOf(source: string, at: number): { line: number; column: number } {
  const before = source.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function readImport(tokens: Token[], index: number, names: ModuleNames): void {
  const next = tokens[index + 1];
  // `import(…)` and `import.meta` are expressions.
  if (next === undefined || next.text === "(" || next.text === ".") return;
  const from = next.kind === "string" ? next : specifierAfter(tokens, index + 1);
  if (from !== undefined) names.imports.push({ name: unquote(from.text), at: from.at });
}

/** Returns the module name after the `from` of an import or export. */
function specifierAfter(tokens: Token[], index: number): Token | undefined {
  const depth = tokens[index]?.depth ?? 0;
  for (let at = index; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.depth > depth) continue;
    const next = tokens[at + 1];
    if (token.text === "from" && next?.kind === "string") return next;
    if (token.text === ";" || (at > index && /^(import|export)$/.test(token.text))) {
      return undefined;
    }
  }
  return undefined;
}

function readExport(tokens: Token[], index: number, names: ModuleNames): void {
  let at = index + 1;
  const first = tokens[at];
  if (first === undefined) return;
  if (first.text === "*") {
    const alias = tokens[at + 1]?.text === "as" ? tokens[at + 2] : undefined;
    const from = specifierAfter(tokens, at);
    if (alias !== undefined) add(names, alias);
    else if (from !== undefined) names.stars.push({ name: unquote(from.text), at: from.at });
    return;
  }
  if (first.text === "{") return readList(tokens, at, names);
  if (first.text === "default") {
    if (tokens[at + 1]?.text !== "interface") add(names, first);
    return;
  }
  if (typeOnly.has(first.text)) return;
  if (declarators.has(first.text) && tokens[at + 1]?.text !== "enum") {
    return readDeclarators(tokens, at + 1, names);
  }
  while (modifiers.has(tokens[at]?.text ?? "") || tokens[at]?.text === "const") at++;
  if (!named.has(tokens[at]?.text ?? "")) return;
  const name = tokens[at + 1]?.text === "*" ? tokens[at + 2] : tokens[at + 1];
  if (name !== undefined) add(names, name);
}

/** Reads `{ a, b as c, type D }`: the last word of each entry is the exported name. */
function readList(tokens: Token[], index: number, names: ModuleNames): void {
  for (const entry of entriesOf(tokens, index)) {
    // `type as name` exports a value called `type`; `type name` a type.
    const isType = entry[0]?.text === "type" && entry.length > 1 && entry[1]?.text !== "as";
    const last = entry.at(-1);
    if (last !== undefined && !isType) add(names, last);
  }
}

/** Reads `GET = …, POST = …` and `{ GET, POST: post } = …`. */
function readDeclarators(tokens: Token[], index: number, names: ModuleNames): void {
  readTarget(tokens, index, names);
  for (let at = index + 1; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.depth > 0) continue;
    if (token.text === ";" || token.text === "export" || token.text === "import") return;
    if (token.text === "," && isDeclarator(tokens, at + 1)) readTarget(tokens, at + 1, names);
  }
}

/**
 * Returns true when a comma separates declarators; it may also stand between type arguments, as in
 * `f<A, B>()`.
 */
function isDeclarator(tokens: Token[], index: number): boolean {
  const after = tokens[closing(tokens, index) + 1]?.text;
  return after === "=" || (after === ":" && tokens[index]?.kind === "word");
}

/** Reads the target of a declaration: a name, or the names in a pattern. */
function readTarget(tokens: Token[], index: number, names: ModuleNames): void {
  const target = tokens[index];
  if (target === undefined) return;
  if (target.kind === "word") return add(names, target);
  if (target.text !== "{" && target.text !== "[") return;
  for (const entry of entriesOf(tokens, index)) {
    const colon = target.text === "{"
      ? entry.findIndex(({ text, depth }) => text === ":" && depth === target.depth + 1)
      : -1;
    const start = entry[colon === -1 ? 0 : colon + 1];
    const name = start?.text === "..." ? entry[1] : start;
    if (name !== undefined) readTarget(tokens, tokens.indexOf(name, index), names);
  }
}

/** Returns the parts between the commas of a bracket. */
function entriesOf(tokens: Token[], index: number): Token[][] {
  const depth = tokens[index]!.depth + 1;
  const entries: Token[][] = [[]];
  for (const token of tokens.slice(index + 1, closing(tokens, index))) {
    if (token.depth === depth && token.text === ",") entries.push([]);
    else entries.at(-1)!.push(token);
  }
  return entries;
}

/** Returns the index of the matching closing bracket; the given index when there is none. */
function closing(tokens: Token[], index: number): number {
  const open = tokens[index];
  if (open === undefined || !/^[[{(]$/.test(open.text)) return index;
  for (let at = index + 1; at < tokens.length; at++) {
    if (tokens[at]!.depth === open.depth) return at;
  }
  return tokens.length;
}

function add(names: ModuleNames, { kind, text, at }: Token): void {
  if (kind === "word") names.exports.push({ name: text, at });
  if (kind === "string") names.exports.push({ name: unquote(text), at });
}

function unquote(text: string): string {
  return text.slice(1, -1);
}

/**
 * Reads the strings that a file exports under a name without running it: `export const name = "a"`,
 * or a list of strings.
 *
 * @param source Text of the file.
 * @param name What is exported.
 * @param options `jsx`: whether the file may hold JSX.
 * @returns The texts; null unless they are written out there.
 */
function readExportedTexts(
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
  if (first.text !== "[") return readTexts(tokens.slice(equals + 1, equals + 2));
  const end = tokens.findIndex(({ text }, index) => index > equals && text === "]");
  return readTexts(tokens.slice(equals + 2, end).filter(({ text }) => text !== ","));
}

function readTexts(tokens: Token[]): string[] | null {
  if (tokens.length === 0 || tokens.some(({ kind }) => kind !== "string")) return null;
  return tokens.map(({ text }) => text.slice(1, -1));
}

/**
 * Reads what a file exports as `schedule` without running it, so that a build can compare it with the platform's file.
 *
 * @param source Text of the file.
 * @returns The cron expressions; null unless it is a string or a list of strings, written there.
 */
export function readSchedule(source: string): string[] | null {
  return readExportedTexts(source, "schedule", { jsx: false });
}

/** Result of reading a file's `bodyLimit` export. */
export interface ReadBodyLimit {
  /** Limit as written in the source; null when it cannot be read without running the file. */
  limit: string | null;
  /** Sentence without the file's name; null when the limit is valid. */
  problem: string | null;
}

/**
 * Reads the `bodyLimit` that a page or route exports without running it, so that a build can refuse
 * an invalid one.
 *
 * @param source Text of the file, of which is known that it exports the name.
 * @param file Its name.
 */
export function readExportedLimit(source: string, file: string): ReadBodyLimit {
  const [limit = null, ...others] =
    readExportedTexts(source, "bodyLimit", { jsx: file.endsWith(".tsx") }) ?? [];
  if (limit === null || others.length > 0) {
    const problem = "exports a bodyLimit that cannot be read without running the file: " +
      'write it as a literal, export const bodyLimit = "50 MB"';
    return { limit: null, problem };
  }
  return { limit, problem: wrongBodyLimit(limit) };
}
