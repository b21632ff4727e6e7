import { type Dirent, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { type ErrorPageKind, errorPageKinds } from "../runtime/manifest.ts";
import {
  checkSegments,
  compareSegments,
  formatPattern,
  patternShape,
  readFolder,
  type Segment,
} from "../runtime/pattern.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { childPath } from "../tools/paths.ts";
import {
  type AuthFile,
  authFiles,
  type BackgroundFiles,
  createFolderEntries,
  type FolderEntries,
  judgeAuthFolder,
  judgeFile,
  judgeProvider,
  readProviders,
  scanBackground,
  scanClients,
} from "./convention.ts";

/** Error page that replaces a failed page. */
export interface ScannedErrorPage {
  /** File name without extension. */
  kind: ErrorPageKind;
  /** Absolute path of its file. */
  file: string;
  /** Absolute paths of the layouts of its folder, outermost first. */
  layouts: string[];
}

/** A page or API route of the application, with the files that apply to it. */
export interface ScannedRoute {
  /** `page` for page.tsx, `route` for route.ts. */
  kind: "page" | "route";
  /** Path pattern, such as `/users/:id`. */
  pattern: string;
  /** The pattern as segments. */
  segments: Segment[];
  /** Absolute path of its file. */
  file: string;
  /** Absolute paths of the layouts that apply to a page, outermost first. */
  layouts: string[];
  /** Absolute paths of the middleware that runs before it, outermost first. */
  middleware: string[];
  /** Error pages of its folder and the parent folders, nearest first. */
  errorPages: ScannedErrorPage[];
  /** Absolute path of the nearest loading.tsx, for a page. */
  loading: string | null;
}

/** Contents of an application folder. */
export interface AppScan extends BackgroundFiles {
  /** Absolute path of the application's folder. */
  appDir: string;
  /** Routes in match order: of two that match a path, the first answers. */
  routes: ScannedRoute[];
  /** Error pages of the root folder, for paths without a route. */
  errorPages: ScannedErrorPage[];
  /** Absolute paths of the files whose components also run in the browser. */
  clients: string[];
  /** Absolute paths of the authentication files. */
  auth: { [Part in AuthFile]?: string } & { providers: Record<string, string> };
}

const routeFiles = [["page.tsx", "page"], ["route.ts", "route"]] as const;
/** File names with a meaning in every folder of the route tree. */
const treeFiles: ReadonlySet<string> = new Set([
  "page.tsx",
  "route.ts",
  "layout.tsx",
  "middleware.ts",
  "loading.tsx",
  ...errorPageKinds.map((kind) => `${kind}.tsx`),
]);

interface Folder {
  path: string;
  segments: Segment[];
  layouts: string[];
  middleware: string[];
  errorPages: ScannedErrorPage[];
  loading: string | null;
}

interface Walk {
  scan: AppScan;
  authDir: string;
  entries: FolderEntries;
  problems: { path: string; message: string; hint?: string }[];
  /** Real path of every folder that was read, with the path that led to it. */
  seen: Map<string, string>;
}

/**
 * Finds the routes of an application. Files of the route tree are recognized by name; other
 * components are read only to check whether they begin with `"use client"`.
 *
 * @param appDir Absolute path of the application's folder.
 * @throws {CliError} Exit code 2 when the folder is missing, when two files claim one path, or when a name is not
 * supported.
 *
 * @example
 * ```ts
 * import { scanApp } from "@framework/cli/project";
 * import { deepEqual } from "node:assert/strict";
 * import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const app = await mkdtemp(join(tmpdir(), "app-"));
 * for (const folder of ["users/[id]", "users/new"]) {
 *   await mkdir(join(app, folder), { recursive: true });
 *   await writeFile(join(app, folder, "page.tsx"), "");
 * }
 * const { routes } = await scanApp(app);
 * deepEqual(routes.map(({ pattern }) => pattern), ["/users/new", "/users/:id"]);
 * await rm(app, { recursive: true });
 * ```
 */
export function scanApp(appDir: string): Promise<AppScan> {
  return new Promise((resolve) => resolve(scan(appDir)));
}

function scan(appDir: string): AppScan {
  const entries = createFolderEntries();
  const walk: Walk = {
    entries,
    authDir: join(appDir, "auth"),
    scan: {
      appDir,
      routes: [],
      errorPages: [],
      clients: scanClients(appDir, entries),
      auth: { providers: {} },
      ...scanBackground(appDir, entries),
    },
    problems: [],
    seen: new Map(),
  };
  let root: string;
  try {
    root = realpathSync(appDir);
  } catch (cause) {
    throw new CliError(`The application folder ${appDir} does not exist.`, {
      exitCode: ExitCode.config,
      hint: "Run the command in the project folder, or set appDir in framework.config.ts.",
      cause,
    });
  }
  const nothing = { segments: [], layouts: [], middleware: [], errorPages: [], loading: null };
  readInto(walk, { path: appDir, ...nothing }, root);
  walk.scan.routes.sort((a, b) =>
    compareSegments(a.segments, b.segments) || byText(a.file, b.file)
  );
  findConflicts(walk);
  throwFirst(walk.problems);
  return walk.scan;
}

function readInto(walk: Walk, folder: Folder, real: string): void {
  const first = walk.seen.get(real);
  if (first !== undefined) {
    const [link, target] = [first, folder.path].sort((a, b) => b.length - a.length);
    report(
      walk,
      link!,
      `is a symbolic link to ${shown(walk, target!)}, which has already been read`,
    );
    return;
  }
  walk.seen.set(real, folder.path);
  const entries = walk.entries(folder.path);
  const names = new Set<string>();
  for (const { name } of entries) if (treeFiles.has(name)) names.add(name);
  // Most folders of a large application contain one route, or only further folders.
  const inner = names.size === 0 ? folder : withFiles(folder, names);
  if (folder.path === walk.scan.appDir) walk.scan.errorPages = inner.errorPages;
  for (const [name, kind] of routeFiles) {
    if (names.has(name)) addRoute(walk, inner, { kind, file: childPath(folder.path, name) });
  }
  const isAuth = folder.path === walk.authDir;
  if (isAuth) readAuth(walk, folder.path);
  const siblings = isAuth ? entries.map(({ name }) => name) : [];
  for (const entry of entries) {
    const { name } = entry;
    if (isFolder(entry, folder.path)) {
      if (!isAuth || name !== "providers") readSubfolder(walk, inner, { entry, real });
      continue;
    }
    const judgement = names.has(name) ? null : judgeFile(name, { inAuth: isAuth, siblings });
    if (judgement) report(walk, childPath(folder.path, name), judgement.problem, judgement.hint);
  }
}

/** Adds what a folder's own files contribute to the routes in it and below. */
function withFiles(folder: Folder, names: ReadonlySet<string>): Folder {
  const file = (name: string): string => childPath(folder.path, name);
  const inner: Folder = { ...folder };
  if (names.has("layout.tsx")) inner.layouts = [...folder.layouts, file("layout.tsx")];
  if (names.has("middleware.ts")) inner.middleware = [...folder.middleware, file("middleware.ts")];
  if (names.has("loading.tsx")) inner.loading = file("loading.tsx");
  const errorPages = errorPageKinds.filter((kind) => names.has(`${kind}.tsx`))
    .map((kind) => ({ kind, file: file(`${kind}.tsx`), layouts: inner.layouts }));
  if (errorPages.length > 0) inner.errorPages = [...errorPages, ...folder.errorPages];
  return inner;
}

function readAuth(walk: Walk, folder: string): void {
  const { auth } = walk.scan;
  const entries = walk.entries(folder);
  for (const part of authFiles) {
    if (entries.some(({ name }) => name === `${part}.ts`)) auth[part] = join(folder, `${part}.ts`);
  }
  const providers = entries.find(({ name }) => name === "providers");
  if (providers !== undefined && isFolder(providers, folder)) {
    const path = join(folder, "providers");
    auth.providers = readProviders(path, walk.entries);
    for (const entry of walk.entries(path)) {
      const judgement = judgeProvider(entry.name, { isFolder: isFolder(entry, path) });
      if (judgement) report(walk, join(path, entry.name), judgement.problem, judgement.hint);
    }
  }
  for (const entry of entries) {
    if (!isFolder(entry, folder)) continue;
    const path = join(folder, entry.name);
    const judgement = judgeAuthFolder(entry.name, walk.entries(path).map(({ name }) => name));
    if (judgement) report(walk, path, judgement.problem, judgement.hint);
  }
}

function readSubfolder(walk: Walk, folder: Folder, child: { entry: Dirent; real: string }): void {
  const { entry } = child;
  const path = childPath(folder.path, entry.name);
  if (entry.name === "node_modules") return;
  const meaning = readFolder(entry.name);
  if (meaning.kind === "private") return;
  if (meaning.kind === "invalid") {
    report(walk, path, `cannot be used as a route segment: ${meaning.reason}`);
    return;
  }
  const segments = meaning.kind === "group" ? folder.segments : [...folder.segments, meaning];
  const real = entry.isSymbolicLink() ? realpathSync(path) : childPath(child.real, entry.name);
  readInto(walk, { ...folder, path, segments }, real);
}

/**
 * Returns true for a folder. A link counts as its target; a broken link counts as a file, which
 * nothing reads.
 */
function isFolder(entry: Dirent, parent: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  try {
    return statSync(join(parent, entry.name)).isDirectory();
  } catch {
    return false;
  }
}

function addRoute(walk: Walk, folder: Folder, route: Pick<ScannedRoute, "kind" | "file">): void {
  const mistake = checkSegments(folder.segments);
  if (mistake) {
    report(walk, route.file, `cannot be routed: ${mistake}`);
    return;
  }
  walk.scan.routes.push({
    ...route,
    pattern: formatPattern(folder.segments),
    segments: folder.segments,
    layouts: route.kind === "page" ? folder.layouts : [],
    middleware: folder.middleware,
    errorPages: folder.errorPages,
    loading: route.kind === "page" ? folder.loading : null,
  });
}

function findConflicts(walk: Walk): void {
  const byShape = new Map<string, ScannedRoute>();
  for (const route of walk.scan.routes) {
    const shape = patternShape(route.segments);
    const other = byShape.get(shape);
    if (!other) {
      byShape.set(shape, route);
      continue;
    }
    const both = dirname(other.file) === dirname(route.file)
      ? "A folder may contain either a page.tsx or a route.ts; move one of them."
      : "Move or rename one of them, because no path could distinguish them.";
    report(
      walk,
      other.file,
      `and ${shown(walk, route.file)} both answer ${route.pattern}`,
      both,
    );
  }
}

function report(walk: Walk, path: string, what: string, hint?: string): void {
  walk.problems.push({
    path,
    message: `${shown(walk, path)} ${what}.`,
    ...(hint === undefined ? {} : { hint }),
  });
}

function shown(walk: Walk, path: string): string {
  return relative(dirname(walk.scan.appDir), path).split(sep).join("/");
}

function throwFirst(problems: Walk["problems"]): void {
  const [first, ...others] = problems.sort((a, b) => byText(a.path, b.path));
  if (!first) return;
  const more = others.map((problem) => `\n${problem.message}`).join("");
  throw new CliError(first.message + more, { exitCode: ExitCode.config, hint: first.hint });
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
