import { TestingError } from "../errors.ts";

/** Part of the settings of vitest that is used here. */
interface VitestSettings {
  root: string;
  pool?: unknown;
}

/** Plugin of vitest. */
interface LimitsPlugin {
  name: string;
  configureVitest(hook: { project: { config: VitestSettings } }): void;
}

/**
 * Creates the plugin that refuses settings of vitest under which no test could load the application: its own errors would
 * name neither them nor a way out.
 */
export function createLimits(): LimitsPlugin {
  return {
    name: "framework:limits",
    configureVitest({ project: { config: { root, pool } } }) {
      if (pool === "vmThreads" || pool === "vmForks") {
        throw new TestingError(
          "VITEST_CONFIG",
          `vitest's pool ${pool} does not let @framework/testing load the application. Use "forks", which is the default, ` +
            'or "threads".',
        );
      }
      if (root.includes("%")) {
        throw new TestingError(
          "VITEST_CONFIG",
          `vitest imports no package in a folder whose path has a percent sign: ${root}. Rename the folder, or run the ` +
            "tests with `deno test`.",
        );
      }
    },
  };
}
