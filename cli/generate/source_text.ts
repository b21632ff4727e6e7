import { posix } from "node:path";
import type { Segment } from "../project/pattern.ts";
import { type RouteName, toPascal, wordsOf } from "./name.ts";

/** What a template knows of the place that it writes for. */
export interface Place extends RouteName {
  /** Path of the file from the project's folder, with forward slashes. */
  file: string;
  /** Path of its test, likewise. */
  testFile: string;
  /** Path of the file that declares the type `Env`; null when the project has none. */
  envFile: string | null;
}

/** The path of an import from one file of the project to another. */
export function importPath(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

/** A function's name that says where it stands, as in `UsersIdPage`. */
export function functionName({ segments }: RouteName, suffix: "Page" | "Layout"): string {
  const words = segments.flatMap((segment) =>
    wordsOf(segment.kind === "static" ? segment.value : segment.name)
  );
  if (words.length === 0) return suffix === "Page" ? "HomePage" : "RootLayout";
  const name = toPascal(words) + suffix;
  return /^\d/.test(name) ? `Route${name}` : name;
}

/** A heading for people: the last part of the path that is written out. */
export function titleOf({ segments }: RouteName): string {
  const last = segments.findLast((segment) => segment.kind === "static");
  const words = last === undefined ? ["home"] : wordsOf(last.value);
  const text = words.join(" ").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The dynamic segments as a type, as in `{ id: string; path: string[] }`; null without any. */
export function paramsType(segments: readonly Segment[]): string | null {
  const fields = dynamic(segments).map(({ kind, name }) =>
    `${property(name)}: ${kind === "param" ? "string" : "string[]"}`
  );
  return fields.length === 0 ? null : `{ ${fields.join("; ")} }`;
}

/** Values for the dynamic segments in a test, as source text. */
export function paramsValue(segments: readonly Segment[]): string {
  const fields = dynamic(segments).map(({ kind, name }) =>
    `${property(name)}: ${kind === "param" ? '"1"' : '["1"]'}`
  );
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** A path that the pattern matches. */
export function examplePath(segments: readonly Segment[]): string {
  return "/" + segments.map((segment) => segment.kind === "static" ? segment.value : "1").join("/");
}

/** How a parameter is read, as in `params.id`. */
export function readParam(name: string): string {
  return property(name) === name ? `params.${name}` : `params[${JSON.stringify(name)}]`;
}

/** The dynamic segments. */
export function dynamic(
  segments: readonly Segment[],
): Exclude<Segment, { kind: "static" }>[] {
  return segments.filter((segment) => segment.kind !== "static");
}

/** A property's name, in quotes where it has to be. */
export function property(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

/** Type arguments without the ones at the end that are the defaults. */
export function typeArguments(parts: readonly (string | null)[], defaults: string[]): string {
  const last = parts.findLastIndex((part) => part !== null);
  if (last === -1) return "";
  const text = parts.slice(0, last + 1).map((part, index) => part ?? defaults[index]);
  return `<${text.join(", ")}>`;
}

/** The lines of a file; what is false is left out. */
export function lines(parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join("\n") + "\n";
}
