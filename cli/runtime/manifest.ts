import type { AppAssets } from "../client/assets.ts";
import { wrongSources } from "./csp.ts";
import type { InputReader } from "./schema.ts";
import { wrongInput, wrongSearch } from "./schema.ts";

/** Imported file of the application. */
export interface ManifestModule {
  /** Path for messages, such as `app/users/page.tsx`. */
  file: string;
  /** Exports of the file, by name; `default` is the component. */
  module: Record<string, unknown>;
}

/**
 * Kind of an error page, by the errors that it handles: `not-found` 404, `unauthorized` 401,
 * `forbidden` 403, `error` everything else.
 */
export type ErrorPageKind = "error" | "not-found" | "unauthorized" | "forbidden";

/** Kinds of error pages; each is a file of this name with the extension `.tsx`. */
export const errorPageKinds: readonly ErrorPageKind[] = [
  "error",
  "not-found",
  "unauthorized",
  "forbidden",
];

/** Error page that replaces a failed page. */
export interface ManifestErrorPage extends ManifestModule {
  /** Errors that it handles. */
  kind: ErrorPageKind;
  /** The layouts of its folder, outermost first. */
  layouts: ManifestModule[];
}

/** A page or route with the files that apply to it. */
export interface ManifestRoute extends ManifestModule {
  /** `page` when a component answers, with its layouts; `route` when exported methods do. */
  kind: "page" | "route";
  /** Pattern such as `/users/:id`, `/docs/:path*` or `/docs/:path*?`. */
  pattern: string;
  /** Layouts that apply to a page, outermost first. */
  layouts: ManifestModule[];
  /** Middleware that runs before it, outermost first. */
  middleware: ManifestModule[];
  /** Error pages, nearest first. Default: none. */
  errorPages?: ManifestErrorPage[];
  /** Placeholder while the page is being rendered. Default: the response waits. */
  loading?: ManifestModule | undefined;
}

/** Default exports of the files of `app/auth`; missing files are left out. */
export interface ManifestAuth {
  /** Result of `defineAuthConfig()` of `@framework/auth/convention`. */
  config?: unknown;
  /** Result of `defineAuthCallbacks()`. */
  callbacks?: unknown;
  /** Result of `defineAuthEvents()`. */
  events?: unknown;
  /** Result of `defineRBAC()`. */
  rbac?: unknown;
  /** Result of `defineTenancy()` of `@framework/auth/tenant`. */
  tenant?: unknown;
  /** Providers by id, which is the file's name. */
  providers: Record<string, unknown>;
}

/** Complete description of an application, which the generated entry passes to `createApplication`. */
export interface AppManifest {
  /** Name of the database binding behind `context.db` and the sessions. */
  database: string;
  /** True when error pages may show the error's message and stack. */
  dev: boolean;
  /** Routes in match order: of two that match a path, the first answers. */
  routes: ManifestRoute[];
  /** Error pages of the root folder, for paths without a route. Default: none. */
  errorPages?: ManifestErrorPage[];
  /** The files of `app/auth`, or null without them. */
  auth: ManifestAuth | null;
  /** Files of `app/queues` by queue name. Default: none. */
  queues?: Record<string, ManifestModule>;
  /** The files of `app/cron`. Default: none. */
  cron?: ManifestModule[];
  /** Files that begin with `"use client"`. Default: none. */
  clients?: ManifestModule[];
  /**
   * Reader of the input of pages and routes that export `input` or `search`: `readInput`. Default: none; an
   * application without such a file does not contain it.
   */
  input?: InputReader;
  /** Addresses of built scripts and stylesheets, read with the first page. Default: none. */
  assets?: () => AppAssets;
}

/** Role of a module's file. */
export type ModuleKind =
  | "page"
  | "layout"
  | "route"
  | "middleware"
  | "error page"
  | "loading"
  | "queue"
  | "cron";

const subject = {
  page: "a page",
  layout: "a layout",
  "error page": "an error page",
  loading: "what is shown while a page loads",
};

/** The methods that a route.ts may export. */
export const routeMethods: readonly string[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
];

/**
 * Describes what a module lacks, from the names that it exports.
 *
 * @returns A sentence without the file's name, or null when nothing is missing.
 */
export function missingExport(kind: ModuleKind, exported: readonly string[]): string | null {
  switch (kind) {
    case "page":
    case "layout":
    case "error page":
    case "loading":
      return exported.includes("default")
        ? null
        : `has no default export: ${subject[kind]} is a component`;
    case "route":
      return exported.some((name) => routeMethods.includes(name))
        ? null
        : `exports no method: a route exports ${routeMethods.join(", ")}`;
    case "middleware":
      return exported.includes("middleware") ? null : "does not export a function named middleware";
    case "queue":
      return exported.includes("queue") ? null : "does not export a function named queue";
    case "cron":
      return exported.includes("schedule") && exported.includes("scheduled")
        ? null
        : "does not export both schedule and a function named scheduled";
  }
}

/**
 * Checks that every module exports the functions that its kind requires.
 *
 * @throws {TypeError} Naming the file.
 */
