import type { Segment } from "../project/pattern.ts";
import type { AppScan } from "../project/scan.ts";
import { HEADER, propertyName } from "./bindings_text.ts";

/** The patterns of the application with their parameters, as the source text of a type. */
export function routesText({ routes }: AppScan): string {
  const patterns = new Map(routes.map(({ pattern, segments }) => [pattern, paramsType(segments)]));
  return [
    HEADER,
    "",
    "/** The parameters of each route, by its pattern. */",
    "export interface RouteParams {",
    ...[...patterns].map(([pattern, type]) => `  ${JSON.stringify(pattern)}: ${type};`),
    "}",
    "",
    "/** The pattern of a route. */",
    "export type RoutePattern = keyof RouteParams;",
    "",
  ].join("\n");
}

function paramsType(segments: readonly Segment[]): string {
  const fields = segments.flatMap((segment) =>
    segment.kind === "static"
      ? []
      : [`${propertyName(segment.name)}: ${segment.kind === "param" ? "string" : "string[]"}`]
  );
  return fields.length === 0 ? "Record<never, never>" : `{ ${fields.join("; ")} }`;
}
