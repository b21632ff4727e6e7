import { importPath, lines, type Place } from "./source_text.ts";

/** The text of a new middleware.ts. */
export function middlewareSource({ pattern }: Place): string {
  return lines([
    'import type { Middleware } from "@framework/cli/runtime";',
    "",
    `/** Runs before everything under \`${pattern}\`. A response of its own would end the request here. */`,
    "export const middleware: Middleware = (request, next) => next(request);",
  ]);
}

/** The text of a middleware's test. */
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
