import { scanApp } from "@framework/cli/project";
import { buildForeignWorker, buildTestWorker, type TestWorker } from "@framework/cli/testing";
import { rmSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { explainProjectError, type TestProject } from "./project.ts";

// Built once per process and folder, as the application's modules are imported once.
const workers = new Map<string, Promise<TestWorker>>();

/** Builds the worker of a project at the first call and returns it. */
export function testWorker({ config, platform }: TestProject): Promise<TestWorker> {
  const known = workers.get(config.root);
  if (known !== undefined) return known;
  const wrapper = wrapperFile();
  const building = scanApp(config.appDir)
    .then((scan) => buildTestWorker({ config, platform, scan, wrapper, env: process.env }))
    .then((worker) => {
      removeAtExit(worker.folder);
      return worker;
    })
    .catch(explainProjectError);
  workers.set(config.root, building);
  return building;
}

const foreign = new Map<string, Promise<TestWorker["options"]>>();

/** Builds a worker that is no application of the framework at the first call and returns its options. */
export function foreignWorker(
  { config, platform }: TestProject,
  main: string,
): Promise<TestWorker["options"]> {
  // Environments of one platform file have settings of their own.
  const key = JSON.stringify([main, platform.raw]);
  const known = foreign.get(key);
  if (known !== undefined) return known;
  const building = buildForeignWorker({ config, platform, main, wrapper: wrapperFile() })
    .catch(explainProjectError);
  foreign.set(key, building);
  return building;
}

function wrapperFile(): string {
  // With this file's own extension: .ts in the sources, .js on npm.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."));
  return fileURLToPath(new URL(`../worker${ending}`, import.meta.url));
}

function removeAtExit(folder: string): void {
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  Reflect.get(globalThis, "addEventListener")?.("unload", remove);
}
