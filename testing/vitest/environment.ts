import process from "node:process";
import { setBindings } from "../platform/given_bindings.ts";
import { majorOf } from "./package.ts";

/** Environment of vitest. */
export interface VitestEnvironment {
  /** Name in vitest's output. */
  name: string;
  /** Modules are loaded as for a server. */
  viteEnvironment: "ssr";
  /** The same for vitest 3; newer versions warn about it. */
  transformMode?: "ssr";
  /**
   * Called by vitest before a test file, with its `environmentOptions`; `teardown` is called after
   * it.
   */
  setup(
    global: object,
    options: Record<string, unknown>,
  ): { teardown(): void };
}

/**
 * Environment whose `environmentOptions.bindings` become bindings and variables of every test
 * context and mock environment of a test file.
 *
 * @example
 * ```ts
 * import environment from "@framework/testing/environment";
 * import { createMockContext } from "@framework/testing";
 * import { equal } from "node:assert/strict";
 *
 * // What vitest does around a test file.
 * const { teardown } = environment.setup(globalThis, { bindings: { GREETING: "Hello" } });
 * equal(createMockContext().env["GREETING"], "Hello");
 * teardown();
 * ```
 */
const environment: VitestEnvironment = {
  name: "framework",
  viteEnvironment: "ssr",
  ...(majorOf("vitest", process.cwd()) === 3 && { transformMode: "ssr" }),
  setup(_global, { bindings }) {
    const given = typeof bindings === "object" && bindings !== null ? { ...bindings } : {};
    setBindings(given as Record<string, unknown>);
    return { teardown: () => setBindings({}) };
  },
};

export default environment;
