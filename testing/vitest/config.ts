/** A part of vitest's own configuration; see https://vitest.dev/config/ for what may stand in it. */
export interface TestConfigInput {
  test?: Record<string, unknown>;
  [option: string]: unknown;
}

/** What `vitest.config.ts` exports. */
export interface TestConfig extends TestConfigInput {
  test: Record<string, unknown>;
}

const INLINED = /@framework[\\/+]testing/;

/**
 * Completes a vitest configuration for `createTestContext`: the application's modules are loaded
 * through Vite, as the test files are, and their JSX is `hono/jsx`.
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
  const test = config.test ?? {};
  const server = asObject(test["server"]);
  const deps = asObject(server["deps"]);
  const inline = deps["inline"];
  return {
    // For a project whose tsconfig.json does not say so; Vite before 8 reads that file alone.
    oxc: { jsx: { runtime: "automatic", importSource: "hono/jsx" } },
    ...config,
    test: {
      ...test,
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

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
