import { readFileSync } from "node:fs";
import type { AppScan } from "../app/scan.ts";
import type { Diagnostic } from "../terminal/diagnostics.ts";
import { displayPath } from "../tools/paths.ts";

/** Comments, whose text renders nothing. */
const COMMENTS = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;

/**
 * Finds layouts and pages that render `<html>` inside a layout that renders it too. Browsers drop the inner element, and
 * what stands in its `<head>` lands in the body.
 *
 * @param root Absolute path of the project.
 * @param scan The application's routes.
 * @returns A warning for each inner file, which names the outer one.
 */
export function findNestedDocuments(
  root: string,
  { routes }: Pick<AppScan, "routes">,
): Diagnostic[] {
  const places = new Map<string, number>();
  function placeOf(file: string): number {
    let at = places.get(file);
    if (at === undefined) {
      const text = readFileSync(file, "utf8");
      at = text.replace(COMMENTS, (comment) => " ".repeat(comment.length)).search(/<html[\s>]/);
      places.set(file, at);
    }
    return at;
  }
  const found = new Map<string, Diagnostic>();
  for (const { kind, file, layouts } of routes) {
    if (kind !== "page") continue;
    const [outer, ...inner] = [...layouts, file].filter((each) => placeOf(each) !== -1);
    for (const each of inner) found.set(each, describe(each, outer!));
  }
  return [...found.values()];

  function describe(inner: string, outer: string): Diagnostic {
    const text = readFileSync(inner, "utf8");
    const before = text.slice(0, placeOf(inner)).split("\n");
    const line = before.length;
    return {
      message: `<html> stands inside that of ${displayPath(root, outer)}, and browsers drop it.`,
      file: displayPath(root, inner),
      line,
      column: before.at(-1)!.length + 1,
      length: "<html".length,
      lineText: text.split("\n")[line - 1]!,
      notes: [
        "Leave it to one of them. Pages that need another document have a layout of their own in a group, as app/(site)/layout.tsx, and app/ has none.",
      ],
    };
  }
}
