import { SourceMap, type SourceMapPayload } from "node:module";
import { relative } from "node:path";

/**
 * Replaces places in the bundled worker by places in the application's files.
 *
 * @param map The worker's source map, whose sources are relative to `folder`.
 * @param folders Where the map stands, and the folder that paths are shown relative to.
 * @returns A function for lines of the worker's log.
 */
export function createPositionMapper(
  map: string | null,
  folders: { map: string; root: string },
): (text: string) => string {
  if (map === null) return (text) => text;
  let parsed: SourceMap | undefined;
  return (text) =>
    text.replace(/(?:file:\/\/\/)?\bworker\.js:(\d+):(\d+)/g, (place, line, column) => {
      // Parsed on the first use: most workers never log a stack.
      parsed ??= new SourceMap(JSON.parse(map) as SourceMapPayload);
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
