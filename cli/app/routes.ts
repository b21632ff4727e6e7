import { readFileSync } from "node:fs";
import { missingExport, routeMethods } from "../runtime/manifest.ts";
import { actionMethods } from "../runtime/methods.ts";
import type { Segment } from "../runtime/pattern.ts";
import { printable } from "../terminal/output.ts";
import { displayPath } from "../tools/paths.ts";
import { readExportedLimit, readModuleNames } from "./exports.ts";
import type { AppScan, ScannedRoute } from "./scan.ts";

/** A page or API route as `framework routes` lists it. Paths are relative to the project. */
export interface ListedRoute {
  kind: "page" | "route";
  pattern: string;
  segments: Segment[];
  /**
   * Methods that the file answers; null when another file decides them (`export * from`) or the
   * text cannot be read.
   */
  methods: string[] | null;
  file: string;
  /** Names of the dynamic segments. */
  params: string[];
  /** Outermost first. */
  layouts: string[];
  /** Outermost first. */
  middleware: string[];
  /** Body limit of the file; null when it sets none. */
  bodyLimit: string | null;
  /** Reason why the build would refuse the file; null when it would not. */
  problem: string | null;
}

/**
 * Lists the routes of an application in match order. Every route answers OPTIONS, and HEAD where
 * there is GET; they are listed only when a file exports them.
 *
 * @param scan The application's files.
 * @param root Absolute path of the project.
 */
export function listRoutes(scan: AppScan, root: string): ListedRoute[] {
  const show = (file: string): string => displayPath(root, file);
  return scan.routes.map((route) => {
    const source = readFileSync(route.file, "utf8");
    const exported = exportedNames(route.file, source);
    const body = exported?.includes("bodyLimit") ? readExportedLimit(source, route.file) : null;
    return {
      kind: route.kind,
      pattern: route.pattern,
      segments: route.segments,
      methods: exported && methodsOf(route, exported),
      file: show(route.file),
      params: route.segments.flatMap((segment) => segment.kind === "static" ? [] : [segment.name]),
      layouts: route.layouts.map(show),
      middleware: route.middleware.map(show),
      bodyLimit: body?.limit ?? null,
      problem: (exported && missingExport(route.kind, exported)) ?? body?.problem ?? null,
    };
  });
}

/**
 * Returns the exported names of a file. Files are read one by one: thousands at once would need as
 * many open files.
 */
function exportedNames(file: string, source: string): string[] | null {
  const names = readModuleNames(source, file);
  if (names === null || names.stars.length > 0) return null;
  return names.exports.map(({ name }) => name);
}

function methodsOf({ kind }: ScannedRoute, exported: string[]): string[] {
  if (kind === "page") return ["GET", ...exported.includes("action") ? actionMethods : []];
  return routeMethods.filter((method) => exported.includes(method));
}

/** Placeholder for the methods of a file that re-exports another file's exports. */
export const unknownMethods = "?";

/** A row of `--json`. */
export interface JsonRow
  extends Omit<ListedRoute, "methods" | "segments" | "bodyLimit" | "problem"> {
  method: string | null;
}

/** Row of one method of a route in the output of `--json`. */
export function jsonRow(method: string | null, route: ListedRoute): JsonRow {
  const { pattern, file, kind, params, layouts, middleware } = route;
  return { method, pattern, file, kind, params, layouts, middleware };
}

/** Describes the layouts, middleware and body limit of a route, one line each. */
export function surroundings({ layouts, middleware, bodyLimit }: ListedRoute): string[] {
  const lines: string[] = [];
  if (layouts.length > 0) lines.push(`  layouts     ${layouts.join(", ")}`);
  if (middleware.length > 0) lines.push(`  middleware  ${middleware.join(", ")}`);
  if (bodyLimit !== null) lines.push(`  body limit  ${bodyLimit}`);
  return lines.map((line) => printable(line));
}
