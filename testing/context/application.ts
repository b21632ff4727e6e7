import { loadConfig, loadManifest, scanApp } from "@framework/cli/project";
import type { Auth } from "@framework/auth";
import {
  type ApplicationOptions,
  createApplication,
  type ManifestRoute,
  readInput,
} from "@framework/cli/runtime";
import { resolve } from "node:path";
import type { ObjectClass } from "../platform/durable_object_namespace.ts";
import type { Entrypoint } from "../platform/service.ts";
import { scopedAssets } from "./assets.ts";
import type { Handlers } from "./handlers.ts";
import { withImportedEnv } from "./env_shapes.ts";
import { importModule } from "./module.ts";
import { definePlatformGlobals, setBinaryType } from "./platform_globals.ts";
import { explainProjectError, readProject, readSecrets, type TestProject } from "./project.ts";
import { currentScope, noteEvent, noteFailure, scopedDeliver, scopedNow } from "./scope.ts";
import { installScopedDate } from "./scoped_date.ts";

/** Loaded application of a project folder, shared by its test contexts. */
export interface TestApplication extends TestProject {
  /** Handlers of the worker, and the application's authentication; null without `app/auth`. */
  application: { worker: Handlers; auth: Auth<unknown> | null };
  /** Pages and routes of `app/` with their modules, in match order; none for any other worker. */
  routes: readonly ManifestRoute[];
  /** True for a worker or handler without `app/`. */
  isForeign: boolean;
  /** Absolute path of the worker's module that another process runs. */
  main?: string;
  /** Name of the worker's file, for messages. */
  owner: string;
  /** Finds a named export of the worker. */
  entrypoint(name: string): Entrypoint | undefined;
  /** Loads the worker anew; missing where its module is shared. */
  again?(): Promise<TestApplication>;
  secrets: Record<string, string>;
  /** Finds a class of `app/objects` by its name; undefined when no file exports it. */
  objectClass(name: string): Promise<ObjectClass | undefined>;
}

// Modules are imported once per process, so there is one application per folder too. Nothing of a
// test is kept in it: databases, cookies and time belong to the contexts.
const applications = new Map<string, Promise<TestApplication>>();

/** Loads the application of a folder at the first call and returns it. */
export function testApplication(cwd: string): Promise<TestApplication> {
  const folder = resolve(cwd);
  const known = applications.get(folder);
  if (known !== undefined) return known;
  const loading = load(folder).catch(explainProjectError);
  applications.set(folder, loading);
  return loading;
}

async function load(folder: string): Promise<TestApplication> {
  definePlatformGlobals();
  installScopedDate(() => currentScope()?.now());
  const config = await loadConfig(folder, undefined, { importModule });
  const project = await readProject(config);
  setBinaryType(project.platform);
  const scan = await scanApp(config.appDir);
  const manifest = await withImportedEnv(
    project,
    () => loadManifest(scan, { database: config.database, importModule, input: readInput }),
  );
  const application = createApplication({ ...manifest, assets: () => scopedAssets }, {
    now: scopedNow,
    onError: noteFailure,
    deliver: scopedDeliver,
    logger,
  });
  return {
    ...project,
    application,
    routes: manifest.routes,
    isForeign: false,
    owner: "The application",
    entrypoint: () => undefined,
    secrets: readSecrets(config.root, project.platform),
    objectClass: findClasses(scan.objects),
  };
}

/**
 * Finds exported classes; the files are imported at the first use, because most tests need none of
 * them.
 */
function findClasses(files: readonly string[]): TestApplication["objectClass"] {
  let loading: Promise<Record<string, unknown>[]> | undefined;
  return async (name) => {
    const modules = await (loading ??= Promise.all(files.map(importModule)));
    const found = modules.find((module) => typeof module[name] === "function");
    return found?.[name] as ObjectClass | undefined;
  };
}

// Tests assert sign-ins and refusals themselves; only failures that they cannot see are printed.
const logger: NonNullable<ApplicationOptions["logger"]> = {
  info: noteEvent,
  warn: noteEvent,
  error(event, fields) {
    noteEvent(event, fields, true);
    // deno-lint-ignore no-console -- the author of the test should see it.
    console.error(event, fields);
  },
};

const running = new WeakMap<object, TestApplication>();

/** Remembers which application a context runs. */
export function rememberApplication(context: object, application: TestApplication): void {
  running.set(context, application);
}

/** Returns the application that a context runs; undefined in the worker pool, which has no files. */
export function applicationOf(context: object): TestApplication | undefined {
  return running.get(context);
}
