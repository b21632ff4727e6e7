import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createImportedFiles } from "./imported_files.ts";
import { createLimits } from "./limits.ts";
import { createLoadedFiles } from "./loaded_files.ts";
import { workerPool } from "./pool.ts";

/** Part of vitest's own configuration; see https://vitest.dev/config/ for its options. */
export interface TestConfigInput {
  /** Test options: `include`, `environment`, `poolOptions` and others. */
  test?: Record<string, unknown>;
  /** Further options of Vite, such as `plugins` and `resolve`. */
  [option: string]: unknown;
}

/** Configuration for `vitest.config.ts` to export. */
export interface TestConfig extends TestConfigInput {
  /** Test options, completed for `createTestContext`. */
  test: Record<string, unknown>;
}

/** Names for this package's environment, which vitest accepts only as a path. */
const ENVIRONMENTS: readonly unknown[] = ["framework", "miniflare"];
const INLINED = /@framework[\\/+]testing/;

/**
 * Completes a vitest configuration for `createTestContext`: the application's modules are loaded
 * through Vite, as the test files are, and their JSX is the framework's, which is `hono/jsx` with client components.
 *
 * @param config Any configuration for vitest's `defineConfig`; its options take precedence.
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
  const { workers = askedPool(), ...otherPools } = asObject(poolOptions);
  const root = resolve(typeof config["root"] === "string" ? config["root"] : process.cwd());
  const pool = workers === undefined ? null : workerPool(workers, root);
  const server = asObject(test["server"]);
  const deps = asObject(server["deps"]);
  const inline = deps["inline"];
  const plugins = listOf(config["plugins"]);
  return {
    // For a project whose tsconfig.json does not set it; Vite before 8 reads only that file.
    ...(hasApplication(root) && {
      oxc: { jsx: { runtime: "automatic", importSource: "@framework/cli" } },
    }),
    ...config,
    // The pool has the platform's own modules.
    ...(pool === null && { resolve: withPlatform(asObject(config["resolve"])) }),
    plugins: [
      ...plugins,
      ...(pool === null ? [] : [pool.plugin]),
      createImportedFiles(pool !== null),
      // The pool has the worker that was built before.
      ...(pool === null ? [createLimits(), createLoadedFiles(fileOf("context/module"))] : []),
    ],
    test: {
      // The first context of a file loads the application, and password hashing is slow by design.
      testTimeout: 20_000,
      hookTimeout: 20_000,
      ...(Object.keys(otherPools).length > 0 && { poolOptions: otherPools }),
      ...test,
      ...(ENVIRONMENTS.includes(test["environment"]) && { environment: fileOf("environment") }),
      ...pool?.test,
      setupFiles: [fileOf("setup"), ...listOf(test["setupFiles"])],
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

/** Returns the pool that `framework test --pool` requests, with the platform file that it names. */
function askedPool(): unknown {
  const configPath = process.env["FRAMEWORK_TEST_POOL"];
  return configPath === undefined ? undefined : { wrangler: { configPath } };
}

/** Returns true for the folder of an application; any other worker says itself how its JSX is compiled. */
function hasApplication(root: string): boolean {
  return ["app", "framework.config.ts", "framework.config.js"]
    .some((name) => existsSync(join(root, name)));
}

/**
 * Makes Vite resolve the platform's modules to this package's, as the module hook does in other
 * runtimes.
 */
function withPlatform(given: Record<string, unknown>): Record<string, unknown> {
  const { alias = {}, ...others } = given;
  const modules = {
    "cloudflare:workers": fileOf("cloudflare"),
    "cloudflare:email": fileOf("cloudflare_email"),
    "cloudflare:workflows": fileOf("cloudflare_workflows"),
  };
  return {
    ...others,
    alias: Array.isArray(alias)
      ? [
        ...alias,
        ...Object.entries(modules).map(([find, replacement]) => ({ find, replacement })),
      ]
      : { ...modules, ...asObject(alias) },
  };
}

/** Path of a file of this package. */
function fileOf(entry: string): string {
  // With this file's own extension: .ts in the sources, .js on npm.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."));
  return fileURLToPath(new URL(`../${entry}${ending}`, import.meta.url));
}

function listOf(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