export function checkManifest(manifest: AppManifest): void {
  for (const route of manifest.routes) {
    checkModule(route.kind, route);
    checkInput(route, manifest);
    for (const layout of route.layouts) checkModule("layout", layout);
    for (const middleware of route.middleware) checkModule("middleware", middleware);
    for (const page of route.errorPages ?? []) checkErrorPage(page);
    if (route.loading) checkModule("loading", route.loading);
  }
  for (const page of manifest.errorPages ?? []) checkErrorPage(page);
  for (const queue of Object.values(manifest.queues ?? {})) checkModule("queue", queue);
  for (const job of manifest.cron ?? []) checkModule("cron", job);
}

function checkErrorPage(page: ManifestErrorPage): void {
  checkModule("error page", page);
  for (const layout of page.layouts) checkModule("layout", layout);
}

function checkModule(kind: ModuleKind, { file, module }: ManifestModule): void {
  const missing = missingExport(kind, Object.keys(module));
  if (missing) throw new TypeError(`${file} ${missing}.`);
  const functions = {
    page: ["default", "loader", "action"],
    layout: ["default", "loader"],
    route: routeMethods,
    middleware: ["middleware"],
    "error page": ["default"],
    loading: ["default"],
    queue: ["queue"],
    cron: ["scheduled"],
  }[kind];
  for (const name of functions) {
    if (module[name] !== undefined && typeof module[name] !== "function") {
      throw new TypeError(`${file} exports ${name}, which is not a function.`);
    }
  }
  if (kind === "page" || kind === "layout") {
    checkHeaders(file, module["headers"]);
    const { csp } = module;
    const wrong = csp === undefined || typeof csp === "function" ? null : wrongSources(csp);
    if (wrong !== null) throw new TypeError(`${file} ${wrong}.`);
  }
  const wrongly = wrongPrefetch(module["prefetch"]);
  if (wrongly !== null) throw new TypeError(`${file} ${wrongly}.`);
  if (kind === "page" || kind === "route") {
    const wrong = wrongBodyLimit(module["bodyLimit"]);
    if (wrong !== null) throw new TypeError(`${file} ${wrong}.`);
  }
}

function checkInput(route: ManifestRoute, { input }: AppManifest): void {
  const wrong = wrongInput(route) ?? wrongSearch(route);
  if (wrong !== null) throw new TypeError(`${route.file} ${wrong}.`);
  const schema = ["input", ...route.kind === "page" ? ["search"] : []]
    .find((name) => route.module[name] !== undefined);
  if (schema !== undefined && input === undefined) {
    throw new TypeError(
      `${route.file} exports ${schema}, which nothing reads: pass input: readInput to createApplication().`,
    );
  }
}

function checkHeaders(file: string, headers: unknown): void {
  const isRecord = typeof headers === "object" && headers !== null &&
    !(headers instanceof Headers) && !Array.isArray(headers);
  if (headers === undefined || isRecord || typeof headers === "function") return;
  throw new TypeError(
    `${file} exports headers, which is neither an object of names and values nor a function.`,
  );
}

/**
 * Maximum size of a request body for a page or route, such as `"50 MB"`: a KB has 1,024 bytes, an
 * MB 1,024 KB, a GB 1,024 MB. Type of the export `bodyLimit`.
 */
export type BodyLimit = `${number} KB` | `${number} MB` | `${number} GB`;

/** Limit of pages and routes that export none. */
export const defaultBodyLimit: BodyLimit = "1 MB";

const UNITS: Record<string, number> = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** Returns a limit in bytes; NaN for an invalid one. */
export function readBodyLimit(limit: unknown = defaultBodyLimit): number {
  if (typeof limit !== "string") return NaN;
  const [, count, unit] = /^(\d+(?:\.\d+)?) (KB|MB|GB)$/.exec(limit) ?? [];
  return Math.floor(Number(count) * (UNITS[unit ?? ""] ?? NaN));
}

/**
 * Describes what is wrong with a limit, as a sentence without the file's name; null when it is
 * valid.
 */
export function wrongBodyLimit(limit: unknown): string | null {
  if (readBodyLimit(limit) > 0) return null;
  const found = typeof limit === "string" ? JSON.stringify(limit) : String(limit);
  return `exports the bodyLimit ${found}: write a text like "500 KB", "50 MB" or "1 GB"`;
}

/**
 * Setting of what browsers may load ahead of a visit, when somebody points at a link to the page. Type of the export `prefetch`.
 *
 * - `true`: the page, also for who is signed in, and with a query.
 * - `"prerender"`: the same, and the browser may run its scripts ahead of the visit as well.
 * - `false`: nothing.
 *
 * Without it: a page, by links without a query, for who is not signed in; nothing of a route.
 */
export type Prefetch = boolean | "prerender";

/** Describes a wrong `prefetch`, as a sentence without the file's name; null for a right one. */
export function wrongPrefetch(prefetch: unknown): string | null {
  if (prefetch === undefined || typeof prefetch === "boolean" || prefetch === "prerender") {
    return null;
  }
  return `exports a prefetch that is none of true, false and "prerender"`;
}
