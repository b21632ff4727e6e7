import { scanApp } from "@framework/cli/project";
import { buildTestWorker, type TestWorker } from "@framework/cli/testing";
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
  // With this file's own extension: .ts in the sources, .js on npm.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."));
  const wrapper = fileURLToPath(new URL(`../worker${ending}`, import.meta.url));
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

function removeAtExit(folder: string): void {
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  Reflect.get(globalThis, "addEventListener")?.("unload", remove);
}
