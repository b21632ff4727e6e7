import { hasAuth } from "../app/entry.ts";
import { explainMatch, type Explanation, findStaticFile } from "../app/match.ts";
import { jsonRow, type ListedRoute, surroundings, unknownMethods } from "../app/routes.ts";
import type { AppScan } from "../app/scan.ts";
import type { ProjectConfig } from "../config/load.ts";
import { readPlatform } from "../platform/wrangler_file.ts";
import { ExitCode } from "../terminal/exit.ts";
import { type Output, printable } from "../terminal/output.ts";

/** Routes of the application. */
export interface KnownRoutes {
  /** In match order. */
  routes: ListedRoute[];
  config: ProjectConfig;
  scan: AppScan;
  output: Output;
  /** Answers as JSON. */
  json: boolean;
}

/** Runs `framework routes --match`: prints which route answers a path, and why. */
export async function explainRoute(
  path: string,
  { routes, config, scan, output, json }: KnownRoutes,
): Promise<number> {
  const match = explainMatch(routes, path);
  // A missing or wrong platform file matters to `build`, not here.
  const platform = await readPlatform(config).catch(() => undefined);
  const staticFile = findStaticFile(match.path, { config, platform });
  const explanation = { ...match, staticFile };
  if (json) output.data(JSON.stringify(toJson(explanation), null, 2));
  else show(explanation, output);
  if (hasAuth(scan.auth) && /^\/auth(\/|$)/.test(match.path)) {
    output.info("Authentication answers its own endpoints first (basePath, default /auth).");
  }
  return match.route === null && staticFile === null ? ExitCode.failure : ExitCode.ok;
}

function show(explanation: Explanation, output: Output): void {
  const { path, redirect, staticFile, route, later } = explanation;
  const say = (line: string): void => output.data(printable(line));
  if (staticFile !== null) {
    say(`${path} is answered by ${staticFile}: static files take precedence over routes.`);
    return;
  }
  if (redirect !== null) say(`${path} is redirected to ${redirect}, without the trailing slash.`);
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
