import process from "node:process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { workerPool } from "./worker_pool.ts";

/** A part of vitest's own configuration; see https://vitest.dev/config/ for what may stand in it. */
export interface TestConfigInput {
  test?: Record<string, unknown>;
  [option: string]: unknown;
}

/** What `vitest.config.ts` exports. */
export interface TestConfig extends TestConfigInput {
  test: Record<string, unknown>;
}

/** Names that stand for the environment of this package, which vitest takes by its path only. */
const ENVIRONMENTS: readonly unknown[] = ["framework", "miniflare"];
const INLINED = /@framework[\\/+]testing/;

/**
 * Completes a vitest configuration for `createTestContext`: the application's modules are loaded
 * through Vite, as the test files are, and their JSX is the framework's, which is `hono/jsx` with client components.
 *
 * @param config Anything that vitest's `defineConfig` takes; what it says wins.
 * @example
 * ```ts
 * import { defineTestConfig } from "@framework/testing/vitest";
 * import assert from "node:assert/strict";
 *
 * const config = defineTestConfig({ test: { include: ["tests/**"] } });
 * assert.deepEqual(config.test["include"], ["tests/**"]);
 * ```
 */
export function defineTestConfig(config: TestConfigInput = {}): TestConfig {
  const { poolOptions, ...test } = config.test ?? {};
  const { workers, ...otherPools } = asObject(poolOptions);
  const root = resolve(typeof config["root"] === "string" ? config["root"] : process.cwd());
  const pool = workers === undefined ? null : workerPool(workers, root);
  const server = asObject(test["server"]);
  const deps = asObject(server["deps"]);
  const inline = deps["inline"];
  const plugins = Array.isArray(config["plugins"]) ? config["plugins"] : [];
  return {
    // For a project whose tsconfig.json does not say so; Vite before 8 reads that file alone.
    oxc: { jsx: { runtime: "automatic", importSource: "@framework/cli" } },
    ...config,
    ...(pool !== null && { plugins: [...plugins, pool.plugin] }),
    test: {
      ...(Object.keys(otherPools).length > 0 && { poolOptions: otherPools }),
      ...test,
      ...(ENVIRONMENTS.includes(test["environment"]) && { environment: environmentFile() }),
      ...pool?.test,
      server: {
        ...server,
        deps: {
          ...deps,
          // Vite's import() is what loads TypeScript, JSX and stylesheets; a package that is not
          // inlined would use the runtime's own.
          inline: inline === true ? true : [...(Array.isArray(inline) ? inline : []), INLINED],
        },
      },
    },
  };
}

function environmentFile(): string {
  // With the ending that this file has.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."));
  return fileURLToPath(new URL(`../environment${ending}`, import.meta.url));
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
