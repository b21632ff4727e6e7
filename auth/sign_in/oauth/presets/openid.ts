/**
 * Presets of providers of OpenID Connect that describe themselves: issuer, name, what departs from the standard.
 *
 * @module
 */

import type { Provider } from "../../../core/provider.ts";
import { wrongOption } from "../../../lib/options.ts";
import { readClaims } from "../oidc.ts";
import { textOf } from "../userinfo.ts";
import {
  defineOpenIdPreset,
  type PresetConfig,
  type PresetOptions,
  readHost,
  readPathPart,
  readServerUrl,
  tokenCalls,
} from "./preset.ts";

/** Options for {@linkcode gitlab}. */
export interface GitLabConfig extends PresetConfig {
  /** Address of a server of your own. Default "https://gitlab.com". */
  url?: string;
}

/** Options for presets at a host of the application's own: {@linkcode auth0}, {@linkcode zitadel}. */
export interface DomainConfig extends PresetConfig {
  /** Host of your tenant or instance, without `https://`. */
  domain: string;
}

/** Options for {@linkcode okta}. */
export interface OktaConfig extends DomainConfig {
  /** Id of the authorization server; null for that of the organization. Default "default". */
  authorizationServer?: string | null;
}

/** Options for {@linkcode keycloak}. */
export interface KeycloakConfig extends PresetConfig {
  /** Address of the server, with its path where it has one: https, or http on a loopback host. */
  url: string;
  /** Name of the realm. */
  realm: string;
}

/** Options for {@linkcode cognito}. */
export interface CognitoConfig extends PresetConfig {
  /** Id of the user pool, such as "eu-central-1_AbCdEf123". The region is its first part. */
  userPoolId: string;
}

/** Options for {@linkcode salesforce}. */
export interface SalesforceConfig extends PresetConfig {
  /** Host of your organization, or "test.salesforce.com" for sandboxes. Default "login.salesforce.com". */
  domain?: string;
}

