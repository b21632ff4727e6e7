import { loadConfig } from "../project/config.ts";
import { hasAuth } from "../project/entry.ts";
import { readPlatform } from "../project/platform.ts";
import { displayPath } from "../project/paths.ts";
import { scanApp } from "../project/scan.ts";
import { explainMatch, type Explanation, findStaticFile } from "../routes/explain_match.ts";
import { type ListedRoute, listRoutes } from "../routes/route_table.ts";
import { ExitCode } from "../terminal/exit.ts";
import type { Output } from "../terminal/output.ts";
import { printable } from "../terminal/printable.ts";
import type { Command } from "./command.ts";

/** What stands for the methods of a file that passes on another one's exports. */
const unknownMethods = "?";

/** `framework routes`. */
export const command: Command = {
  name: "routes",
  summary: "List the routes in the order in which they match",
  options: {
    json: { type: "boolean", summary: "Print JSON: one entry for each method of a route" },
    match: {
      type: "string",
      placeholder: "path",
      summary: "Say which route answers a path, and why; exit 1 when none does",
    },
  },
  verbose: "layouts and middleware",
  examples: ["framework routes", "framework routes --verbose", "framework routes --match /users/1"],
  async run(ctx) {
    const { output, values } = ctx;
    const config = await loadConfig(ctx.cwd, ctx.config);
    const scan = await scanApp(config.appDir);
    const routes = listRoutes(scan, config.root);
    const path = values["match"];
    if (typeof path !== "string") {
      list(routes, { output, json: values["json"] === true });
      if (routes.length === 0) {
        output.warn(`There are no routes in ${displayPath(config.root, config.appDir)}/.`);
      }
      return ExitCode.ok;
    }
    const match = explainMatch(routes, path);
    // A platform's file that is missing or wrong matters to `build`, not here.
    const platform = await readPlatform(config).catch(() => undefined);
    const staticFile = findStaticFile(match.path, { config, platform });
    const explanation = { ...match, staticFile };
    if (values["json"] === true) output.data(JSON.stringify(toJson(explanation), null, 2));
    else show(explanation, output);
    if (hasAuth(scan.auth) && /^\/auth(\/|$)/.test(match.path)) {
      output.info("The authentication answers its own endpoints first (basePath, default /auth).");
    }
    return match.route === null && staticFile === null ? ExitCode.failure : ExitCode.ok;
  },
};

function list(routes: ListedRoute[], { output, json }: { output: Output; json: boolean }): void {
  for (const { file, methods, problem } of routes) {
    if (problem !== null) output.warn(`${file} ${problem}.`);
    if (methods === null) {
      output.warn(`${file}: what it answers cannot be told from its text (shown as "?").`);
    }
  }
  const rows = routes.flatMap((route) =>
    (route.methods ?? [null]).map((method) => ({ method, route }))
  );
  if (json) {
    output.data(JSON.stringify(rows.map(({ method, route }) => jsonRow(method, route)), null, 2));
    return;
  }
  const color = output.dataColor;
  const methodWidth = widest(rows.map(({ method }) => method ?? unknownMethods));
  const patternWidth = widest(rows.map(({ route }) => printable(route.pattern)));
  const lines = rows.flatMap(({ method, route }) => {
    const pattern = printable(route.pattern).padEnd(patternWidth);
    const start = color.cyan((method ?? unknownMethods).padEnd(methodWidth));
    const line = `${start}  ${pattern}  ${color.dim(printable(route.file))}`;
    if (!output.verbose) return [line];
    return [line, ...surroundings(route).map((each) => `${" ".repeat(methodWidth)}  ${each}`)];
  });
  if (lines.length > 0) output.data(lines.join("\n"));
}

/** Not spread into Math.max: an application may have more routes than a call has room for arguments. */
function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}

function jsonRow(method: string | null, route: ListedRoute) {
  const { pattern, file, kind, params, layouts, middleware } = route;
  return { method, pattern, file, kind, params, layouts, middleware };
}

function surroundings({ layouts, middleware }: ListedRoute): string[] {
  const lines = [];
  if (layouts.length > 0) lines.push(`  layouts     ${layouts.join(", ")}`);
  if (middleware.length > 0) lines.push(`  middleware  ${middleware.join(", ")}`);
  return lines.map((line) => printable(line));
}

function show(explanation: Explanation, output: Output): void {
  const { path, redirect, staticFile, route, later } = explanation;
  const say = (line: string): void => output.data(printable(line));
  if (staticFile !== null) {
    say(`${path} is answered by ${staticFile}: static files come before the routes.`);
    return;
  }
  if (redirect !== null) say(`${path} is sent to ${redirect}, without the slash at its end.`);
  if (route === null) {
    say(`No route answers ${path}.`);
    return;
  }
  const methods = (route.methods ?? [unknownMethods]).join(", ");
  say(`${redirect ?? path} is answered by ${route.file} (${methods}).`);
  say(`  pattern     ${route.pattern}`);
  for (const [name, value] of Object.entries(route.values)) {
    say(`  parameter   ${name} = ${JSON.stringify(value)}`);
  }
  for (const line of surroundings(route)) say(line);
  for (const { route: other, reason } of later) {
    say(`  before      ${other.pattern} (${other.file}), at ${reason}`);
  }
}

function toJson({ path, redirect, staticFile, route, later }: Explanation) {
  return {
    path,
    redirect,
    staticFile,
    route: route === null ? null : {
      methods: route.methods,
      ...jsonRow(null, route),
      method: undefined,
      params: route.values,
    },
    later: later.map(({ route: { pattern, file }, reason }) => ({ pattern, file, reason })),
  };
}
