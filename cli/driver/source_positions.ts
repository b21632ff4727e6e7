import { SourceMap, type SourceMapPayload } from "node:module";
import { relative } from "node:path";

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
