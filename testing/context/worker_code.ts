import { bundleWorker } from "@framework/cli/testing";
import { mkdtemp, writeFile } from "node:fs/promises";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import * as classes from "../platform/cloudflare_workers.ts";
import { EmailMessage } from "../platform/cloudflare_email.ts";
import { NonRetryableError } from "../platform/cloudflare_workflows.ts";
import { RpcStub } from "../platform/rpc_stub.ts";
import * as imported from "./imported_context.ts";
import { env } from "./imported_env.ts";
import { importModule } from "./module.ts";
import { explainProjectError, type TestProject } from "./project.ts";

/** Exports of a worker's module. */
export type WorkerModule = Record<string, unknown>;

const KEY = "framework.test.platform";

/** Puts the modules of the platform where bundled workers find them: on the global object, by their names. */
function definePlatformModules(): void {
  const shared = globalThis as Record<symbol, unknown>;
  const { importedExports: exports, ...functions } = imported;
  shared[Symbol.for(KEY)] ??= {
    "cloudflare:workers": { ...classes, ...functions, RpcStub, env, exports },
    "cloudflare:email": { EmailMessage },
    "cloudflare:workflows": { NonRetryableError },
  };
}

// Bundled once per process, as the application's modules are imported once.
const bundles = new Map<string, Promise<string>>();
let loads = 0;

/**
 * Bundles a worker with the project's esbuild at the first call, and runs the code anew at each.
 *
 * @throws {TestingError} `PROJECT` when the worker cannot be built.
 */
export async function runBundle(
  { config: { root }, platform }: TestProject,
  main: string,
): Promise<WorkerModule> {
  definePlatformModules();
  const building = bundles.get(main) ?? bundleWorker({
    root,
    main,
    platform,
    platformModule: (name) =>
      `module.exports = globalThis[Symbol.for(${JSON.stringify(KEY)})][${JSON.stringify(name)}];`,
  }).then(({ code }) => writeBundle(code)).catch(explainProjectError);
  bundles.set(main, building);
  const file = await building;
  return await importNatively(`${pathToFileURL(file).href}?load=${++loads}`);
}

/**
 * Imports a worker's module: under vitest through Vite, as the test files are; elsewhere as wrangler builds it, because
 * imports without endings, texts and conditions of packages are the bundler's.
 */
export async function importWorker(project: TestProject, main: string): Promise<WorkerModule> {
  return "__vitest_worker__" in globalThis
    ? await importModule(main)
    : await runBundle(project, main);
}

async function writeBundle(code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "framework-test-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  Reflect.get(globalThis, "addEventListener")?.("unload", remove);
  const file = join(folder, "worker.mjs");
  await writeFile(file, code);
  return file;
}

/** Imports by the runtime's own loader, also under vitest: the code is bundled, and a second load must run it again. */
async function importNatively(url: string): Promise<WorkerModule> {
  if (!("__vitest_worker__" in globalThis)) return await import(url);
  const loader = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const load = vm.compileFunction("return import(url);", ["url"], {
    importModuleDynamically: loader,
  } as object);
  return await load(url);
}
