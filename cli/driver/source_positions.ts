import { SourceMap, type SourceMapPayload } from "node:module";
import { relative } from "node:path";

/**
 * Replaces places in the worker's bundles by places in the application's files.
 *
 * @param maps The source maps by the name of the bundle, as in `worker.js`; their sources are relative to `folders.map`.
 * @param folders Where the map stands, and the folder that paths are shown relative to.
 * @returns A function for lines of the worker's log.
 */
export function createPositionMapper(
  maps: Record<string, string | null>,
  folders: { map: string; root: string },
): (text: string) => string {
  const known = new Map<string, SourceMap>();
  return (text) =>
    text.replace(/(?:file:\/\/\/)?\b(\w+\.js):(\d+):(\d+)/g, (place, name, line, column) => {
      const map = Object.hasOwn(maps, name) ? maps[name] : null;
      if (typeof map !== "string") return place;
      // Parsed on the first use: most workers never log a stack.
      const parsed = known.get(name) ?? new SourceMap(JSON.parse(map) as SourceMapPayload);
      known.set(name, parsed);
      const entry = parsed.findEntry(Number(line) - 1, Number(column) - 1);
      if (!("originalSource" in entry) || !entry.originalSource) return place;
      const path = relative(folders.root, resolveFrom(folders.map, entry.originalSource));
      return `${path.replaceAll("\\", "/")}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    });
}

function resolveFrom(folder: string, source: string): string {
  const base = new URL(`file://${encodeURI(folder)}/`);
  return decodeURI(new URL(source, base).pathname);
}