/**
 * Sign-in with GitLab, at gitlab.com or at a server of your own, under the id 'gitlab'.
 * Accounts are known by `sub`, the number of the user there.
 *
 * @param config Application at GitLab, with the scope 'openid email profile' by default; or a function that makes it
 * from the environment. Keys that are left out are `GITLAB_CLIENT_ID` and `GITLAB_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { gitlab } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = gitlab({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function gitlab<Env = unknown>(config?: PresetOptions<GitLabConfig, Env>): Provider {
  const preset = { id: "gitlab", name: "GitLab", keys: ["url"] };
  return defineOpenIdPreset(config, preset, ({ url = "https://gitlab.com" }) => ({
    issuer: readServerUrl(url, "url", "https://gitlab.example.com"),
  }));
}

// On the button of https://docs.slack.dev/authentication/sign-in-with-slack
const SLACK_LOGO =
  '<path fill="#E01E5A" d="M5.04 15.17a2.52 2.52 0 1 1-2.52-2.52h2.52zm1.27 0a2.52 2.52 0 0 1 5.04 0v6.31a2.52 2.52 0 0 1-5.04 0z"/>' +
  '<path fill="#36C5F0" d="M8.83 5.04a2.52 2.52 0 1 1 2.52-2.52v2.52zm0 1.27a2.52 2.52 0 0 1 0 5.04h-6.31a2.52 2.52 0 0 1 0-5.04z"/>' +
  '<path fill="#2EB67D" d="M18.96 8.83a2.52 2.52 0 1 1 2.52 2.52h-2.52zm-1.27 0a2.52 2.52 0 0 1-5.04 0v-6.31a2.52 2.52 0 0 1 5.04 0z"/>' +
  '<path fill="#ECB22E" d="M15.17 18.96a2.52 2.52 0 1 1-2.52 2.52v-2.52zm0-1.27a2.52 2.52 0 0 1 0-5.04h6.31a2.52 2.52 0 0 1 0 5.04z"/>';

const SLACK_TEAM = "https://slack.com/team_id";

/**
 * Sign-in with Slack, under the id 'slack'.
 * Accounts are known by workspace and user: the id of a user alone is one of a workspace.
 *
 * @param config App at Slack, with the scope 'openid email profile' by default; or a function that makes it from the
 * environment. Keys that are left out are `SLACK_CLIENT_ID` and `SLACK_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { slack } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = slack({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function slack<Env = unknown>(config?: PresetOptions<PresetConfig, Env>): Provider {
  const preset = { id: "slack", name: "Slack", logo: SLACK_LOGO };
  return defineOpenIdPreset(config, preset, () => ({
    issuer: "https://slack.com",
    profile(claims, at) {
      const [team, sub] = [textOf(claims[SLACK_TEAM]), textOf(claims.sub)];
      return { ...readClaims(claims, at), id: team && sub ? `${team}:${sub}` : "" };
    },
  }));
}

/**
 * Sign-in with Auth0, at your own tenant or domain, under the id 'auth0'.
 * Accounts are known by `sub`, which names the connection, too.
 *
 * @param config Application at Auth0 and `domain`, with the scope 'openid email profile' by default; or a function that
 * makes it from the environment. Keys that are left out are `AUTH0_CLIENT_ID` and `AUTH0_CLIENT_SECRET` of the
 * environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { auth0 } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = auth0({ domain: "acme.eu.auth0.com", clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function auth0<Env = unknown>(config: PresetOptions<DomainConfig, Env>): Provider {
  const preset = { id: "auth0", name: "Auth0", keys: ["domain"] };
  return defineOpenIdPreset<DomainConfig, Env>(config, preset, ({ domain }) => ({
    // With the slash: the issuer is compared as it is written.
    issuer: `https://${readHost(domain, "domain", "acme.eu.auth0.com")}/`,
  }));
}

/**
 * Sign-in with Okta, at your own organization, under the id 'okta'.
 * Accounts are known by `sub`.
 *
 * @param config Application at Okta and `domain`, with the scope 'openid email profile' by default; or a function that
 * makes it from the environment. Keys that are left out are `OKTA_CLIENT_ID` and `OKTA_CLIENT_SECRET` of the
 * environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { okta } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = okta({ domain: "acme.okta.com", clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function okta<Env = unknown>(config: PresetOptions<OktaConfig, Env>): Provider {
  const preset = { id: "okta", name: "Okta", keys: ["domain", "authorizationServer"] };
  return defineOpenIdPreset<OktaConfig, Env>(config, preset, (given) => {
    const { domain, authorizationServer: server = "default" } = given;
    const issuer = `https://${readHost(domain, "domain", "acme.okta.com")}`;
    if (server === null) return { issuer };
    return { issuer: `${issuer}/oauth2/${readPathPart(server, "authorizationServer", "default")}` };
  });
}

/**
 * Sign-in with Keycloak, in a realm of your own server, under the id 'keycloak'.
 * Accounts are known by `sub`.
 *
 * @param config Client at Keycloak, `url` and `realm`, with the scope 'openid email profile' by default; or a function
 * that makes it from the environment. Keys that are left out are `KEYCLOAK_CLIENT_ID` and `KEYCLOAK_CLIENT_SECRET` of
 * the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { keycloak } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = keycloak({
 *   url: "https://id.acme.example",
 *   realm: "staff",
 *   clientId: "app",
 *   clientSecret: "secret",
 * });
 * equal(provider.kind, "provider");
 * ```
 */
export function keycloak<Env = unknown>(config: PresetOptions<KeycloakConfig, Env>): Provider {
  const preset = { id: "keycloak", name: "Keycloak", keys: ["url", "realm"] };
  return defineOpenIdPreset<KeycloakConfig, Env>(config, preset, ({ url, realm }) => ({
    issuer: `${readServerUrl(url, "url", "https://id.acme.example")}/realms/${
      readPathPart(realm, "realm", "staff")
    }`,
  }));
}

