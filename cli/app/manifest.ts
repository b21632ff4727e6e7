import {
  type AppManifest,
  checkManifest,
  type ManifestErrorPage,
  type ManifestModule,
} from "../runtime/manifest.ts";
import type { InputReader } from "../runtime/schema.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { appPath, hasAuth } from "./entry.ts";
import type { AppScan, ScannedErrorPage } from "./scan.ts";

/** Options for {@linkcode loadManifest}, besides the scan. */
export interface LoadManifestOptions {
  /** Name of the database binding. */
  database: string;
  /** Imports a file by its absolute path. */
  importModule(file: string): Promise<Record<string, unknown>>;
  /**
   * Reader of the input of pages and routes: `readInput` of `@framework/cli/runtime`. Default: none; a
   * file that exports `input` is then refused.
   */
  input?: InputReader;
}

/**
 * Imports the application's modules into this process and returns the manifest that the generated
 * entry contains.
 *
 * @param scan Which files there are, by {@linkcode scanApp}.
 * @param options The database's binding, and what imports a file.
 * @throws {CliError} Exit code 2 when a file lacks the export that its name promises.
 *
 * @example
 * ```ts
 * import { loadManifest, scanApp } from "@framework/cli/project";
 * import { createApplication } from "@framework/cli/runtime";
 * import { equal } from "node:assert/strict";
 * import { mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const app = await mkdtemp(join(tmpdir(), "app-"));
 * await writeFile(join(app, "route.ts"), "");
 * const manifest = await loadManifest(await scanApp(app), {
 *   database: "DB",
 *   importModule: () => Promise.resolve({ GET: () => "Hello" }), // or import()
 * });
 * const { worker } = createApplication(manifest);
 * const response = await worker.fetch(new Request("http://localhost/"), {});
 * equal(await response.json(), "Hello");
 * await rm(app, { recursive: true });
 * ```
 */
export async function loadManifest(
  scan: AppScan,
  options: LoadManifestOptions,
): Promise<AppManifest> {
  const imported = new Map<string, Promise<ManifestModule>>();
  function load(file: string): Promise<ManifestModule> {
    let module = imported.get(file);
    if (!module) {
      module = options.importModule(file)
        .then((module) => ({ file: appPath(scan.appDir, file), module }));
      imported.set(file, module);
    }
    return module;
  }
  function loadErrorPages(pages: ScannedErrorPage[]): Promise<ManifestErrorPage[]> {
    return Promise.all(pages.map(async ({ kind, file, layouts }) => ({
      kind,
      ...await load(file),
      layouts: await Promise.all(layouts.map(load)),
    })));
  }
  async function defaultOf(file: string): Promise<unknown> {
    const { file: name, module } = await load(file);
    if ("default" in module) return module["default"];
    throw new CliError(`${name} has no default export.`, { exitCode: ExitCode.config });
  }
  const manifest: AppManifest = {
    database: options.database,
    dev: false,
    ...(options.input ? { input: options.input } : {}),
    auth: hasAuth(scan.auth)
      ? {
        ...await mapValues(authParts(scan), defaultOf),
        providers: await mapValues(scan.auth.providers, defaultOf),
      }
      : null,
    routes: await Promise.all(scan.routes.map(async (route) => ({
      kind: route.kind,
      pattern: route.pattern,
      ...await load(route.file),
      layouts: await Promise.all(route.layouts.map(load)),
      middleware: await Promise.all(route.middleware.map(load)),
      errorPages: await loadErrorPages(route.errorPages),
      loading: route.loading === null ? undefined : await load(route.loading),
    }))),
    errorPages: await loadErrorPages(scan.errorPages),
    ...(Object.keys(scan.queues).length === 0
      ? {}
      : { queues: await mapValues(scan.queues, load) }),
    ...(scan.cron.length === 0 ? {} : { cron: await Promise.all(scan.cron.map(load)) }),
    ...(scan.clients.length === 0 ? {} : { clients: await Promise.all(scan.clients.map(load)) }),
  };
  try {
    checkManifest(manifest);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(message, { exitCode: ExitCode.config, cause });
  }
  return manifest;
}

function authParts({ auth }: AppScan): Record<string, string> {
  const { providers: _, ...files } = auth;
  return files;
}

async function mapValues<T>(
  record: Record<string, string>,
  map: (value: string) => Promise<T>,
): Promise<Record<string, T>> {
  const entries = Object.entries(record);
  return Object.fromEntries(
    await Promise.all(entries.map(async ([key, value]) => [key, await map(value)])),
  );
}
