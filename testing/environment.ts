/**
 * The environment for vitest whose `environmentOptions.bindings` are bindings of every test context and mock
 * environment. `defineTestConfig` of `@framework/testing/vitest` puts it in place of the names
 * `"framework"` and `"miniflare"`.
 *
 * @module
 */

export { default } from "./vitest/environment.ts";
export type { VitestEnvironment } from "./vitest/environment.ts";
