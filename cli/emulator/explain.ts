import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { join, relative } from "node:path";
import type { Diagnostic } from "../terminal/diagnostic.ts";

/** An error of the worker in the terms of the application's files. */
export interface Explanation {
  /** The stack, with places in those files. */
  text: string;
  /** The first line of the stack that is the application's own. */
  place: Diagnostic | null;
}

/**
 * Finds the line of the application that an error comes from.
 *
 * @param stack The error's stack, with places in the application's files.
 * @param root Absolute path of the project, which those are relative to.
 */
export function explainError(stack: string, root: string): Explanation {
  // The emulator follows the worker's map too, to addresses of files.
  const text = stack.replaceAll(`file://${root}/`, "");
  const [message = ""] = text.split("\n", 1);
  for (const [, file = "", line, column] of text.matchAll(/(?:^|[\s(])([^\s():]+):(\d+):(\d+)/gm)) {
    if (file.includes("node_modules/") || file.startsWith("..") || file.startsWith(".framework/")) {
      continue;
    }
    const lineText = readLine(join(root, file), Number(line));
    if (lineText === undefined) continue;
    const place = { file, line: Number(line), column: Number(column), lineText };
    return { text, place: { message, ...place, notes: [] } };
  }
  return { text, place: null };
}

function readLine(file: string, line: number): string | undefined {
  try {
    return readFileSync(file, "utf8").split("\n")[line - 1];
  } catch {
    return undefined;
  }
}

/**
 * Replaces places in the worker's modules by places in the application's files.
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
    const entry = parse(path, map).findEntry(Number(line) - 1, Number(column) - 1);
    if (!("originalSource" in entry) || !entry.originalSource) return place;
    const source = relative(folders.root, resolveFrom(folders.map, entry.originalSource));
    return `${source.replaceAll("\\", "/")}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  }

  /** On the first use: most workers never log a stack. */
  function parse(path: string, map: string): SourceMap {
    const parsed = known.get(path) ?? new SourceMap(JSON.parse(map) as SourceMapPayload);
    for (const other of known.keys()) if (!maps.has(other)) known.delete(other);
    known.set(path, parsed);
    return parsed;
  }
}

function resolveFrom(folder: string, source: string): string {
  const base = new URL(`file://${encodeURI(folder)}/`);
  return decodeURI(new URL(source, base).pathname);
}
