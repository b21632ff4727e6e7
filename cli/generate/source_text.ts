import { posix } from "node:path";
import type { Segment } from "../runtime/pattern.ts";
import { type RouteName, toPascal, wordsOf } from "./name.ts";

/** Properties of the file that a template is written to. */
export interface Place extends RouteName {
  /** Path of the file relative to the project, with forward slashes. */
  file: string;
  /** Path of its test, in the same form. */
  testFile: string;
  /** True when the loader of a layout around it has data, which the props in a test then have, too. */
  hasLayoutData: boolean;
}

/** Returns the import path from one file of the project to another. */
export function importPath(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

const rootNames: Record<string, string> = { Page: "HomePage", Layout: "RootLayout" };

/**
 * Returns a function's name that says what it renders, such as `TenantIssuePage` for
 * `/t/:tenant/issues/:number`.
 */
export function functionName({ segments }: RouteName, suffix: string): string {
  const words = subjects(segments).flat();
  if (words.length === 0) return rootNames[suffix] ?? suffix;
  const name = toPascal(words) + suffix;
  return /^\d/.test(name) ? `Route${name}` : name;
}

/** Returns a heading: the last thing that the path names. */
export function titleOf({ segments }: RouteName): string {
  const words = subjects(segments).at(-1) ?? ["home"];
  const text = words.join(" ").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Returns the things that a path names, in words: `issues` is a list and `issues/:number` an item.
 * A parameter counts separately only when no word precedes it, as in `/:lang`, or only a letter, as
 * in `/t/:tenant`.
 */
function subjects(segments: readonly Segment[]): string[][] {
  return segments.flatMap((segment, index) => {
    const [before, after] = [segments[index - 1], segments[index + 1]];
    if (segment.kind === "static") {
      const words = wordsOf(segment.value);
      if (after?.kind !== "param" || words.length === 0) return [words];
      return isMereLetter(segment) ? [] : [[...words.slice(0, -1), singular(words.at(-1)!)]];
    }
    return before?.kind === "static" && !isMereLetter(before) && wordsOf(before.value).length > 0
      ? []
      : [wordsOf(segment.name)];
  }).filter((words) => words.length > 0);
}

function isMereLetter(segment: Segment): boolean {
  return segment.kind === "static" && /^[A-Za-z]$/.test(segment.value);
}

/** Returns the singular of regular English plurals; any other word unchanged. */
export function singular(word: string): string {
  if (/^(?:news|series|species|lens)$/i.test(word)) return word;
  if (/[^aeiou]ies$/i.test(word) && !/^(?:movie|cookie|pie|tie)s$/i.test(word)) {
    return `${word.slice(0, -3)}y`;
  }
  if (/(?:ss|x|ch|sh|zz|[^aeo]u[sz])es$/i.test(word)) return word.slice(0, -2);
  return /[^siu]s$/i.test(word) ? word.slice(0, -1) : word;
}

/**
 * Returns the type of the dynamic segments, such as `{ id: string; path: string[] }`; null when
 * there are none.
 */
export function paramsType(segments: readonly Segment[]): string | null {
  const fields = dynamic(segments).map(({ kind, name }) =>
    `${property(name)}: ${kind === "param" ? "string" : "string[]"}`
  );
  return fields.length === 0 ? null : `{ ${fields.join("; ")} }`;
}

/** Returns values for the dynamic segments in a test, as source text. */
export function paramsValue(segments: readonly Segment[]): string {
  const fields = dynamic(segments).map(({ kind, name }) =>
    `${property(name)}: ${kind === "param" ? '"1"' : '["1"]'}`
  );
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** Returns a path that matches the pattern. */
export function examplePath(segments: readonly Segment[]): string {
  return "/" + segments.map((segment) => segment.kind === "static" ? segment.value : "1").join("/");
}

/** Returns the expression that reads a parameter, such as `params.id`. */
export function readParam(name: string): string {
  return property(name) === name ? `params.${name}` : `params[${JSON.stringify(name)}]`;
}

/** Returns the dynamic segments. */
export function dynamic(
  segments: readonly Segment[],
): Exclude<Segment, { kind: "static" }>[] {
  return segments.filter((segment) => segment.kind !== "static");
}

/** Returns a property's name, quoted when necessary. */
export function property(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

/** Returns the path of the file's folder as the framework's types name it, quoted. */
export function pathType({ folders }: RouteName): string {
  return JSON.stringify(`/${folders.join("/")}`);
}

/** Returns the layouts' data among the props of a page or layout in a test: as if there were none. */
export function layoutDataValue(place: Place, props: "PageProps" | "LayoutProps"): string {
  return place.hasLayoutData
    ? `layoutData: {} as ${props}<${pathType(place)}>["layoutData"]`
    : "layoutData: {}";
}

/**
 * Formats a declaration: on one line when it is short enough, otherwise with each parameter on a
 * separate line.
 */
export function declaration(
  start: string,
  parameters: string | string[],
  result = "JSX.Element",
): string[] {
  const list = [parameters].flat();
  const line = `${start}(${list.join(", ")}): ${result} {`;
  if (line.length <= 100) return [line];
  return [`${start}(`, ...list.map((parameter) => `  ${parameter},`), `): ${result} {`];
}

/** Joins the lines of a file; false entries are left out. */
export function lines(parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join("\n") + "\n";
}
