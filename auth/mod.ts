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
export type { Session } from "./session/session.ts";
export type { ContextAuth } from "./request/context_auth.ts";
export type { RequireAuthOptions } from "./rbac/require.ts";
export {
  endSession,
  getSession,
  getUser,
  hasRole,
  isAuthenticated,
  requireAuth,
  requireRole,
  startSession,
} from "./request/operations.ts";
export { createUser, type CreateUserOptions, type NewUser } from "./sign_in/create_user.ts";

export { credentials } from "./providers/credentials.ts";
export type {
  AuthContext,
  CredentialsConfig,
  CredentialsField,
  CredentialsProvider,
  Provider,
} from "./providers/provider.ts";

export { hashPassword, needsRehash, verifyPassword } from "./crypto/password.ts";
export { generateToken } from "./crypto/token.ts";

export { errorResponse, type ErrorResponseOptions } from "./http/error_response.ts";
export { assertSameOrigin, type SameOriginOptions } from "./http/same_origin.ts";
export type { SafeRedirect } from "./http/redirect_guard.ts";

export { AuthError, type AuthErrorFields } from "./errors/auth_error.ts";
export {
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
export { HeadersSentError, OutsideRequestError } from "./errors/state_errors.ts";
export {
  StorageUnavailableError,
  UserExistsError,
  UserUnavailableError,
} from "./errors/storage_errors.ts";

export { createMemoryStorage } from "./storage/memory_storage.ts";
export { createSqlStorage } from "./storage/sql_storage.ts";
export type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./storage/sql_database.ts";
export type {
  InsertedSession,
  InsertSessionOptions,
  NewSessionRecord,
  RenewSessionOptions,
  SessionRecord,
  Storage,
  StoredSession,
  UserRecord,
} from "./storage/storage.ts";
