import {
  jsonRow,
  type ListedRoute,
  listRoutes,
  surroundings,
  unknownMethods,
} from "../app/routes.ts";
import { scanApp } from "../app/scan.ts";
import { loadConfig } from "../config/load.ts";
import type { Command } from "../terminal/command.ts";
import { ExitCode } from "../terminal/exit.ts";
import { type Output, printable } from "../terminal/output.ts";
import { displayPath } from "../tools/paths.ts";

/** `framework routes`. */
export const command: Command = {
  name: "routes",
  summary: "List the routes in match order",
  options: {
    json: { type: "boolean", summary: "Print JSON with one entry for each method of a route" },
    match: {
      type: "string",
      placeholder: "path",
      summary: "Show which route answers a path and why; exit code 1 when none does",
    },
    openapi: { type: "boolean", summary: "Print the OpenAPI 3.1 document of routes and forms" },
  },
  verbose: "layouts, middleware and body limits",
  examples: [
    "framework routes",
    "framework routes --verbose",
    "framework routes --match /users/1",
    "framework routes --openapi > openapi.json",
  ],
  async run(ctx) {
    const { output, values } = ctx;
    const config = await loadConfig(ctx.cwd, ctx.config);
    const scan = await scanApp(config.appDir);
    if (values["openapi"] === true) {
      const { printOpenApi } = await import("./routes_openapi.ts");
      return await printOpenApi({ config, scan, env: ctx.env, output });
    }
    const routes = listRoutes(scan, config.root);
    const path = values["match"];
    if (typeof path !== "string") {
      list(routes, { output, json: values["json"] === true });
      if (routes.length === 0) {
        output.warn(`There are no routes in ${displayPath(config.root, config.appDir)}/.`);
      }
      return ExitCode.ok;
    }
    const { explainRoute } = await import("./routes_match.ts");
    return await explainRoute(path, {
      routes,
      config,
      scan,
      output,
      json: values["json"] === true,
    });
  },
};

function list(routes: ListedRoute[], { output, json }: { output: Output; json: boolean }): void {
  for (const { file, methods, problem } of routes) {
    if (problem !== null) output.warn(`${file} ${problem}.`);
    if (methods === null) {
      output.warn(`${file}: the methods cannot be determined from the source (shown as "?").`);
    }
  }
  const rows = routes.flatMap((route) => {
    const pattern = printable(route.pattern);
    return (route.methods ?? [null]).map((method) => ({ method, pattern, route }));
  });
  if (json) {
    output.data(JSON.stringify(rows.map(({ method, route }) => jsonRow(method, route)), null, 2));
    return;
  }
  const color = output.dataColor;
  const methodWidth = widest(rows.map(({ method }) => method ?? unknownMethods));
  const patternWidth = widest(rows.map(({ pattern }) => pattern));
  const lines = rows.flatMap(({ method, pattern, route }) => {
    const start = color.cyan((method ?? unknownMethods).padEnd(methodWidth));
    const line = `${start}  ${pattern.padEnd(patternWidth)}  ${color.dim(printable(route.file))}`;
    if (!output.verbose) return [line];
    return [line, ...surroundings(route).map((each) => `${" ".repeat(methodWidth)}  ${each}`)];
  });
  if (lines.length > 0) output.data(lines.join("\n"));
}

/**
 * Returns the largest width. Not Math.max with a spread list: an application may have more routes
 * than a call allows arguments.
 */
function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
