import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scanApp } from "../app/scan.ts";
import type { ProjectConfig } from "../config/load.ts";
import { patternShape } from "../runtime/pattern.ts";
import { CliError } from "../terminal/exit.ts";
import { displayPath } from "../tools/paths.ts";
import { actionTest, formPageSource, type SchemaLibrary, withAction } from "./action.ts";
import { type BackgroundType, planBackground } from "./background.ts";
import { planPublicRoute } from "./guards.ts";
import { readComponentName, readRouteName } from "./name.ts";
import {
  componentSource,
  componentTest,
  layoutSource,
  layoutTest,
  pageSource,
  pageTest,
} from "./page.ts";
import { middlewareSource, middlewareTest, routeSource, routeTest } from "./route.ts";
import { planSeed } from "./seed.ts";
import type { Place } from "./source_text.ts";
import { stateSource, stateTest, type StateType } from "./states.ts";

/** Kind of file that `framework generate` creates in the route tree. */
export type RouteType = "page" | "layout" | "route" | "middleware" | "action" | StateType;

/** Kind of file that `framework generate` creates in the project. */
export type GeneratedType = RouteType | BackgroundType | "component" | "seed";

/** A file that is to be written. */
export interface PlannedFile {
  /** Absolute path. */
  path: string;
  text: string;
  /** Absolute path of the folder that the file must be in. */
  within: string;
  /** True for an existing file with an addition, which replaces it without `--force`. */
  edited?: boolean;
}

const fileNames: Record<RouteType, string> = {
  page: "page.tsx",
  layout: "layout.tsx",
  route: "route.ts",
  middleware: "middleware.ts",
  action: "page.tsx",
  error: "error.tsx",
  "not-found": "not-found.tsx",
  unauthorized: "unauthorized.tsx",
  forbidden: "forbidden.tsx",
  loading: "loading.tsx",
};

/**
 * Plans the files of a `framework generate`: the file itself and, if the project has
 * `@framework/testing`, its test.
 *
 * @param type What is wanted.
 * @param name What the user typed.
 * @param options The project; `loader` gives a page one, `schedule` is that of a cron job.
 * @throws {CliError} Exit code 1 for a name that cannot be used or a path that has its route already.
 */
export async function planFiles(
  type: GeneratedType,
  name: string,
  options: { config: ProjectConfig; loader: boolean; test: boolean; schedule: string },
): Promise<PlannedFile[]> {
  const { config } = options;
  const { root, appDir } = config;
  const test = options.test && declares(root, '"@framework/testing');
  switch (type) {
    case "queue":
    case "cron":
    case "object":
      return await planBackground(type, name, { ...options, test });
    case "seed":
      return await planSeed(name, { config, test });
    case "component":
      return withTest(planComponent(name, config));
    default:
      return [
        ...withTest(await planRoute(type, name, options)),
        ...(test && isAnswered(type) ? planPublicRoute(readRouteName(name), config) : []),
      ];
  }

  function withTest(planned: Planned): PlannedFile[] {
    const { path, source: text, testPath, edited = false } = planned;
    return [
      ...(test ? [{ path: testPath, text: planned.test, within: join(root, "tests") }] : []),
      { path, text, within: appDir, edited },
    ].reverse();
  }
}

/** Returns true for a file that answers requests itself. */
function isAnswered(type: RouteType): boolean {
  return type === "page" || type === "route" || type === "action";
}

async function planRoute(
  type: RouteType,
  name: string,
  { config, loader }: { config: ProjectConfig; loader: boolean },
): Promise<Planned> {
  const { root, appDir } = config;
  const route = readRouteName(name);
  const path = join(appDir, ...route.folders, fileNames[type]);
  if (isAnswered(type)) {
    await refuseConflict(config, { path, shape: patternShape(route.segments) });
  }
  const testPath = join(root, "tests", ...route.folders, `${type.replace("-", "_")}.test.ts`);
  const place: Place = {
    ...route,
    file: displayPath(root, path),
    testFile: displayPath(root, testPath),
  };
  const edited = type === "action" && existsSync(path);
  const before = edited ? readFileSync(path, "utf8") : null;
  const libraries: SchemaLibrary[] = ["valibot", "zod"];
  const library = libraries.find((name) => declares(root, `"${name}"`)) ?? null;
  return { path, testPath, edited, ...routeTexts(type, place, { loader, before, library }) };
}

interface Planned {
  path: string;
  source: string;
  testPath: string;
  test: string;
  edited?: boolean;
}

function routeTexts(
  kind: RouteType,
  place: Place,
  options: { loader: boolean; before: string | null; library: SchemaLibrary | null },
): Pick<Planned, "source" | "test"> {
  switch (kind) {
    case "page":
      return { source: pageSource(place, options), test: pageTest(place, options) };
    case "layout":
      return { source: layoutSource(place), test: layoutTest(place) };
    case "route":
      return { source: routeSource(place), test: routeTest(place) };
    case "middleware":
      return { source: middlewareSource(place), test: middlewareTest(place) };
    case "action": {
      const { before, library } = options;
      const source = before === null
        ? formPageSource(place, library)
        : withAction(before, place, library);
      return { source, test: actionTest(place, library) };
    }
    default:
      return { source: stateSource(kind, place), test: stateTest(kind, place) };
  }
}

function planComponent(name: string, { root, appDir }: ProjectConfig): Planned {
  const component = readComponentName(name);
  const folders = ["_components", ...component.folders];
  const path = join(appDir, ...folders, `${component.stem}.tsx`);
  const testPath = join(root, "tests", ...folders, `${component.stem}.test.ts`);
  return {
    path,
    testPath,
    source: componentSource(component),
    test: componentTest(component, {
      file: displayPath(root, path),
      testFile: displayPath(root, testPath),
    }),
  };
}

/**
 * Refuses a file that answers the same paths as another one, which would make every later command
 * fail.
 */
async function refuseConflict(
  { root, appDir }: ProjectConfig,
  { path, shape }: { path: string; shape: string },
): Promise<void> {
  const { routes } = await scanApp(appDir);
  const other = routes.find(({ file, segments }) =>
    file !== path && patternShape(segments) === shape
  );
  if (other === undefined) return;
  throw new CliError(
    `${displayPath(root, other.file)} answers the same paths as ${displayPath(root, path)} would.`,
    { hint: "Choose another name, or remove that file first." },
  );
}

/** Returns true when a manifest of the project contains the beginning of a package's name. */
function declares(root: string, name: string): boolean {
  return ["package.json", "deno.json", "deno.jsonc"].some((manifest) => {
    const file = join(root, manifest);
    return existsSync(file) && readFileSync(file, "utf8").includes(name);
  });
}
