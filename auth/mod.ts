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

export { createAuth } from "./http/create_auth.ts";
export { type Auth, type RunContext } from "./http/settings_of.ts";
export { type TrustedProxies, trustProxies } from "./http/trusted_proxies.ts";
export type { RequestInfo } from "./http/request_info.ts";
export type { AuthOptions, BaseOptions } from "./config/options.ts";
export type { SessionConfig } from "./config/session_options.ts";
export type { CookieConfig, CookieOptions } from "./config/cookie_options.ts";
export type { PagesConfig } from "./config/address_options.ts";
export { accountPage, type AccountPageOptions } from "./account_page/account_page.ts";
export type { EmailChangeParams, SendEmailChange } from "./account_page/email_change.ts";
export { pageTheme, type PageThemeOptions } from "./pages/page_theme.ts";
export type { PageColor, PageColors } from "./pages/theme_style.ts";
export type { PageMessages } from "./pages/translate.ts";
export { defaultTheme } from "./pages/default_theme.ts";
export type { PageTheme } from "./http/theme.ts";
export type { RateLimit, RateLimitConfig } from "./rate_limit/rate_limit_config.ts";
export type {
  RateLimitRule,
  RateLimitStorage,
  RateLimitTake,
} from "./rate_limit/rate_limit_storage.ts";
export type { LogFields, LoggedError, Logger } from "./config/logger.ts";
export type { Definition } from "./config/definition.ts";

