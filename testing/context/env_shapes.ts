import { createEnvironment } from "../platform/environment.ts";
import { setImportedEnv } from "./imported_env.ts";
import { readSecrets, type TestProject } from "./project.ts";

type ImportedProject = TestProject & { secrets?: Record<string, string> };

const shapes = new WeakMap<object, Record<string, unknown>>();
let loading: Promise<unknown> = Promise.resolve();

/**
 * Loads modules of a project. While they are loaded they may read `env`: variables have the values of the project's files,
 * and a binding is one that looks for the context at each use.
 *
 * @param overrides Bindings and variables of the test, for modules that are loaded for it alone. Default: none.
 */
export function withImportedEnv<T>(
  project: ImportedProject,
  load: () => Promise<T>,
  overrides: Record<string, unknown> = {},
): Promise<T> {
  const loaded = loading.then(() => {
    const known = shapes.get(project.platform) ?? readShapes(project);
    shapes.set(project.platform, known);
    setImportedEnv({ ...known, ...overrides });
    return load();
  });
  // One project after the other: modules read what is set for all of them.
  loading = loaded.catch(() => {});
  return loaded;
}

function readShapes(project: ImportedProject): Record<string, unknown> {
  const { env, close } = createEnvironment({
    ...project,
    secrets: project.secrets ?? readSecrets(project.config.root, project.platform),
    overrides: {},
    now: () => 0,
    guard: () => {},
    objectClass: () => Promise.resolve(undefined),
    run: (work) => work(),
    waitUntil: () => {},
    failed: () => {},
  });
  close();
  return env;
}
