import {
  declaration,
  dynamic,
  examplePath,
  importPath,
  lines,
  paramsValue,
  pathType,
  type Place,
} from "./source_text.ts";

const bodyLimitNote = [
  "// Bodies of requests may have 1 MB; more, or less, takes:",
  '// export const bodyLimit = "50 MB";',
  "",
];

/** Generates a new route.ts. */
export function routeSource(place: Place): string {
  const { segments, pattern } = place;
  const context = `RequestContext<${pathType(place)}>`;
  if (dynamic(segments).length === 0) {
    return lines([
      ...bodyLimitNote,
      `/** \`GET ${pattern}\` */`,
      "export function GET(): Response {",
      "  return Response.json({ ok: true });",
      "}",
    ]);
  }
  const parameters = ["_request: Request", `{ params }: ${context}`];
  return lines([
    'import type { RequestContext } from "@framework/cli/runtime";',
    "",
    ...bodyLimitNote,
    `/** \`GET ${pattern}\` */`,
    ...declaration("export function GET", parameters, "Response"),
    "  return Response.json(params);",
    "}",
  ]);
}

/** Generates a route's test. */
export function routeTest({ segments, pattern, file, testFile }: Place): string {
  const hasParams = dynamic(segments).length > 0;
  return lines([
    hasParams && 'import { createMockContext, createMockRequest } from "@framework/testing";',
    'import { expect, it } from "vitest";',
    `import { GET } from "${importPath(testFile, file)}";`,
    "",
    `it(${JSON.stringify(`GET ${pattern} answers with JSON`)}, async () => {`,
    hasParams && `  const params = ${paramsValue(segments)};`,
    hasParams && `  const request = createMockRequest("${examplePath(segments)}");`,
    `  const response = GET(${hasParams ? "request, createMockContext({ params })" : ""});`,
    `  expect(await response.json()).toEqual(${hasParams ? "params" : "{ ok: true }"});`,
    "});",
  ]);
}

/** Generates a new middleware.ts. */
export function middlewareSource(place: Place): string {
  const { pattern } = place;
  return lines([
    'import type { Middleware } from "@framework/cli/runtime";',
    "",
    `/** Runs before everything under \`${pattern}\`. A response of its own would end the request here. */`,
    `export const middleware: Middleware<${pathType(place)}> = (request, next) => next(request);`,
  ]);
}

/** Generates a middleware's test. */
export function middlewareTest({ pattern, file, testFile }: Place): string {
  return lines([
    'import { createMockContext, createMockRequest } from "@framework/testing";',
    'import { expect, it } from "vitest";',
    `import { middleware } from "${importPath(testFile, file)}";`,
    "",
    `it(${JSON.stringify(`the middleware of ${pattern} lets a request through`)}, async () => {`,
    '  const next = () => Promise.resolve(new Response("what it guards"));',
    '  const response = await middleware(createMockRequest("/"), next, createMockContext());',
    '  expect(await response.text()).toBe("what it guards");',
    "});",
  ]);
}
