import { relative } from "node:path";

/** Part of a module of Vite's graph that is used here. */
interface ModuleNode {
  file: string | null;
  importers: Set<ModuleNode>;
}

/** Part of Vite's graph of modules that is used here. */
export interface ModuleGraph {
  idToModuleMap: Map<string, ModuleNode>;
  getModulesByFile(file: string): Set<ModuleNode> | undefined;
  createFileOnlyEntry(file: string): ModuleNode;
}

/** Part of what vitest hands to a plugin that is used here. */
interface VitestHook {
  vitest: {
    vite: { watcher: { prependListener(event: string, listen: (file: string) => void): unknown } };
  };
  project: {
    config: { root: string };
    vite: { environments: Record<string, { moduleGraph: ModuleGraph }> };
  };
}

/** Plugin of vitest. */
interface LoadedPlugin {
  name: string;
  configureVitest(hook: VitestHook): void;
}

/** Files that an application consists of besides the modules that it imports, relative to the project's folder. */
const OF_APPLICATION =
  /^(?:(?:app|public)\/.*|(?!\.\.\/).*\.sql|framework\.config\.\w+|wrangler\.\w+|\.dev\.vars[\w.]*)$/;

/**
 * Creates the plugin by which vitest's watch mode runs the tests with a context again when a file of the application
 * changes: no test imports it, so that Vite's graph does not lead from it to any test.
 *
 * @param loader Absolute path of the module that imports the application.
 */
export function createLoadedFiles(loader: string): LoadedPlugin {
  const importer = withSlashes(loader);
  return {
    name: "framework:loaded-files",
    configureVitest({ vitest, project }) {
      const { config: { root }, vite } = project;
      function connect(changed: string): void {
        for (const { moduleGraph } of Object.values(vite.environments)) {
          connectLoaded(moduleGraph, { importer, root, changed: withSlashes(changed) });
        }
      }
      // Before vitest's own listeners, which ask the graph.
      for (const event of ["add", "change"]) vitest.vite.watcher.prependListener(event, connect);
    },
  };
}

/** Makes the loader the importer of what it has loaded: all of the application, and what nothing else imports. */
function connectLoaded(
  graph: ModuleGraph,
  { importer, root, changed }: { importer: string; root: string; changed: string },
): void {
  const loaders = graph.getModulesByFile(importer);
  if (loaders === undefined) return;
  const isLoaded = ({ file, importers }: ModuleNode) =>
    file !== null && (importers.size === 0 || isOfApplication(file, root));
  const loaded = [...graph.idToModuleMap.values()].filter(isLoaded);
  // A new file, or one that is read and not imported.
  if (isOfApplication(changed, root) && !graph.getModulesByFile(changed)?.size) {
    loaded.push(graph.createFileOnlyEntry(changed));
  }
  for (const { importers } of loaded) for (const each of loaders) importers.add(each);
}

function isOfApplication(file: string, root: string): boolean {
  return OF_APPLICATION.test(withSlashes(relative(root, file)));
}

function withSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}
