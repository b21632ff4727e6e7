import { dirname, posix, relative, sep } from "node:path";
import type { AppScan } from "../app/scan.ts";
import { formScript } from "../client/assets.ts";
import { formatBytes, printable } from "../terminal/output.ts";
import { isForm } from "./browser_bundle.ts";
import type { BrowserFiles, BundledModule } from "./protocol.ts";

/** Share of the worker, in bytes. */
export interface Share {
  name: string;
  /** Bytes in worker.js. */
  bytes: number;
}

/** Share of a route in the worker. */
export interface RouteShare {
  kind: "page" | "route";
  pattern: string;
  /** Bytes of the route with everything that it, its layouts and its middleware import. */
  bytes: number;
  /**
   * Share of the compressed worker, in bytes; an estimate, because parts of it compress together.
   */
  gzipBytes: number;
  /** Bytes that only this route adds. */
  ownBytes: number;
  /** Size of the scripts and stylesheets that a browser loads for the route, compressed with gzip. */
  browserGzipBytes: number;
}

/** Composition of a worker. */
export interface Analysis {
  /** Size of worker.js. */
  bytes: number;
  /** Size of worker.js compressed with gzip. */
  gzipBytes: number;
  /** Routes, largest first. */
  routes: RouteShare[];
  /** Packages, and the application's own code as `application`; largest first. */
  packages: Share[];
  /** Files, relative to the project; largest first. */
  modules: (Share & { package: string })[];
}

/** Name for code that belongs to no package. */
export const APPLICATION = "application";

/**
 * Analyzes what a worker consists of.
 *
 * @param modules The files that went into it, with what they import.
 * @param options Sizes of the worker, the application's files, and the project's folder.
 */
export function analyze(
  modules: BundledModule[],
  { root, scan, bytes, gzipBytes, browser }: {
    root: string;
    scan: AppScan;
    bytes: number;
    gzipBytes: number;
    browser: BrowserFiles;
  },
): Analysis {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const reached = scan.routes.map((route) => {
    const files = [route.file, ...route.layouts, ...route.middleware];
    return reach(files.map((file) => relative(root, file).split(sep).join("/")), byPath);
  });
  const users = new Map<string, number>();
  for (const paths of reached) {
    for (const path of paths) users.set(path, (users.get(path) ?? 0) + 1);
  }
  const size = (path: string): number => byPath.get(path)?.bytes ?? 0;
  const sum = (paths: Iterable<string>): number =>
    [...paths].reduce((total, path) => total + size(path), 0);

  const application = relative(root, dirname(scan.appDir)).split(sep).join("/");
  const routes = scan.routes.map(({ kind, pattern }, index): RouteShare => {
    const paths = [...reached[index] ?? []];
    const own = paths.filter((path) => users.get(path) === 1);
    const all = sum(paths);
    return {
      kind,
      pattern,
      bytes: all,
      gzipBytes: bytes === 0 ? 0 : Math.round(all / bytes * gzipBytes),
      ownBytes: sum(own),
      browserGzipBytes: kind === "page"
        ? browserSize(paths.map((path) => posix.relative(application, path)), browser)
        : 0,
    };
  });
  const packages = new Map<string, number>();
  for (const { path, bytes } of modules) {
    const name = packageOf(path);
    packages.set(name, (packages.get(name) ?? 0) + bytes);
  }
  return {
    bytes,
    gzipBytes,
    routes: routes.sort((a, b) => b.bytes - a.bytes || compare(a.pattern, b.pattern)),
    packages: [...packages].map(([name, bytes]) => ({ name, bytes })).sort(bySize),
    modules: modules
      .map(({ path, bytes }) => ({ name: path, bytes, package: packageOf(path) }))
      .sort(bySize),
  };
}

/** Returns the compressed size of browser files; a file that two parts of a page need counts once. */
function browserSize(files: readonly string[], { assets, gzipBytes }: BrowserFiles): number {
  const names = files.some(isForm) ? [...files, formScript] : files;
  const addresses = names.flatMap((file) => [
    ...assets.scripts[file] ?? [],
    ...assets.styles[file] ?? [],
  ]);
  return [...new Set(addresses)].reduce((sum, address) => sum + (gzipBytes[address] ?? 0), 0);
}

function reach(start: string[], modules: Map<string, BundledModule>): Set<string> {
  const found = new Set<string>();
  const open = start.filter((path) => modules.has(path));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    open.push(...modules.get(path)?.imports ?? []);
  }
  return found;
}

/** Returns the package of a file: the name after the last `node_modules`. */
function packageOf(path: string): string {
  const parts = path.split("/");
  const at = parts.lastIndexOf("node_modules");
  if (at === -1) return APPLICATION;
  const [first = "", second = ""] = parts.slice(at + 1);
  return first.startsWith("@") ? `${first}/${second}` : first;
}

function bySize(a: Share, b: Share): number {
  return b.bytes - a.bytes || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Number of lines that fit on a terminal. */
const shown = 20;

/**
 * Formats the routes with their sizes, largest first.
 *
 * @param analysis What the worker is made of.
 */
export function formatRoutes({ routes }: Pick<Analysis, "routes">): string {
  const rows = routes.slice(0, shown).map((route) => [
    printable(route.pattern),
    formatBytes(route.bytes),
    `~${formatBytes(route.gzipBytes)}`,
    formatBytes(route.ownBytes),
    route.kind === "route" ? "" : formatBytes(route.browserGzipBytes),
  ]);
  const left = routes.length - rows.length;
  return [
    table([["route", "with imports", "gzip", "only for it", "browser, gzip"], ...rows]),
    ...(left > 0 ? [`and ${left} more; --analyze lists all`] : []),
  ].join("\n");
}

/**
 * Formats the packages in the worker, largest first.
 *
 * @param analysis What the worker is made of.
 */
export function formatPackages({ packages }: Pick<Analysis, "packages">): string {
  const rows = packages.slice(0, shown).map(({ name, bytes }) => [
    printable(name),
    formatBytes(bytes),
  ]);
  return table([["package", "in the worker"], ...rows]);
}

/** Aligns the first column to the left and numbers to the right. */
function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0))
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)
        )
        .join("  ")
        .trimEnd()
    )
    .join("\n");
}
