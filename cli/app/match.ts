import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ProjectConfig } from "../config/load.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { redirectTrailingSlash } from "../runtime/methods.ts";
import type { Segment } from "../runtime/pattern.ts";
import { createRouter, type Params } from "../runtime/router.ts";
import { CliError } from "../terminal/exit.ts";
import { contains, displayPath } from "../tools/paths.ts";
import type { ListedRoute } from "./routes.ts";

/** The route that answers a path, and the reason. */
export interface Explanation {
  /** Path as the application receives it: resolved, encoded, without query. */
  path: string;
  /** Redirect target of a path with a trailing slash; null when there is no redirect. */
  redirect: string | null;
  /** Static file that answers before any route, relative to the project. */
  staticFile: string | null;
  route: (ListedRoute & { values: Params }) | null;
  /** Routes that also match but have lower precedence. */
  later: { route: ListedRoute; reason: string }[];
}

/**
 * Explains which route answers a path.
 *
 * @param routes All routes in match order.
 * @param text A path or an address.
 * @throws {CliError} Exit code 1 for a text that is neither.
 */
export function explainMatch(
  routes: ListedRoute[],
  text: string,
): Omit<Explanation, "staticFile"> {
  const path = pathnameOf(text);
  const match = createRouter(routes);
  const request = new Request(`http://localhost${path}`);
  const response = redirectTrailingSlash(request, (short) => match(short) !== null);
  const redirect = response && new URL(response.headers.get("location")!).pathname;
  const [route = null, ...others] = findMatches(routes, redirect ?? path);
  return {
    path,
    redirect,
    route,
    later: route === null ? [] : others.map((other) => ({
      route: other,
      reason: whyFirst(route.segments, other.segments),
    })),
  };
}

/**
 * Finds all matching routes by asking the application's own router again without each route that it
 * returned.
 */
function findMatches(
  routes: readonly ListedRoute[],
  path: string,
): NonNullable<Explanation["route"]>[] {
  const match = createRouter(routes)(path);
  if (match === null) return [];
  const { route, params } = match;
  return [
    { ...route, values: params },
    ...findMatches(routes.filter((each) => each !== route), path),
  ];
}

/**
 * Explains why the first of two patterns that match one path takes precedence.
 *
 * @param winner The pattern that answers.
 * @param other A pattern that comes later.
 */
export function whyFirst(winner: readonly Segment[], other: readonly Segment[]): string {
  for (let index = 0; index < Math.max(winner.length, other.length); index++) {
    const left = winner[index];
    const right = other[index];
    if (left?.kind === right?.kind) continue;
    return `part ${index + 1} of the path: ${describe(left)} comes before ${describe(right)}`;
  }
  return "both are equally specific";
}

function describe(segment: Segment | undefined): string {
  switch (segment?.kind) {
    case undefined:
      return "the end";
    case "static":
      return `"${segment.value}"`;
    case "param":
      return `the parameter :${segment.name}`;
    case "rest":
      return `the catch-all :${segment.name}*`;
    case "optional":
      return `the optional catch-all :${segment.name}*?`;
  }
}

function pathnameOf(text: string): string {
  // Two leading slashes would name another host.
  const base = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://localhost${slashed(text)}`;
  if (text !== "" && URL.canParse(base)) return new URL(base).pathname;
  throw new CliError(`${JSON.stringify(text)} is not a path.`, {
    hint: "Write a path after --match, for example `framework routes --match /users/1`.",
  });
}

function slashed(text: string): string {
  return text.startsWith("/") ? text : `/${text}`;
}

/**
 * Finds the static file that answers a path before any route does.
 *
 * @param pathname Encoded path.
 * @param project Configuration, and the platform's file when it can be read.
 * @returns Its path relative to the project, or null.
 */
export function findStaticFile(
  pathname: string,
  { config, platform }: { config: ProjectConfig; platform: Platform | undefined },
): string | null {
  const raw = (platform?.raw["assets"] ?? {}) as Record<string, unknown>;
  if (raw["run_worker_first"] !== undefined && raw["run_worker_first"] !== false) return null;
  const declared = platform?.assets?.directory;
  const folder = platform === undefined || declared === undefined
    ? config.publicDir
    : resolve(dirname(platform.file), declared);
  let path: string;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    return null;
  }
  if (path.includes("\0")) return null;
  const pages = raw["html_handling"] === "none" ? [] : [`${path}.html`, `${path}/index.html`];
  for (const candidate of [path, ...pages].map((name) => join(folder, name))) {
    if (!contains(folder, candidate) || !existsSync(candidate)) continue;
    if (statSync(candidate).isFile()) return displayPath(config.root, candidate);
  }
  return null;
}
