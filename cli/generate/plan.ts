import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasAuth } from "../app/entry.ts";
import { readModuleNames } from "../app/exports.ts";
import { scanApp } from "../app/scan.ts";
import type { ProjectConfig } from "../config/load.ts";
import { patternShape } from "../runtime/pattern.ts";
import { CliError } from "../terminal/exit.ts";
import { displayPath } from "../tools/paths.ts";
import { actionTest, formPageSource, type SchemaLibrary, withAction } from "./action.ts";
import { type BackgroundType, planBackground } from "./background.ts";
import { planPublicRoute } from "./guards.ts";
import { readComponentName, readRouteName, type RouteName } from "./name.ts";
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
 * @throws {CliError} Exit code 1 for a name that cannot be used, a path that has its route already, and one that is the
 * library's.
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
    await refuseConflict(config, { type, path, route });
  }
  const testPath = join(root, "tests", ...route.folders, `${type.replace("-", "_")}.test.ts`);
  const place: Place = {
    ...route,
    file: displayPath(root, path),
    testFile: displayPath(root, testPath),
    hasLayoutData: hasLayoutLoader(
      appDir,
      type === "layout" ? route.folders.slice(0, -1) : route.folders,
    ),
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

/** Returns true when a layout of one of the folders, or of the application's own, has a loader. */
function hasLayoutLoader(appDir: string, folders: readonly string[]): boolean {
  return ["", ...folders].some((_, depth) => {
    const file = join(appDir, ...folders.slice(0, depth), "layout.tsx");
    if (!existsSync(file)) return false;
    const names = readModuleNames(readFileSync(file, "utf8"), file);
    return names !== null && names.exports.some(({ name }) => name === "loader");
  });
}

/** Names of pages below the library's path that an application may have. */
const authPages = ["signin", "signout", "error", "verify-request"];

/**
 * Refuses a file that answers the same paths as another one, which would make every later command
 * fail, and one that nothing would ever reach.
 */
async function refuseConflict(
  { root, appDir }: ProjectConfig,
  { type, path, route }: { type: RouteType; path: string; route: RouteName },
): Promise<void> {
  const { auth, routes } = await scanApp(appDir);
  const [first, ...rest] = route.segments;
  const isBelowAuth = first?.kind === "static" && first.value === "auth" && rest.length > 0;
  const last = rest.at(-1);
  const isOwnPage = type !== "route" && last?.kind === "static" && authPages.includes(last.value);
  if (isBelowAuth && hasAuth(auth) && !isOwnPage && !movesAuth(appDir)) {
    throw new CliError(
      `${
        displayPath(root, path)
      } would never be asked: the library answers all addresses below /auth.`,
      {
        hint:
          "Choose another address, or give the library another one by basePath in app/auth/config.ts.",
      },
    );
  }
  const shape = patternShape(route.segments);
  const other = routes.find(({ file, segments }) =>
    file !== path && patternShape(segments) === shape
  );
  if (other === undefined) return;
  const folder = displayPath(appDir, dirname(other.file));
  const isItsPage = type === "action" && other.kind === "page";
  throw new CliError(
    `${displayPath(root, other.file)} answers the same paths as ${displayPath(root, path)} would.`,
    {
      hint: isItsPage
        ? `For its action, run \`framework generate action ${
          /^[\w/.-]+$/.test(folder) ? folder : `'${folder}'`
        }\`.`
        : "Choose another name, or remove that file first.",
    },
  );
}

/** Returns true when the configuration gives the library another path than /auth. */
function movesAuth(appDir: string): boolean {
  const file = join(appDir, "auth", "config.ts");
  return existsSync(file) && /\bbasePath\b/.test(readFileSync(file, "utf8"));
}

/** Returns true when a manifest of the project contains the beginning of a package's name. */
function declares(root: string, name: string): boolean {
  return ["package.json", "deno.json", "deno.jsonc"].some((manifest) => {
    const file = join(root, manifest);
    return existsSync(file) && readFileSync(file, "utf8").includes(name);
  });
}
