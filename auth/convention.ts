/**
 * What the files under `app/auth` of an application by convention are written with.
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

export { defineAuthConfig, defineProvider } from "./config/define.ts";
export { defineAuthCallbacks } from "./callbacks/define_callbacks.ts";
export { defineAuthEvents } from "./events/define_events.ts";
export { defineRBAC } from "./rbac/define_rbac.ts";
export { type AuthParts, composeAuth } from "./http/compose_auth.ts";
export { drainBody } from "./http/drain_body.ts";
export { limitBody } from "./http/limit_body.ts";
export type { Auth, RunContext } from "./http/settings_of.ts";
export type { RequestInfo } from "./http/request_info.ts";
export type { AuthConfig, BaseOptions } from "./config/options.ts";
export type { Definition } from "./config/definition.ts";
export type { SessionConfig } from "./config/session_options.ts";
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
  PasskeyAddedEvent,
  PasskeyRemovedEvent,
  RateLimitedEvent,
  SessionRevokedEvent,
  SignInEvent,
  SignInFailedEvent,
  SignOutEvent,
  SignUpEvent,
} from "./events/events.ts";
export type { PermissionOptions, PermissionQuestion, Rbac, RoleHolder } from "./rbac/rbac.ts";
export type { SerializedRbac } from "./rbac/serialized_rbac.ts";
export type { RbacConfig, Role } from "./rbac/rbac_config.ts";
export type { RbacDefinition } from "./rbac/rbac_definition.ts";
export type { TenancyDefinition, TenancyFactory } from "./tenant/tenancy_definition.ts";
export type { JWT } from "./session/session.ts";
export type { RevocationStore } from "./session/revocation_store.ts";
export type { Session } from "./session/session.ts";
export type { User } from "./users/user.ts";
export type { CookieConfig, CookieOptions } from "./config/cookie_options.ts";
export type { PagesConfig } from "./config/address_options.ts";
export type { RateLimit, RateLimitConfig } from "./rate_limit/rate_limit_config.ts";
export type {
  RateLimitRule,
  RateLimitStorage,
  RateLimitTake,
} from "./rate_limit/rate_limit_storage.ts";
export type { LogFields, LoggedError, Logger } from "./config/logger.ts";
export type { DeliverMail, EmailParams, OutgoingMail } from "./providers/application.ts";
export type { Provider } from "./providers/provider.ts";
export type { BuiltInProviderConfig } from "./providers/built_in.ts";
export { discord, discord as chatPlatformProvider } from "./providers/chat_platform.ts";
export { github, github as codeHostProvider } from "./providers/code_host.ts";
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
export { google, google as searchPortalProvider } from "./providers/search_portal.ts";
export type { ContextAuth } from "./request/context_auth.ts";
export type { SqlDatabase } from "./storage/sql_database.ts";
export type { Storage } from "./storage/storage.ts";
