/**
 * Presets of providers, one function each: `github({ clientId, clientSecret })`. The callback URL to register is
 * `https://<your host>/auth/callback/<id>`. Of the addresses that providers tell only those count as proved that a
 * preset says so of: all others are stored, and link no account.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { gitlab, okta } from "@framework/auth/providers";
 * import { deepEqual } from "node:assert/strict";
 *
 * const keys = { clientId: "app", clientSecret: "secret" };
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [gitlab(keys), okta({ domain: "acme.okta.com", ...keys })],
 * });
 * const response = await auth.handle(new Request("http://localhost/auth/providers"), {});
 * deepEqual((await response!.json()).map(({ id }: { id: string }) => id), ["gitlab", "okta"]);
 * ```
 *
 * @module
 */

export type { Provider } from "./core/provider.ts";
export type { BuiltInProviderConfig } from "./sign_in/oauth/options.ts";
export {
  apple,
  type AppleConfig,
  type AppleSecretOptions,
  createAppleSecret,
} from "./sign_in/oauth/presets/apple.ts";
export { discord } from "./sign_in/oauth/presets/discord.ts";
export { github } from "./sign_in/oauth/presets/github.ts";
export { google } from "./sign_in/oauth/presets/google.ts";
export {
  atlassian,
  bitbucket,
  figma,
  linkedin,
  paypal,
  type PayPalConfig,
  spotify,
  x,
  zoom,
} from "./sign_in/oauth/presets/declared.ts";
export { facebook } from "./sign_in/oauth/presets/facebook.ts";
export { microsoft, type MicrosoftConfig } from "./sign_in/oauth/presets/microsoft.ts";
export { notion } from "./sign_in/oauth/presets/notion.ts";
export {
  auth0,
  cognito,
  type CognitoConfig,
  type DomainConfig,
  gitlab,
  type GitLabConfig,
  keycloak,
  type KeycloakConfig,
  okta,
  type OktaConfig,
  salesforce,
  type SalesforceConfig,
  slack,
  twitch,
  zitadel,
} from "./sign_in/oauth/presets/openid.ts";
export type { PresetConfig, PresetOptions } from "./sign_in/oauth/presets/preset.ts";
