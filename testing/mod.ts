/**
 * Tests an application built with the framework in process: the whole application with its own
 * migrated database per test, or its parts one by one.
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
export type { BrowserState, ContextCookies, TestCookie } from "./context/cookies.ts";
export type {
  FetchHandler,
  FetchPattern,
  FetchRoute,
  OnFetch,
  RequestHandler,
} from "./context/outgoing.ts";
export { assertGuarded } from "./guarded/assert_guarded.ts";
export type { GuardedOptions, GuardedReport, GuardedUser } from "./guarded/options.ts";
export type { GuardedApplication, OpenedApplication } from "./guarded/subject.ts";
export { runAs, type RunAsOptions } from "./context/run_as.ts";
export type {
  SignedInBy,
  TestAuth,
  TestContext,
  TestContextOptions,
  TestRequestInit,
  WithAuthOptions,
} from "./context/types.ts";
export type { FetchApplication } from "./context/handlers.ts";
export type { EntrypointStub } from "./context/entrypoints.ts";
export type { DeliveredMessage, QueueDelivery, QueuedMessage } from "./context/queue_delivery.ts";
export type { ScheduledEvent, ScheduledResult } from "./context/scheduled.ts";
export type { EmailDelivery, IncomingEmail } from "./context/email_delivery.ts";
export type { ConnectOptions, TestWebSocket } from "./context/test_socket.ts";
export type { TestClock } from "./context/clock.ts";
export type { FaultOptions, Faults, NetworkFault, StorageFault } from "./faults/faults.ts";
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
} from "./sign_in/authenticator.ts";
export {
  createTestAuthenticatorApp,
  type TestAuthenticatorApp,
} from "./sign_in/authenticator_app.ts";
export { createTestDevice, type TestDevice } from "./sign_in/device.ts";
export {
  createTestInvitation,
  type TestInvitation,
  type TestInvitationOptions,
} from "./sign_in/invitation.ts";
export type { TestCredentialJson } from "./sign_in/software_authenticator.ts";
export { createMockContext, type MockContextOptions } from "./spies/context.ts";
export { createMockEnv, type MockEnv, type MockEnvOptions } from "./spies/env.ts";
export {
  type AnyLoader,
  createMockLoaderArgs,
  type MockLoaderArgs,
  type MockLoaderArgsOptions,
  type ParamsOf,
} from "./spies/loader_args.ts";
export type { AnyFunction, Mocked, MockedMembers, MockMethod } from "./spies/mock_function.ts";
export {
  createMockBatch,
  createMockMessage,
  type MockBatch,
  type MockMessage,
  type MockMessageOptions,
  type QueueResult,
  type RetryOptions,
} from "./spies/message.ts";
export {
  type AlarmHandler,
  createMockDurableObjectState,
  type MockDurableObjectId,
  type MockDurableObjectState,
  type MockDurableObjectStateOptions,
  type MockSockets,
} from "./spies/durable_object_state.ts";
export type { EmailAttachment, EmailSender, SentEmail } from "./platform/send_email.ts";
export type {
  QueueDouble,
  QueueMetrics,
  QueueSendOptions,
  QueueSendRequest,
  QueueSendResult,
  SentMessage,
} from "./platform/queue.ts";
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
export type { SocketLike, SocketMethods } from "./platform/durable_object_sockets.ts";
export { createMockRequest, type MockRequestInit } from "./spies/loader_args.ts";
