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
  function add(kind: keyof Folder | null, file: string): void {
    const path = folderPath(scan.appDir, file);
    const folder = folders.get(path) ?? {};
    folders.set(path, folder);
    if (kind !== null) folder[kind] = relative(from, file).split(sep).join("/");
  }
  for (const { kind, file, layouts, middleware, errorPages } of scan.routes) {
    add(kind, file);
    for (const layout of layouts) add("layout", layout);
    for (const one of middleware) add("middleware", one);
    for (const page of errorPages) add(null, page.file);
  }
  const paths = [...folders.keys()].sort();
  const files = (folder: Folder) => Object.entries(folder) as [keyof Folder, string][];
  const moduleOf = (file: string) => `typeof import(${JSON.stringify(file)})`;
  return {
    routes: paths.map((path) => {
      const parent = parentOf(path, folders);
      const fields = [
        ...(parent === undefined ? [] : [`parent: ${JSON.stringify(parent)}`]),
        ...files(folders.get(path)!).map(([kind, file]) => `${kind}: ${moduleOf(file)}`),
      ];
      return `  ${JSON.stringify(path)}: { ${fields.join("; ")} };`;
    }),
    links: scan.routes.map(({ segments }) => formatFolders(segments)).sort()
      .map((path) => `  ${JSON.stringify(path)}: true;`),
    checks: paths.flatMap((path) =>
      files(folders.get(path)!).map(([kind, file]) =>
        `  Fits<${moduleOf(file)}, ${CHECKS[kind]}<${JSON.stringify(path)}>>,`
      )
    ),
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