export type { User } from "./users/user.ts";
export type { UserProfile } from "./users/user_profile.ts";
export { type EmailAddress, parseEmailAddress } from "./users/email_address.ts";
export { verifiedEmail } from "./users/verified_email.ts";
export type { JWT } from "./session/session.ts";
export { jwtSessions } from "./session/jwt_sessions.ts";
export type { SessionStrategyDefinition } from "./session/strategy.ts";
export type {
  RevocableSession,
  RevocationStore,
  RevokeUserOptions,
} from "./session/revocation_store.ts";
export type { Session } from "./session/session.ts";
export type { ContextAuth } from "./request/context_auth.ts";
export type { RequireRecentAuthOptions } from "./request/recent_auth.ts";
export type { RequireAuthOptions } from "./rbac/require.ts";
export { defineRBAC } from "./rbac/define_rbac.ts";
export type { PermissionOptions, PermissionQuestion, Rbac, RoleHolder } from "./rbac/rbac.ts";
export { serializeRbac } from "./rbac/serialize_rbac.ts";
export type { SerializedRbac } from "./rbac/serialized_rbac.ts";
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
  AccountLinkedEvent,
  AccountUnlinkedEvent,
  AuthEvent,
  AuthEventDetails,
  AuthEvents,
  EmailChangedEvent,
  EmailVerifiedEvent,
  OriginRefusedEvent,
  PasskeyAddedEvent,
  PasskeyRemovedEvent,
  PasswordChangedEvent,
  RateLimitedEvent,
  ReplayDetectedEvent,
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
  requireRecentAuth,
  requireRole,
  startSession,
} from "./request/operations.ts";
export { type ReadAuth, readAuth, readSession } from "./http/read_session.ts";
export { ownUrl } from "./request/own_url.ts";
export { passwordChanged } from "./request/password_changed.ts";
export {
  endSessions,
  type EndSessionsOptions,
  listSessions,
  revokeSession,
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
export { accountEndpoints } from "./accounts/account_endpoints.ts";
export { listAccounts, unlinkAccount, type UserAccount } from "./accounts/account_operations.ts";
export { createUser, type CreateUserOptions, type NewUser } from "./sign_in/create_user.ts";
export { accountTag } from "./events/account_tag.ts";
export {
  type IssuedSession,
  issueSession,
  type IssueSessionOptions,
} from "./sign_in/issue_session.ts";

export {
  issueOneTimeToken,
  type OneTimeTokenOptions,
  readOneTimeToken,
  type ReadToken,
  type RedeemedToken,
  redeemOneTimeToken,
} from "./one_time/one_time_token.ts";
export type { LeftBehind } from "./accounts/left_behind.ts";

export { discord, discord as chatPlatformProvider } from "./providers/chat_platform.ts";
export { github, github as codeHostProvider } from "./providers/code_host.ts";
export { credentials } from "./providers/credentials.ts";
export {
  apple,
  apple as deviceMakerProvider,
  type AppleConfig,
  type AppleConfig as DeviceMakerConfig,
} from "./providers/device_maker.ts";
export {
  type AppleSecretOptions,
  type AppleSecretOptions as DeviceMakerSecretOptions,
  createAppleSecret,
  createAppleSecret as createDeviceMakerSecret,
} from "./providers/device_maker_secret.ts";
export { createOAuth2Provider } from "./providers/oauth2.ts";
export { createOidcProvider } from "./providers/oidc.ts";
export {
  clientSecretJwt,
  type ClientSecretJwtOptions,
  privateKeyJwt,
  type PrivateKeyJwtOptions,
} from "./oauth/client_jwt.ts";
export { google, google as searchPortalProvider } from "./providers/search_portal.ts";
export type { BuiltInProviderConfig } from "./providers/built_in.ts";
export type { ClientAuth, ClientAuthentication } from "./oauth/client_auth.ts";
export type {
  CommonProviderOptions,
  OAuth2ProviderConfig,
  OidcProviderConfig,
} from "./oauth/oauth_config.ts";
export { sealedTokens } from "./oauth/sealed_tokens.ts";
export type { ProviderTokens } from "./oauth/account_tokens.ts";
export { type AccessTokenOptions, getAccessToken } from "./oauth/access_token.ts";
export { type RemoteKeys, remoteKeys } from "./oauth/remote_keys.ts";
export { passkey } from "./providers/passkey.ts";
export type { PasskeyConfig } from "./providers/passkey_config.ts";
export { listPasskeys, removePasskey } from "./passkey/passkey_operations.ts";
export type { UserPasskey } from "./passkey/passkey_list.ts";
export { email } from "./providers/email.ts";
export type { EmailConfig, EmailContext } from "./providers/email_config.ts";
export type { DeliverMail, EmailParams, OutgoingMail } from "./providers/application.ts";
export type { CredentialsConfig } from "./providers/credentials_config.ts";
export type { CredentialsField } from "./http/contracts.ts";
export type { AuthContext, AuthEnv, DefaultEnv } from "./providers/application.ts";
export type { Provider } from "./providers/provider.ts";
export { listProviders, type ProviderInfo } from "./providers/list_providers.ts";

export { configurePasswordHashing, type PasswordHashingOptions } from "./crypto/hash_limits.ts";
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
export type { SafeRedirect } from "./errors/redirect_error.ts";

export { AuthError, type AuthErrorFields, isAuthError } from "./errors/auth_error.ts";
export {
  AccessDeniedError,
  ForbiddenError,
  type ForbiddenErrorFields,
  InvalidCredentialsError,
  ReauthenticationRequiredError,
  SessionExpiredError,
  UnauthenticatedError,
} from "./errors/access_errors.ts";
export {
  AccountNotLinkedError,
  AccountTakenError,
  LastWayInError,
} from "./errors/account_errors.ts";
export { ConfigurationError, type ConfigurationErrorFields } from "./errors/configuration_error.ts";
export {
  EmailNotSentError,
  EmailProofError,
  type EmailProofErrorCode,
  type EmailProofErrorFields,
} from "./errors/email_errors.ts";
export {
  InvalidEmailError,
  InvalidPasswordError,
  InvalidProfileError,
  OverloadedError,
  type OverloadedErrorFields,
} from "./errors/input_errors.ts";
export { RateLimitedError, type RateLimitedErrorFields } from "./errors/rate_limited_error.ts";
export {
  PasskeyError,
  type PasskeyErrorCode,
  type PasskeyErrorFields,
} from "./errors/passkey_errors.ts";
export { OAuthError, type OAuthErrorCode, type OAuthErrorFields } from "./errors/oauth_errors.ts";
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
  InvalidTenantError,
  TenantExistsError,
  TenantNotFoundError,
} from "./errors/tenant_errors.ts";
export type { TenancyDefinition, TenancyFactory } from "./tenant/tenancy_definition.ts";
export type { RequestTenant, Tenancy, TenantSession } from "./tenant/tenancy.ts";
export type { Member, MemberPage, TenantMembers } from "./tenant/tenant.ts";
export type {
  ListOptions,
  NewTenant,
  Tenant,
  TenantChanges,
  TenantPage,
  TenantStorage,
} from "./tenant/tenant.ts";
export {
  StorageUnavailableError,
  UserExistsError,
  UserUnavailableError,
} from "./errors/storage_errors.ts";

export { createMemoryStorage } from "./storage/memory_storage.ts";
export { createSqlStorage, type SqlStorageOptions } from "./storage/sql_storage.ts";
export type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./storage/sql_database.ts";
export type { AdministrationStorage, RoleChanges } from "./storage/administration_storage.ts";
export type {
  DeleteSessionsOptions,
  InsertSessionOptions,
  ListedSession,
  ListSessionsOptions,
  NewSessionRecord,
  RenewSessionOptions,
  SavedUser,
  SaveUserOptions,
  SessionRecord,
  Storage,
  StoredSession,
  UserRecord,
} from "./storage/storage.ts";
