/**
 * Authentication for applications on web standards. It runs unchanged on workers, Deno and Node.
 *
 * `createAuth()` validates the options. `auth.handle()` answers the endpoints under `/auth`, and
 * `auth.run()` runs the application's own work, in which the operations below know the request.
 *
 * - **Ways to sign in**: {@linkcode passwords} for accounts with a password, {@linkcode credentials} for passwords of
 *   your own table, {@linkcode email} for
 *   links and codes, {@linkcode passkey}, and OAuth by {@linkcode google}, {@linkcode github},
 *   {@linkcode apple}, {@linkcode discord}, {@linkcode createOidcProvider} and
 *   {@linkcode createOAuth2Provider}, with PKCE, `state` and `nonce`. {@linkcode privateKeyJwt} and
 *   {@linkcode clientSecretJwt} authenticate the client; {@linkcode getAccessToken} returns a provider's
 *   access token, refreshed, where {@linkcode sealedTokens} stores it.
 * - **Sessions**: rows in a database, or signed tokens by {@linkcode jwtSessions}.
 *   {@linkcode getSession}, {@linkcode getUser}, {@linkcode startSession} and {@linkcode endSession} act on
 *   the request; {@linkcode listSessions}, {@linkcode revokeSession} and {@linkcode endSessions} on all of a
 *   user's. Outside of `auth.run()` there are {@linkcode readAuth}, {@linkcode readSession} and
 *   {@linkcode issueSession}.
 * - **Access**: {@linkcode requireAuth}, {@linkcode requireRecentAuth}, {@linkcode requireRole} and
 *   {@linkcode requirePermission}, with roles by {@linkcode defineRBAC}. Tenants are those of
 *   `@framework/auth/tenant`.
 * - **Users**: {@linkcode createUser}, {@linkcode updateUser}, {@linkcode setUserRoles},
 *   {@linkcode disableUser} and {@linkcode deleteUser}, all of them by {@linkcode listUsers} and
 *   {@linkcode describeUser}, linked accounts by {@linkcode listAccounts} and
 *   {@linkcode unlinkAccount}, passkeys by {@linkcode listPasskeys} and {@linkcode removePasskey}.
 * - **Secrets**: {@linkcode hashPassword}, {@linkcode verifyPassword} and {@linkcode checkPassword};
 *   {@linkcode issueOneTimeToken} and {@linkcode redeemOneTimeToken} for links that reset a password or
 *   confirm an address; {@linkcode generateToken} for random secrets.
 * - **Pages**: {@linkcode defaultTheme} and {@linkcode pageTheme} for signing in and out and for errors,
 *   {@linkcode accountPage} for users to manage their account, {@linkcode adminPage} for administrators.
 * - **Safety**: origin checks of every request that changes something ({@linkcode assertSameOrigin} for
 *   your own), rate limits, redirects within the application, {@linkcode trustProxies}, and errors that
 *   derive from {@linkcode AuthError}, which {@linkcode errorResponse} answers.
 * - **Storage**: a D1 binding as it is, {@linkcode createMemoryStorage}, and `sqlite()` and `postgres()` of
 *   `@framework/auth/sqlite` and `/postgres` around a driver's handle.
 * - **Shutdown**: {@linkcode settled} waits for mails, events and other work behind the responses of a server, which
 *   {@linkcode waitUntil} takes.
 * - **Entries of their own**: `honoAuth()` of `@framework/auth/hono`, `nodeAuth()` of `/node`, rate limit storages, the
 *   route middleware and the browser client: `/rate-limit`, `/middleware` and `/client`.
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

export { createAuth } from "./app/create_auth.ts";
export {
  type Auth,
  type FetchInfo,
  type MigrateOptions,
  type RunContext,
} from "./session/context_auth.ts";
export {
  type PlatformHeader,
  type RequestInfo,
  type TrustedProxies,
  trustPlatform,
  trustProxies,
  type TrustProxiesOptions,
} from "./core/client_address.ts";
export type { AuthOptions, BaseOptions, SessionConfig } from "./app/options.ts";
export type { CookieConfig, CookieOptions } from "./core/cookie_options.ts";
export type { PagesConfig } from "./core/url_options.ts";
export { accountPage, type AccountPageOptions } from "./account/page.ts";
export { teamPage, type TeamPageOptions } from "./team/page.ts";
export {
  invite,
  type InviteOptions,
  listInvitations,
  type ListOpenInvitationsOptions,
  type OpenInvitation,
  resendInvitation,
  revokeInvitation,
} from "./team/invitations.ts";
export {
  type ListedUser,
  listUsers,
  type ListUsersOptions,
  type UserList,
} from "./account/list_users.ts";
export { adminPage, type AdminPageOptions } from "./account/admin_page.ts";
export {
  impersonate,
  type ImpersonateOptions,
  impersonation,
  impersonationBanner,
  type ImpersonationOptions,
  stopImpersonating,
} from "./account/impersonation.ts";
export {
  type AuditEntry,
  type AuditLog,
  auditLog,
  type AuditLogOptions,
  type AuditPersonFields,
  auditTrail,
  type AuditTrailOptions,
  exportAuditLog,
  sealAuditLog,
} from "./account/audit.ts";
export {
  type DeadLetter,
  type DeadLetters,
  deadLetters,
  type DeadLettersOptions,
  sendAgain,
  type SendAgainOptions,
} from "./outbox/dead_letters.ts";
export type { DeliveryTry, Destination, OutboxData, OutboxMessage } from "./outbox/message.ts";
export type { TenantWebhooks } from "./outbox/destination.ts";
export { outbox, type OutboxOptions } from "./outbox/outbox.ts";
export type { Delivered, DeliverOptions } from "./core/contracts.ts";
export { describeUser, type UserActivity, type UserDetails } from "./account/user_details.ts";
export type { EmailChangeParams, SendEmailChange } from "./account/email_change.ts";
export type { PageColor, PageColors, PageLinks, PageThemeOptions } from "./pages/theme.ts";
export type { PageLanguage } from "./pages/language.ts";
export type { PageText } from "./pages/texts.ts";
export { defaultTheme } from "./sign_in/pages.ts";
export { pageTheme } from "./sign_in/page_theme.ts";
export type { PageTheme } from "./core/url_options.ts";
export type {
  RateLimit,
  RateLimitConfig,
  RateLimitRule,
  RateLimitStorage,
  RateLimitTake,
} from "./storage/rate_limits.ts";
export type { LogFields, LoggedError, Logger } from "./lib/logger.ts";
export type { Definition } from "./lib/options.ts";

export type { User, UserProfile } from "./types/user.ts";
export { type EmailAddress, parseEmailAddress } from "./lib/email_address.ts";
export { settled, waitUntil } from "./lib/runtime.ts";
export { verifiedEmail } from "./types/user.ts";
export type { JWT } from "./types/session.ts";
export { jwtSessions } from "./app/jwt_sessions.ts";
export type { SessionStrategyDefinition } from "./core/session_strategy.ts";
export type {
  RevocableSession,
  RevocationStore,
  RevokeUserOptions,
  Session,
} from "./types/session.ts";
export type { ContextAuth } from "./session/context_auth.ts";
export type { RequireAuthOptions, RequireRecentAuthOptions } from "./session/require.ts";
export { defineRBAC } from "./rbac/roles.ts";
export type {
  PermissionOptions,
  PermissionQuestion,
  Rbac,
  RoleHolder,
  TeamRole,
} from "./rbac/permissions.ts";
export { serializeRbac } from "./session/operations.ts";
export type { SerializedRbac } from "./rbac/permissions.ts";
export type { RbacConfig, RbacDefinition, Role } from "./rbac/roles.ts";
export type {
  Account,
  AuthCallbacks,
  Awaitable,
  JwtParams,
  Profile,
  RedirectParams,
  SessionParams,
  SignInParams,
} from "./types/callbacks.ts";
export type {
  AccountLinkedEvent,
  AccountUnlinkedEvent,
  ApiKeyAddedEvent,
  ApiKeyEventDetails,
  ApiKeyRemovedEvent,
  ApiKeyRotatedEvent,
  AuditSealedEvent,
  AuthEvent,
  AuthEventDetails,
  AuthEvents,
  DeviceProofRefusedEvent,
  EmailChangedEvent,
  EmailVerifiedEvent,
  ImpersonationEndedEvent,
  ImpersonationStartedEvent,
  MemberAddedEvent,
  MemberInvitedEvent,
  MemberRemovedEvent,
  MemberRolesChangedEvent,
  OriginRefusedEvent,
  PasskeyAddedEvent,
  PasskeyRemovedEvent,
  PasswordChangedEvent,
  PasswordUncheckedEvent,
  RateLimitedEvent,
  RecoveryCodeUsedEvent,
  ReplayDetectedEvent,
  RolesChangedEvent,
  SecondFactorAddedEvent,
  SecondFactorClosedEvent,
  SecondFactorRecoveryCancelledEvent,
  SecondFactorRecoveryRequestedEvent,
  SecondFactorRemovedEvent,
  SessionRevokedEvent,
  SignInEvent,
  SignInFailedEvent,
  SignOutEvent,
  SignUpEvent,
  UserAdministeredEvent,
  UserDeletedEvent,
  UserDisabledEvent,
  UserEnabledEvent,
} from "./types/events.ts";
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
} from "./session/operations.ts";
export { type ReadAuth, readAuth, readSession } from "./session/read_session.ts";
export { ownUrl } from "./session/operations.ts";
export { endEverything, type EndSessionsOptions } from "./session/end_everything.ts";
export type { Ending } from "./storage/endings.ts";
export { passwordChanged } from "./session/users.ts";
export {
  endSessions,
  listSessions,
  revokeSession,
  type UserSession,
} from "./session/user_sessions.ts";
export {
  type ChangeUserOptions,
  deleteUser,
  disableUser,
  enableUser,
  setUserRoles,
  updateUser,
  type UserChanges,
} from "./session/users.ts";
export {
  accountEndpoints,
  listAccounts,
  unlinkAccount,
  type UserAccount,
} from "./account/linked_accounts.ts";
export { type Join, joinTransaction } from "./session/join_transaction.ts";
export type { JoinedQuery, JoinedRows, JoinedStatement } from "./storage/transactions.ts";
export { createUser, type CreateUserOptions, type NewUser, transaction } from "./session/users.ts";
export { accountTag } from "./sign_in/known_browsers.ts";
export {
  type ResealedSecrets,
  resealSecrets,
  type ResealSecretsOptions,
} from "./sign_in/reseal.ts";
export {
  type IssuedSession,
  issueSession,
  type IssueSessionOptions,
} from "./session/read_session.ts";

export {
  issueOneTimeToken,
  type OneTimeTokenOptions,
  readOneTimeToken,
  type ReadToken,
  type RedeemedToken,
  redeemOneTimeToken,
} from "./sign_in/one_time_token.ts";
export type { LeftBehind } from "./sign_in/first_proof.ts";

export { discord, discord as chatPlatformProvider } from "./sign_in/oauth/presets/discord.ts";
export { github, github as codeHostProvider } from "./sign_in/oauth/presets/github.ts";
export { credentials } from "./sign_in/credentials.ts";
export {
  apple,
  apple as deviceMakerProvider,
  type AppleConfig,
  type AppleConfig as DeviceMakerConfig,
  type AppleSecretOptions,
  type AppleSecretOptions as DeviceMakerSecretOptions,
  createAppleSecret,
  createAppleSecret as createDeviceMakerSecret,
} from "./sign_in/oauth/presets/apple.ts";
export { createOAuth2Provider } from "./sign_in/oauth/provider.ts";
export { createOidcProvider } from "./sign_in/oauth/oidc.ts";
export {
  clientSecretJwt,
  type ClientSecretJwtOptions,
  privateKeyJwt,
  type PrivateKeyJwtOptions,
} from "./sign_in/oauth/client_assertion.ts";
export { google, google as searchPortalProvider } from "./sign_in/oauth/presets/google.ts";
export type { BuiltInProviderConfig } from "./sign_in/oauth/options.ts";
export type { ClientAuth, ClientAuthentication } from "./sign_in/oauth/client.ts";
export type {
  CommonProviderOptions,
  OAuth2ProviderConfig,
  OidcProviderConfig,
  ProviderSecondFactor,
} from "./sign_in/oauth/options.ts";
export { sealedTokens } from "./sign_in/oauth/tokens.ts";
export type { ProviderTokens } from "./sign_in/oauth/tokens.ts";
export { type AccessTokenOptions, getAccessToken } from "./sign_in/oauth/access_token.ts";
export { type RemoteKeys, remoteKeys } from "./sign_in/oauth/jwks.ts";
export { passkey } from "./sign_in/passkey/provider.ts";
export {
  type AutomaticPasskeyMail,
  automaticPasskeys,
  type AutomaticPasskeysConfig,
} from "./sign_in/passkey/automatic.ts";
export {
  type PasskeyMail,
  passkeyMails,
  type PasskeyMailsConfig,
} from "./sign_in/passkey/mails.ts";
export type { PasskeyMails } from "./sign_in/passkey/mails.ts";
export type { AutomaticPasskeys, PasskeyConfig } from "./sign_in/passkey/challenge.ts";
export { relatedOriginsResponse } from "./sign_in/passkey/related.ts";
export { listPasskeys, removePasskey, type UserPasskey } from "./sign_in/passkey/operations.ts";
export { apiKeys } from "./api_key/provider.ts";
export type { ApiKeyMode } from "./api_key/key.ts";
export type { ApiKeysConfig } from "./api_key/options.ts";
export {
  type ApiKeyInfo,
  createApiKey,
  type ListApiKeys,
  listApiKeys,
  type MadeApiKey,
  type NewApiKey,
  type OfTeam,
  revokeApiKey,
  type RotateApiKey,
  rotateApiKey,
} from "./api_key/operations.ts";
export { type Actor, type AdministratorActor, getActor, type KeyActor } from "./session/actor.ts";
export { email } from "./sign_in/email/provider.ts";
export { secondFactor } from "./sign_in/second_factor/provider.ts";
export type { DeviceBoundDefinition } from "./core/contracts.ts";
export {
  deviceBound,
  type DeviceBoundConfig,
  deviceBoundJwt,
  type DeviceProofMail,
} from "./sign_in/device_bound/provider.ts";
export type {
  SecondFactorConfig,
  SecondFactorMail,
  SecondFactorQuestion,
  SecondFactorRecovery,
} from "./sign_in/second_factor/factor.ts";
export {
  importSecondFactor,
  type ImportSecondFactorOptions,
} from "./sign_in/second_factor/import.ts";
export type { SecondFactorMeans } from "./storage/second_factors.ts";
export type { SecondFactorNews } from "./pages/mails.ts";
export {
  getSessionProof,
  requireSecondFactor,
  type RequireSecondFactorOptions,
  resetSecondFactor,
  type ResetSecondFactorOptions,
  type SessionProof,
} from "./sign_in/second_factor/require.ts";
export type { StartSessionOptions } from "./session/mint.ts";
export { passwords } from "./sign_in/password/provider.ts";
export { showMail, type ShownMail } from "./sign_in/development_mail.ts";
export type {
  PasswordMail,
  PasswordMailKind,
  PasswordsConfig,
  SendPasswordMail,
} from "./sign_in/password/options.ts";
export {
  createDurableObjectHasher,
  type DurableObjectHasherOptions,
  PasswordHashObject,
  type PasswordObjectNamespace,
} from "./password/durable_object.ts";
export type { EmailConfig, EmailContext, EmailMailConfig } from "./sign_in/email/pending.ts";
export type {
  DeliverMail,
  EmailParams,
  Mail,
  OutgoingMail,
  SendMail,
} from "./types/application.ts";
export type { CredentialsConfig } from "./sign_in/credentials.ts";
export type { CredentialsField } from "./core/contracts.ts";
export type { AuthContext, AuthEnv, DefaultEnv } from "./types/application.ts";
export type { Provider } from "./core/provider.ts";
export { listProviders, type ProviderInfo } from "./sign_in/sign_in.ts";

export { configurePasswordHashing, type PasswordHashingOptions } from "./password/queue.ts";
export {
  hashPassword,
  needsRehash,
  type PasswordHasher,
  verifyPassword,
  type VerifyPasswordOptions,
} from "./password/hash.ts";
export {
  checkPassword,
  type PasswordPolicy,
  type PasswordProblem,
  type PasswordProblemCode,
} from "./password/policy.ts";
export { generateToken } from "./lib/secret.ts";

export { errorResponse, type ErrorResponseOptions } from "./pages/trouble.ts";
export { assertSameOrigin, type SameOriginOptions } from "./core/origin.ts";
export type { SafeRedirect } from "./errors.ts";

export {
  AccessDeniedError,
  AccountNotLinkedError,
  AccountTakenError,
  ApiKeyError,
  type ApiKeyErrorCode,
  type ApiKeyErrorFields,
  AuthError,
  type AuthErrorFields,
  ConfigurationError,
  type ConfigurationErrorFields,
  CrossSiteRequestError,
  EmailNotSentError,
  EmailProofError,
  type EmailProofErrorCode,
  type EmailProofErrorFields,
  ForbiddenError,
  type ForbiddenErrorFields,
  HeadersSentError,
  InvalidCredentialsError,
  InvalidEmailError,
  InvalidPasswordError,
  InvalidProfileError,
  InvalidTenantError,
  InvitationError,
  isAuthError,
  LastOwnerError,
  LastWayInError,
  OAuthError,
  type OAuthErrorCode,
  type OAuthErrorFields,
  OutsideRequestError,
  OverloadedError,
  type OverloadedErrorFields,
  PasskeyError,
  type PasskeyErrorCode,
  type PasskeyErrorFields,
  RateLimitedError,
  type RateLimitedErrorFields,
  ReauthenticationRequiredError,
  RedirectError,
  RequestError,
  type RequestErrorCode,
  type RequestErrorFields,
  SecondFactorError,
  type SecondFactorErrorCode,
  type SecondFactorErrorFields,
  SecondFactorRequiredError,
  SessionExpiredError,
  SessionTooLargeError,
  SessionUnboundError,
  TenantExistsError,
  TenantNotFoundError,
  UnauthenticatedError,
} from "./errors.ts";
export type { TenancyDefinition, TenancyFactory } from "./tenant/tenancy.ts";
export type {
  GiveUpRole,
  ListOptions,
  Member,
  MemberPage,
  NewTenant,
  RequestTenant,
  Tenancy,
  Tenant,
  TenantChanges,
  TenantMembers,
  TenantNaming,
  TenantPage,
  TenantSession,
  TenantStorage,
} from "./types/tenant.ts";
export {
  StorageUnavailableError,
  UserChangedError,
  UserExistsError,
  UserUnavailableError,
} from "./errors.ts";

export { createMemoryStorage } from "./storage/memory.ts";
export { createSqlStorage, type SqlStorageOptions } from "./storage/sql.ts";
export type {
  SqlDatabase,
  SqlResult,
  SqlStatement,
  SqlValue,
  UpgradedTables,
} from "./storage/sql_database.ts";
export type { AdministrationStorage, RoleChanges, UnchangedUser } from "./storage/users.ts";
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
  StoredSession,
  UserRecord,
} from "./storage/records.ts";
export type { CreateUserRecordOptions, Storage, StorageTransaction } from "./storage/storage.ts";
export type { StorageGroup } from "./storage/group.ts";
