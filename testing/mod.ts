/**
 * Tests of an application built with the framework, in process: the whole application with a
 * migrated database of its own per test, and the parts of it one by one.
 *
 * @example
 * ```ts
 * import { createMockContext } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * const { auth } = createMockContext({ auth: { getUser: () => Promise.resolve({ id: "ada" }) } });
 * assert.equal(await auth.isAuthenticated(), true);
 * ```
 *
 * @module
 */

export { createTestContext } from "./context/test_context.ts";
export type { TestContext, TestContextOptions, WithAuthOptions } from "./context/types.ts";
export type { TestClock } from "./context/clock.ts";
export { NotEmulatedError, TestingError } from "./errors.ts";
export { createMockContext } from "./mocks/context.ts";
export type { MockContextOptions } from "./mocks/context.ts";
export { createMockRequest } from "./mocks/request.ts";
export type { MockRequestInit } from "./mocks/request.ts";