/**
 * Sign-in with Zitadel, at your own instance, under the id 'zitadel'.
 * Accounts are known by `sub`.
 *
 * @param config Application at Zitadel and `domain`, with the scope 'openid email profile' by default; or a function
 * that makes it from the environment. Keys that are left out are `ZITADEL_CLIENT_ID` and `ZITADEL_CLIENT_SECRET` of the
 * environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { zitadel } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = zitadel({ domain: "acme.zitadel.cloud", clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function zitadel<Env = unknown>(config: PresetOptions<DomainConfig, Env>): Provider {
  const preset = { id: "zitadel", name: "Zitadel", keys: ["domain"] };
  return defineOpenIdPreset<DomainConfig, Env>(config, preset, ({ domain }) => ({
    issuer: `https://${readHost(domain, "domain", "acme.zitadel.cloud")}`,
  }));
}

/**
 * Sign-in with Amazon Cognito, at a user pool of your own, under the id 'cognito'.
 * Accounts are known by `sub`.
 *
 * @param config App client of the pool and `userPoolId`, with the scope 'openid email profile' by default; or a
 * function that makes it from the environment. Keys that are left out are `COGNITO_CLIENT_ID` and
 * `COGNITO_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { cognito } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = cognito({ userPoolId: "eu-central-1_AbCdEf123", clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function cognito<Env = unknown>(config: PresetOptions<CognitoConfig, Env>): Provider {
  const preset = { id: "cognito", name: "Cognito", keys: ["userPoolId"] };
  return defineOpenIdPreset<CognitoConfig, Env>(config, preset, ({ userPoolId: pool }) => {
    const region = /^([a-z]{2}(?:-[a-z]+){1,3}-\d{1,2})_[A-Za-z0-9]{1,55}$/.exec(String(pool))?.[1];
    if (region === undefined) {
      throw wrongOption("userPoolId", pool, 'the id of the pool, such as "eu-central-1_AbCdEf123"');
    }
    const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
    // Userinfo says "true" as a text; the ID token has all claims, as they should be.
    return { issuer: `https://cognito-idp.${region}.${domain}/${pool}`, complete: true };
  });
}

/**
 * Sign-in with Salesforce, under the id 'salesforce'.
 * Accounts are known by `sub`, which names the organization and the user.
 *
 * @param config Connected app at Salesforce, with the scope 'openid email profile' by default; or a function that makes
 * it from the environment. Keys that are left out are `SALESFORCE_CLIENT_ID` and `SALESFORCE_CLIENT_SECRET` of the
 * environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { salesforce } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = salesforce({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function salesforce<Env = unknown>(config?: PresetOptions<SalesforceConfig, Env>): Provider {
  const preset = { id: "salesforce", name: "Salesforce", keys: ["domain"] };
  return defineOpenIdPreset(config, preset, ({ domain = "login.salesforce.com" }) => ({
    issuer: `https://${readHost(domain, "domain", "acme.my.salesforce.com")}`,
  }));
}

// Without them the ID token has the number of the user and nothing else.
const TWITCH_CLAIMS =
  '{"id_token":{"email":null,"email_verified":null,"picture":null,"preferred_username":null}}';

/**
 * Sign-in with Twitch, under the id 'twitch'.
 * Accounts are known by `sub`, the number of the user.
 *
 * @param config Application at Twitch, with the scope 'openid user:read:email' by default; or a function that makes it
 * from the environment. Keys that are left out are `TWITCH_CLIENT_ID` and `TWITCH_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { twitch } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = twitch({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function twitch<Env = unknown>(config?: PresetOptions<PresetConfig, Env>): Provider {
  const preset = {
    id: "twitch",
    name: "Twitch",
    scope: "openid user:read:email",
    clientAuth: "post",
    parameters: { claims: TWITCH_CLAIMS },
  } as const;
  return defineOpenIdPreset(config, preset, () => ({
    issuer: "https://id.twitch.tv/oauth2",
    complete: true,
    // A list there, where RFC 6749 has a text.
    callerOf: tokenCalls({
      read: (body) => body.scope = Array.isArray(body.scope) ? body.scope.join(" ") : body.scope,
    }),
    profile: ({ preferred_username: name, ...claims }, at) => readClaims({ name, ...claims }, at),
  }));
}
