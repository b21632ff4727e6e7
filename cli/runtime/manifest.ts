/** A file of the application, imported. */
export interface ManifestModule {
  /** Path for messages, as in `app/users/page.tsx`. */
  file: string;
  /** What the file exports. */
  module: Record<string, unknown>;
}

/** A page or route with what applies to it. */
export interface ManifestRoute extends ManifestModule {
  kind: "page" | "route";
  /** As in `/users/:id`, `/docs/:path*`, `/docs/:path*?`. */
  pattern: string;
  /** Outermost first. */
  layouts: ManifestModule[];
  /** Outermost first. */
  middleware: ManifestModule[];
}

/** Everything that an application consists of: what the generated entry passes to `createApplication`. */
export interface AppManifest {
  /** Name of the database binding behind `context.db` and the sessions. */
  database: string;
  /** Whether error pages may show what went wrong. */
  dev: boolean;
  /** In match order: of two that match a path, the first answers. */
  routes: ManifestRoute[];
  /** The files of `app/auth`, or null without them. */
  auth: { config?: unknown; providers: Record<string, unknown> } | null;
}

/** What a module's file is for. */
export type ModuleKind = "page" | "layout" | "route" | "middleware";

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
 * Says what a module lacks, from the names that it exports.
 *
 * @returns A sentence without the file's name, or null when nothing is missing.
 */
export function missingExport(kind: ModuleKind, exported: readonly string[]): string | null {
  switch (kind) {
    case "page":
    case "layout":
      return exported.includes("default")
        ? null
        : `has no default export: a ${kind} is a component`;
    case "route":
      return exported.some((name) => routeMethods.includes(name))
        ? null
        : `exports no method: a route exports ${routeMethods.join(", ")}`;
    case "middleware":
      return exported.includes("middleware") ? null : "does not export a function named middleware";
  }
}

/**
 * Checks that every module has what its kind needs, and that it is a function.
 *
 * @throws {TypeError} Naming the file.
 */
export function checkManifest(manifest: AppManifest): void {
  for (const route of manifest.routes) {
    checkModule(route.kind, route);
    for (const layout of route.layouts) checkModule("layout", layout);
    for (const middleware of route.middleware) checkModule("middleware", middleware);
  }
}

function checkModule(kind: ModuleKind, { file, module }: ManifestModule): void {
  const missing = missingExport(kind, Object.keys(module));
  if (missing) throw new TypeError(`${file} ${missing}.`);
  const functions = {
    page: ["default", "loader", "action"],
    layout: ["default", "loader"],
    route: routeMethods,
    middleware: ["middleware"],
  }[kind];
  for (const name of functions) {
    if (module[name] !== undefined && typeof module[name] !== "function") {
      throw new TypeError(`${file} exports ${name}, which is not a function.`);
    }
  }
}
