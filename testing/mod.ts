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
export type { TestCookie } from "./context/cookie_jar.ts";
export type { BrowserState, ContextCookies } from "./context/context_cookies.ts";
export type { FetchHandler, FetchPattern, FetchRoute } from "./context/outgoing.ts";
export { runAs, type RunAsOptions } from "./context/run_as.ts";
export type { TestContext, TestContextOptions, WithAuthOptions } from "./context/types.ts";
export type { ConnectOptions, TestWebSocket } from "./context/test_socket.ts";
export type { TestClock } from "./context/clock.ts";
export { NotEmulatedError, TestingError } from "./errors.ts";
export {
  type Browser,
  createTestIdentityProvider,
  type TestIdentity,
  type TestIdentityProvider,
  type TestIdentityProviderOptions,
} from "./sign_in/identity_provider.ts";
export {
  createTestAuthenticator,
  type TestAuthenticator,
  type TestAuthenticatorOptions,
  type TestCredentialJson,
} from "./sign_in/authenticator.ts";
export { createMockContext, type MockContextOptions } from "./mocks/context.ts";
export { createMockEnv, type MockEnv, type MockEnvOptions } from "./mocks/env.ts";
export {
  type AnyLoader,
  createMockLoaderArgs,
  type EnvOf,
  type MockLoaderArgs,
  type MockLoaderArgsOptions,
  type ParamsOf,
} from "./mocks/loader_args.ts";
export type { AnyFunction, Mocked, MockedMembers, MockMethod } from "./mocks/mock_types.ts";
export { createMockBatch, type MockBatch, type QueueResult } from "./mocks/batch.ts";
export {
  createMockMessage,
  type MockMessage,
  type MockMessageOptions,
  type RetryOptions,
} from "./mocks/message.ts";
export {
  type AlarmHandler,
  createMockDurableObjectState,
  type MockDurableObjectId,
  type MockDurableObjectState,
  type MockDurableObjectStateOptions,
  type MockSockets,
} from "./mocks/durable_object_state.ts";
export type {
  QueueDouble,
  QueueSendOptions,
  QueueSendRequest,
  QueueSendResult,
  SentMessage,
} from "./bindings/queue.ts";
export type {
  ObjectEntries,
  ObjectKv,
  ObjectListOptions,
  ObjectSql,
  ObjectSqlCursor,
  ObjectSqlValue,
  ObjectStorage,
  ObjectTransaction,
} from "@framework/cli/runtime";
export type { SocketLike, SocketMethods } from "./bindings/object_sockets.ts";
export { createMockRequest, type MockRequestInit } from "./mocks/request.ts";
