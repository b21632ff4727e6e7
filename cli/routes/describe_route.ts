import { printable } from "../terminal/printable.ts";
import type { ListedRoute } from "./route_table.ts";

/** What stands for the methods of a file that passes on another one's exports. */
export const unknownMethods = "?";

/** A row of `--json`. */
export interface JsonRow
  extends Omit<ListedRoute, "methods" | "segments" | "bodyLimit" | "problem"> {
  method: string | null;
}

/** What `--json` says of one method of a route. */
export function jsonRow(method: string | null, route: ListedRoute): JsonRow {
  const { pattern, file, kind, params, layouts, middleware } = route;
  return { method, pattern, file, kind, params, layouts, middleware };
}

/** The layouts and middleware of a route, and the limit of its bodies, a line each. */
export function surroundings({ layouts, middleware, bodyLimit }: ListedRoute): string[] {
  const lines: string[] = [];
  if (layouts.length > 0) lines.push(`  layouts     ${layouts.join(", ")}`);
  if (middleware.length > 0) lines.push(`  middleware  ${middleware.join(", ")}`);
  if (bodyLimit !== null) lines.push(`  body limit  ${bodyLimit}`);
  return lines.map((line) => printable(line));
}
