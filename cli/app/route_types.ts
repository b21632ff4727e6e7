import { dirname, relative, sep } from "node:path";
import { formatFolders } from "../runtime/pattern.ts";
import type { AppScan } from "./scan.ts";

/** Files of one folder of `app/`, by what they are. */
type Folder = Partial<Record<"page" | "route" | "layout" | "middleware", string>>;

/** Source text of the types of routes, as {@linkcode routeTypes} returns it. */
export interface RouteTypes {
  /** Members of the interface of folders, by path. */
  routes: string[];
  /** Members of the interface of addresses. */
  links: string[];
  /** Members of the list of checks: each file against what its folder gives it. */
  checks: string[];
}

const CHECKS = {
  page: "PageFile",
  route: "RouteFile",
  layout: "LayoutFile",
  middleware: "MiddlewareFile",
};

/**
 * Returns the types of an application's folders: their files, the folder around each, and the
 * addresses of their routes.
 *
 * @param scan The application's files.
 * @param from Absolute path of the folder of the generated file.
 */
export function routeTypes(scan: AppScan, from: string): RouteTypes {
  const folders = new Map<string, Folder>();
  const errorFiles = new Map<string, string>();
  const importPath = (file: string) => relative(from, file).split(sep).join("/");
  function add(kind: keyof Folder | "error", file: string): void {
    const path = folderPath(scan.appDir, file);
    const folder = folders.get(path) ?? {};
    folders.set(path, folder);
    if (kind === "error") errorFiles.set(importPath(file), path);
    else folder[kind] = importPath(file);
  }
  for (const { kind, file, layouts, middleware, errorPages } of scan.routes) {
    add(kind, file);
    for (const layout of layouts) add("layout", layout);
    for (const one of middleware) add("middleware", one);
    for (const page of errorPages) add("error", page.file);
  }
  const paths = [...folders.keys()].sort();
  const files = (folder: Folder) => Object.entries(folder) as [keyof Folder, string][];
  const moduleOf = (file: string) => `typeof import(${JSON.stringify(file)})`;
  const checkOf = (file: string, contract: string, path: string) =>
    `  Fits<${moduleOf(file)}, ${contract}<${JSON.stringify(path)}>>,`;
  return {
    routes: paths.map((path) => {
      const parent = parentOf(path, folders);
      const fields = [
        ...(parent === undefined ? [] : [`parent: ${JSON.stringify(parent)}`]),
        ...files(folders.get(path)!).map(([kind, file]) => `${kind}: ${moduleOf(file)}`),
      ];
      return `  ${JSON.stringify(path)}: { ${fields.join("; ")} };`;
    }),
    links: scan.routes.map(({ segments, file }) => {
      return `  ${JSON.stringify(formatFolders(segments))}: ${moduleOf(importPath(file))};`;
    }).sort(),
    checks: [
      ...paths.flatMap((path) =>
        files(folders.get(path)!).map(([kind, file]) => checkOf(file, CHECKS[kind], path))
      ),
      ...[...errorFiles].sort().map(([file, path]) => checkOf(file, "ErrorPageFile", path)),
    ],
  };
}

/** Returns the path of a file's folder below `app/`, groups included, such as `/(site)/[id]`. */
function folderPath(appDir: string, file: string): string {
  return `/${relative(appDir, dirname(file)).split(sep).join("/")}`;
}

/** Returns the nearest folder around a folder that has files of its own. */
function parentOf(path: string, folders: ReadonlyMap<string, Folder>): string | undefined {
  for (let around = path; around !== "/";) {
    around = around.slice(0, around.lastIndexOf("/")) || "/";
    if (folders.has(around)) return around;
  }
  return undefined;
}
