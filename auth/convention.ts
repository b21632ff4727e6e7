/**
 * Definitions for the files under `app/auth` of an application by convention.
 *
 * @example
 * ```ts
 * import { defineAuthConfig } from "@framework/auth/convention";
 * import { deepEqual } from "node:assert/strict";
 *
 * // The default export of app/auth/config.ts
 * const config = defineAuthConfig({ session: { strategy: "database", maxAge: 7 * 24 * 60 * 60 } });
 * deepEqual(config, { session: { strategy: "database", maxAge: 604_800 } });
 * ```
 *
 * @module
 */

export {
  defineAuthCallbacks,
  defineAuthConfig,
  defineAuthEvents,
  defineProvider,
} from "./app/define.ts";
export { defineRBAC } from "./rbac/roles.ts";
export { type AuthParts, composeAuth } from "./app/compose_auth.ts";
export { drainBody, limitBody } from "./lib/body.ts";
export { isPrefetch, prefersJson, refusePrefetch } from "./core/request.ts";
export { type CookieReading, readCookie } from "./lib/cookie.ts";
export { isSecureOrigin } from "./core/origin.ts";
export { isLibraryCookie } from "./session/cookie.ts";
export type { Auth, FetchInfo, MigrateOptions, RunContext } from "./session/context_auth.ts";
export type { RequestInfo } from "./core/client_address.ts";
export type { AuthConfig, BaseOptions } from "./app/options.ts";
export type { Definition } from "./lib/options.ts";
export type { SessionConfig } from "./app/options.ts";
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
  AuthEvent,
  AuthEventDetails,
  AuthEvents,
  OriginRefusedEvent,
  PasskeyAddedEvent,
  PasskeyRemovedEvent,
  RateLimitedEvent,
  SessionRevokedEvent,
  SignInEvent,
  SignInFailedEvent,
  SignOutEvent,
  SignUpEvent,
} from "./types/events.ts";
export type {
  PermissionOptions,
  PermissionQuestion,
  Rbac,
  RoleHolder,
  SerializedRbac,
  TeamRole,
} from "./rbac/permissions.ts";
export type { RbacConfig, RbacDefinition, Role } from "./rbac/roles.ts";
export type { TenancyDefinition, TenancyFactory } from "./tenant/tenancy.ts";
export type { JWT, RevocationStore, Session } from "./types/session.ts";
export type { User } from "./types/user.ts";
export type { CookieConfig, CookieOptions } from "./core/cookie_options.ts";
export type { PagesConfig } from "./core/url_options.ts";
export type {
  RateLimit,
  RateLimitConfig,
  RateLimitRule,
  RateLimitStorage,
  RateLimitTake,
} from "./storage/rate_limits.ts";
export { createSafeLogger, type LogFields, type LoggedError, type Logger } from "./lib/logger.ts";
export type { DeliverMail, EmailParams, OutgoingMail } from "./types/application.ts";
export type { Provider } from "./core/provider.ts";
export type { BuiltInProviderConfig } from "./sign_in/oauth/options.ts";
export { discord, discord as chatPlatformProvider } from "./sign_in/oauth/presets/discord.ts";
export { github, github as codeHostProvider } from "./sign_in/oauth/presets/github.ts";
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
export { google, google as searchPortalProvider } from "./sign_in/oauth/presets/google.ts";
export type { ContextAuth } from "./session/context_auth.ts";
export type { SqlDatabase, UpgradedTables } from "./storage/sql_database.ts";
export type { Storage } from "./storage/storage.ts";
