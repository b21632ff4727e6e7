/**
 * Authentication for applications on web standards: sign-in with credentials, sessions in a database,
 * roles. It runs unchanged on workers, Deno and Node.
 *
 * `createAuth()` sets it up. `auth.handle()` answers the endpoints under `/auth`, `auth.run()` runs the
 * application's own work, in which `getUser()`, `requireAuth()` and the others know the request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getUser } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 *
 * async function serve(request: Request): Promise<Response> {
 *   return await auth.handle(request, {}) ??
 *     auth.run(request, {}, undefined, () => Response.json(getUser()));
 * }
 * const response = await serve(new Request("http://localhost/"));
 * equal(await response.json(), null);
 * ```
 *
 * @module
 */

export { type Auth, createAuth, type RunContext } from "./http/create_auth.ts";
export type { RequestInfo } from "./http/request_info.ts";
export type { AuthOptions, BaseOptions } from "./config/options.ts";
export type { SessionConfig } from "./config/session_options.ts";
export type { CookieConfig, CookieOptions } from "./config/cookie_options.ts";
export type { PagesConfig } from "./config/address_options.ts";
export type { LogFields, Logger } from "./config/logger.ts";
export type { Definition } from "./config/definition.ts";

export type { User } from "./users/user.ts";
export { type EmailAddress, parseEmailAddress } from "./users/email_address.ts";
export type { JWT } from "./session/jwt_claims.ts";
export type {
  RevocableSession,
  RevocationStore,
  RevokeUserOptions,
} from "./session/revocation_store.ts";
export type { Session } from "./session/session.ts";
export type { ContextAuth } from "./request/context_auth.ts";
export type { RequireAuthOptions } from "./rbac/require.ts";
export { defineRBAC } from "./rbac/define_rbac.ts";
export type { PermissionOptions, PermissionQuestion, Rbac } from "./rbac/rbac.ts";
export type { RbacConfig, Role } from "./rbac/rbac_config.ts";
export type { RbacDefinition } from "./rbac/rbac_definition.ts";
export type {
  Account,
  AuthCallbacks,
  Awaitable,
  JwtParams,
  Profile,
  RedirectParams,
  SessionParams,
  SignInParams,
} from "./callbacks/callbacks.ts";
export type {
  AuthEvent,
  AuthEventDetails,
  AuthEvents,
  OriginRefusedEvent,
  SessionRevokedEvent,
  SignInEvent,
  SignInFailedEvent,
  SignOutEvent,
  SignUpEvent,
} from "./events/events.ts";
export {
  endSession,
  getSession,
  getUser,
  hasPermission,
  hasRole,
  isAuthenticated,
  requireAuth,
  requirePermission,
  requireRole,
  startSession,
} from "./request/operations.ts";
export {
  endSessions,
  type EndSessionsOptions,
  listSessions,
  type UserSession,
} from "./request/session_operations.ts";
export {
  deleteUser,
  disableUser,
  enableUser,
  setUserRoles,
  updateUser,
  type UserChanges,
} from "./request/user_operations.ts";
export { createUser, type CreateUserOptions, type NewUser } from "./sign_in/create_user.ts";

export { credentials } from "./providers/credentials.ts";
export type {
  AuthContext,
  CredentialsConfig,
  CredentialsField,
} from "./providers/credentials_config.ts";
export type { Provider } from "./providers/provider.ts";

export {
  hashPassword,
  needsRehash,
  verifyPassword,
  type VerifyPasswordOptions,
} from "./crypto/password.ts";
export {
  checkPassword,
  type PasswordPolicy,
  type PasswordProblem,
  type PasswordProblemCode,
} from "./crypto/password_policy.ts";
export { generateToken } from "./crypto/token.ts";

export { errorResponse, type ErrorResponseOptions } from "./http/error_response.ts";
export { assertSameOrigin, type SameOriginOptions } from "./http/same_origin.ts";
export type { SafeRedirect } from "./http/redirect_guard.ts";

export { AuthError, type AuthErrorFields } from "./errors/auth_error.ts";
export {
  AccessDeniedError,
  ForbiddenError,
  type ForbiddenErrorFields,
  InvalidCredentialsError,
  SessionExpiredError,
  UnauthenticatedError,
} from "./errors/access_errors.ts";
export { ConfigurationError, type ConfigurationErrorFields } from "./errors/configuration_error.ts";
export { InvalidEmailError, InvalidPasswordError, OverloadedError } from "./errors/input_errors.ts";
export { RedirectError } from "./errors/redirect_error.ts";
export {
  CrossSiteRequestError,
  RequestError,
  type RequestErrorCode,
  type RequestErrorFields,
} from "./errors/request_errors.ts";
export { SessionTooLargeError } from "./errors/session_errors.ts";
export { HeadersSentError, OutsideRequestError } from "./errors/state_errors.ts";
export {
  StorageUnavailableError,
  UserExistsError,
  UserUnavailableError,
} from "./errors/storage_errors.ts";

export { createMemoryStorage } from "./storage/memory_storage.ts";
export { createSqlStorage, type SqlStorageOptions } from "./storage/sql_storage.ts";
export type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./storage/sql_database.ts";
export type {
  InsertSessionOptions,
  ListedSession,
  ListSessionsOptions,
  NewSessionRecord,
  RenewSessionOptions,
  RoleChanges,
  SavedUser,
  SessionRecord,
  Storage,
  StoredSession,
  UserRecord,
} from "./storage/storage.ts";
