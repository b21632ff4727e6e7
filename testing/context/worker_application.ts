import { CliError } from "@framework/cli/project";
import { existsSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import type { ObjectClass } from "../platform/durable_object_namespace.ts";
import { TestingError } from "../errors.ts";
import type { TestApplication } from "./application.ts";
import { type FetchApplication, type Handlers, handlersOf } from "./handlers.ts";
import { withImportedEnv } from "./env_shapes.ts";
import { definePlatformGlobals, setBinaryType } from "./platform_globals.ts";
import {
  explainProjectError,
  readSecrets,
  readWorkerProject,
  type TestProject,
} from "./project.ts";
import { currentScope } from "./scope.ts";
import { installScopedDate } from "./scoped_date.ts";
import { importWorker, runBundle, type WorkerModule } from "./worker_code.ts";

const projects = new Map<string, Promise<TestProject>>();
const modules = new Map<string, Promise<TestApplication>>();

function workerProject(folder: string, environment?: string): Promise<TestProject> {
  const key = keyOf(folder, environment);
  const known = projects.get(key);
  if (known !== undefined) return known;
  const reading = readWorkerProject(folder, environment).catch(explainProjectError);
  projects.set(key, reading);
  return reading;
}

function keyOf(path: string, environment: string | undefined): string {
  return JSON.stringify([path, environment]);
}

/**
 * Loads a worker.
 *
 * @param cwd The project's folder.
 * @param worker Path of its module, relative to the folder, or what the module exports. Default: `main` of the platform
 * file.
 * @param options `environment`: environment of the platform file; `fresh`: bindings and variables of the test, to run the module anew for it; null to share what was loaded.
 * @throws {TestingError} `PROJECT` when it cannot be loaded, `OPTIONS` for a module that cannot be loaded anew.
 */
export async function workerApplication(
  cwd: string,
  worker: string | WorkerModule | undefined,
  { environment, fresh }: {
    environment: string | undefined;
    fresh: Record<string, unknown> | null;
  },
): Promise<TestApplication> {
  const folder = resolve(cwd);
  const project = await workerProject(folder, environment);
  if (typeof worker === "object") {
    if (fresh !== null) {
      throw new TestingError(
        "OPTIONS",
        'createTestContext() was given fresh: "module" with a module that the test has imported. Pass the path of its ' +
          "file as worker.",
      );
    }
    return applicationOf(project, worker, "The module that worker names");
  }
  const main = findMain(project, worker);
  if (fresh !== null) return await freshApplication(project, main, fresh);
  const key = keyOf(main, environment);
  const known = modules.get(key);
  if (known !== undefined) return await known;
  const loading = withImportedEnv(
    project,
    async () => applicationOf(project, await importWorker(project, main), nameOf(project, main)),
  );
  modules.set(key, loading);
  return await loading;
}

async function freshApplication(
  project: TestProject,
  main: string,
  overrides: Record<string, unknown>,
): Promise<TestApplication> {
  const module = await withImportedEnv(project, () => runBundle(project, main), overrides);
  return {
    ...applicationOf(project, module, nameOf(project, main)),
    again: () => freshApplication(project, main, overrides),
  };
}

/** Returns the application of a `fetch`, with the bindings of the folder's platform file if it has one. */
export async function handlerApplication(
  cwd: string,
  handler: FetchApplication,
): Promise<TestApplication> {
  const project = await workerProject(resolve(cwd));
  return applicationOf(project, { default: handler }, "The handler");
}

/** Returns the files of a worker that another process runs. */
export async function workerFiles(
  cwd: string,
  worker: string | undefined,
  environment: string | undefined,
): Promise<TestApplication> {
  const project = await workerProject(resolve(cwd), environment);
  const main = findMain(project, worker);
  return { ...applicationOf(project, {}, nameOf(project, main)), main };
}

/** Returns true for a folder without `app/` whose platform file names a worker. */
export async function isWorkerProject(cwd: string): Promise<boolean> {
  const { config, platform } = await workerProject(resolve(cwd));
  return typeof platform.raw["main"] === "string" && !existsSync(config.appDir);
}

function applicationOf(
  project: TestProject,
  module: WorkerModule,
  owner: string,
): TestApplication {
  definePlatformGlobals();
  setBinaryType(project.platform);
  installScopedDate(() => currentScope()?.now());
  // What a bundler makes of CommonJS has the exports within the default one.
  const entrypoint = module["default"];
  const worker: Handlers = handlersOf(entrypoint);
  return {
    ...project,
    application: { worker, auth: null },
    routes: [],
    isForeign: true,
    owner,
    secrets: readSecrets(project.config.root, project.platform),
    entrypoint: (name) => name === "default" ? Object(entrypoint) : entrypointOf(module[name]),
    objectClass: (name) => {
      const found = module[name];
      if (typeof found === "function") return Promise.resolve(found as ObjectClass);
      throw new TestingError(
        "NO_CLASS",
        `${
          basename(project.platform.file)
        } binds the durable object ${name}, but ${owner} does not export it. Add ` +
          `\`export class ${name} extends DurableObject\` there, or export it from another file.`,
      );
    },
  };
}

function entrypointOf(exported: unknown): object | undefined {
  const isOne = typeof exported === "object" && exported !== null || typeof exported === "function";
  return isOne ? Object(exported) : undefined;
}

function nameOf({ config }: TestProject, main: string): string {
  return relative(config.root, main);
}

function findMain({ config, platform }: TestProject, worker: string | undefined): string {
  const named = worker ?? platform.raw["main"];
  if (typeof named !== "string") {
    explainProjectError(
      new CliError(`The worker's module is not known: ${basename(platform.file)} has no "main".`, {
        hint: 'Add it, or pass it: createTestContext({ worker: "./src/index.ts" }).',
      }),
    );
  }
  const file = resolve(config.root, named);
  if (existsSync(file)) return file;
  explainProjectError(
    new CliError(`The worker's module ${relative(config.root, file)} does not exist.`, {
      hint:
        "Correct the path, which is relative to the project's folder, or build the project before its tests.",
    }),
  );
}
