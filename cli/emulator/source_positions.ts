import { readFileSync, realpathSync, statSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { join, relative, sep } from "node:path";
import type { Diagnostic } from "../terminal/diagnostics.ts";
import { shellName } from "./shell.ts";

/** An error of the worker, with positions in the application's files. */
export interface Explanation {
  /** Stack with positions in those files. */
  text: string;
  /** First stack frame in the application's own files. */
  place: Diagnostic | null;
}

/** Place in a stack: a file, in whose path groups of routes have parentheses, with its line and column. */
const PLACE = /(?:^|[\s(])((?:[^\s():]|\([^\s():]*\))+):(\d+):(\d+)/;
const PLACES = new RegExp(PLACE, "gm");
const FRAME_PLACE = new RegExp(`${PLACE.source}\\)?$`);

/**
 * Finds the line of the application that an error comes from.
 *
 * @param stack The error's stack, with places in the application's files.
 * @param root Absolute path of the project, which those are relative to.
 */
export function explainError(stack: string, root: string): Explanation {
  // The emulator also follows the worker's map, to file URLs.
  const text = stack.replaceAll(`file://${root}/`, "");
  const [message = ""] = text.split("\n", 1);
  for (const [, file = "", line, column] of text.matchAll(PLACES)) {
    if (!isOwn(file)) continue;
    const lineText = readLine(root, file, Number(line));
    if (lineText === undefined) continue;
    const place = { file, line: Number(line), column: Number(column), lineText };
    return { text, place: { message, ...place, notes: [] } };
  }
  return { text, place: null };
}

/**
 * Returns true for a file of the application, as opposed to those of packages, of the emulator and of what is
 * generated.
 */
function isOwn(file: string): boolean {
  return !file.includes("node_modules/") && !file.startsWith("..") &&
    !file.startsWith(".framework/") && file !== shellName;
}

/**
 * Leaves of each stack in a text the lines that are the application's own, and says how many others there were. Of a
 * stack without any it leaves the first lines.
 *
 * @param text Text with stacks, whose places are in the application's files.
 */
export function foldFrames(text: string): string {
  return text.replace(/(?:^[^\S\n]+at .+(?:\n|$))+/gm, (stack) => {
    const lines = stack.split("\n").filter((line) => line !== "");
    const own = lines.filter((line) => {
      const file = FRAME_PLACE.exec(line)?.[1];
      return file !== undefined && isOwn(file);
    });
    const kept = own.length === 0 ? lines.slice(0, 3) : own;
    const left = lines.filter((line) => !kept.includes(line));
    if (left.length === 0) return stack;
    const packages = left.map((line) =>
      /.*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//.exec(line)?.[1] ?? ""
    );
    const names = [...new Set(packages)].filter((name) => name !== "" && name !== ".deno");
    const of = names.length === 0 ? "" : ` of ${names.join(", ")}`;
    const end = stack.endsWith("\n") ? "\n" : "";
    const count = `${left.length} line${left.length === 1 ? "" : "s"}`;
    return `${kept.join("\n")}\n    … and ${count}${of}${end}`;
  });
}

/** Names of files that have code. */
const CODE = /\.(?:[cm]?[jt]sx?|css)$/;

/**
 * Reads a line of a file of code in the project; undefined for everything else. The message of an error names what it
 * likes, and whoever can make one is shown the line: no secrets, no file elsewhere, none that waits to be written.
 */
function readLine(root: string, file: string, line: number): string | undefined {
  try {
    const real = realpathSync(join(root, file));
    const path = relative(realpathSync(root), real);
    const isHidden = path.split(sep).some((part) => part.startsWith("."));
    if (isHidden || !CODE.test(path) || !statSync(real).isFile()) return undefined;
    return readFileSync(real, "utf8").split("\n")[line - 1];
  } catch {
    return undefined;
  }
}

/**
 * Replaces positions in the worker's modules with positions in the application's files.
 *
 * @param maps The source maps by the path of the module, as in `folder/worker1.js`; asked each time. Their sources are
 * relative to `folders.map`.
 * @param folders Where the map stands, and the folder that paths are shown relative to.
 * @returns A function for lines of the worker's log.
 */
export function createPositionMapper(
  maps: ReadonlyMap<string, string | null>,
  folders: { map: string; root: string },
): (text: string) => string {
  const known = new Map<string, SourceMap>();
  return (text) =>
    text.replace(/(?:file:\/\/\/(?:bundle\/)?)?\b((?:\w+\/)+\w+\.js):(\d+):(\d+)/g, replace);

  function replace(place: string, path: string, line: string, column: string): string {
    const map = maps.get(path);
    if (typeof map !== "string") return place;
    const position = { line: Number(line), column: Number(column) };
    return originalPlace(parse(path, map), position, folders) ?? place;
  }

  /** Parses a source map at the first use: most workers never log a stack. */
  function parse(path: string, map: string): SourceMap {
    const parsed = known.get(path) ?? new SourceMap(JSON.parse(map) as SourceMapPayload);
    for (const other of known.keys()) if (!maps.has(other)) known.delete(other);
    known.set(path, parsed);
    return parsed;
  }
}

/**
 * Looks a position up in a source map.
 *
 * @param map The map.
 * @param position Line and column, counted from 1.
 * @param folders Folder that its sources are relative to, and the folder that paths are shown relative to.
 * @returns The place as in `app/page.tsx:5:7`; undefined where the map knows none.
 */
export function originalPlace(
  map: SourceMap,
  { line, column }: { line: number; column: number },
  folders: { map: string; root: string },
): string | undefined {
  const entry = map.findEntry(line - 1, column - 1);
  if (!("originalSource" in entry) || !entry.originalSource) return undefined;
  const source = relative(folders.root, resolveFrom(folders.map, entry.originalSource));
  return `${source.replaceAll("\\", "/")}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function resolveFrom(folder: string, source: string): string {
  const base = new URL(`file://${encodeURI(folder)}/`);
  return decodeURI(new URL(source, base).pathname);
}
