/**
 * oauth2Provider(), and OAuth providers as ways to sign in.
 *
 * @module
 */

import type { Settings, SignInMethod } from "../../core/contracts.ts";
import { defineMethod, type Provider } from "../../core/provider.ts";
import { ConfigurationError } from "../../errors.ts";
import { isLoopbackHost, isPrivateName } from "../../lib/ip_address.ts";
import { readFlag, wrongOption } from "../../lib/options.ts";
import { startByLinkEndpoint, startEndpoint } from "./authorization.ts";
import { type Caller, isProviderUrl } from "./request.ts";
import { callbackEndpoint } from "./callback.ts";
import type { OAuthClient, OAuthServer } from "./client.ts";
import { type OAuth2ProviderConfig, readCommon, readEndpoint, readKeys } from "./options.ts";
import { identifyByUserinfo } from "./userinfo.ts";

const KEYS = ["authorization", "token", "userinfo", "issuer", "jwks", "profile", "insecureHttp"];

function createMethod(given: OAuth2ProviderConfig): OAuthMethod {
  const config = readKeys<OAuth2ProviderConfig>(given, KEYS);
  const { issuer = null, jwks, profile } = config;
  const common = readCommon(config);
  const { authorization, token, userinfo, insecureHttp } = config;
  const http = readPrivateHttp(insecureHttp, [authorization, token, userinfo, issuer]);
  if (issuer !== null) readEndpoint(issuer, "issuer", http?.allows);
  if (jwks !== undefined && (issuer === null || typeof jwks?.identify !== "function")) {
    throw wrongOption("jwks", jwks, "what remoteKeys() returns, and `issuer` with it");
  }
  if (typeof profile !== "function") {
    throw wrongOption("profile", profile, "a function that makes a user of what the provider says");
  }
  const server: OAuthServer = {
    issuer,
    authorization: readEndpoint(authorization, "authorization", http?.allows),
    token: readEndpoint(token, "token", http?.allows),
    userinfo: readEndpoint(userinfo, "userinfo", http?.allows),
  };
  const identify = jwks?.identify(common) ?? identifyByUserinfo;
  const method = createOAuthMethod({
    ...common,
    ...http !== null && { callerOf: http.callerOf },
    type: jwks === undefined ? "oauth" : "oidc",
    server: () => server,
    identify: (grant, caller) => identify(grant, http?.callerOf(caller) ?? caller),
    profile: (said) => profile.call(config, said),
  });
  return warnOfHttp(method, http);
}

/**
 * Sign-in at a provider of OAuth 2.0 (RFC 6749, RFC 9700): with PKCE, state and, where it is known, the
 * check of the issuer.
 *
 * @param config The provider, or a function that makes it from the environment.
 * @throws {ConfigurationError} When the configuration is wrong; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { createOAuth2Provider } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const provider = createOAuth2Provider((env: { CLIENT_ID: string; CLIENT_SECRET: string }) => ({
 *   id: "example",
 *   name: "Example",
 *   clientId: env.CLIENT_ID,
 *   clientSecret: env.CLIENT_SECRET,
 *   authorization: "https://id.example/authorize",
 *   token: "https://id.example/token",
 *   userinfo: "https://id.example/me",
 *   scope: "read:me",
 *   profile(said) {
 *     const { id, name } = said as { id: number; name: string };
 *     return { id: String(id), name };
 *   },
 * }));
 * equal(provider.kind, "provider");
 * ```
 */
export function createOAuth2Provider<Env = unknown>(
  config: OAuth2ProviderConfig | ((env: Env) => OAuth2ProviderConfig),
): Provider {
  return defineMethod(config, createMethod);
}

/** A provider of OAuth 2.0 or OpenID Connect as a way to sign in. */
export interface OAuthMethod extends SignInMethod {
  /** The provider. */
  oauth: OAuthClient;
}

/**
 * The provider of this id.
 *
 * @throws {ConfigurationError} When there is none, or it is no provider of OAuth.
 */
export function findClient({ providers }: Pick<Settings, "providers">, id: string): OAuthClient {
  const method = providers.get(id);
  if (method !== undefined && "oauth" in method) return (method as OAuthMethod).oauth;
  throw new ConfigurationError(`There is no OAuth provider "${id}"`, { field: "providers" });
}

/** Makes the way to sign in. */
export function createOAuthMethod(client: OAuthClient): OAuthMethod {
  const { id, name, type, formPost } = client;
  return {
    type,
    id,
    name,
    oauth: client,
    endpoints: [
      { path: `/signin/${id}`, method: "POST", endpoint: startEndpoint(client) },
      { path: `/signin/${id}`, method: "GET", endpoint: startByLinkEndpoint(client) },
      {
        path: `/callback/${id}`,
        method: formPost ? "POST" : "GET",
        endpoint: callbackEndpoint(client),
        // The form comes from the provider's page; the transaction is what protects it.
        crossSite: true,
      },
    ],
    form: { submit: `Sign in with ${name}` },
    check({ hasDatabase, secrets }) {
      if (hasDatabase || secrets.length > 0) return;
      throw new ConfigurationError(`The provider "${id}" needs \`database\` or \`secret\``, {
        field: "secret",
      });
    },
  };
}

/** True for hosts of a private network: their names, and private addresses (RFC 1918, RFC 4193). */
function isPrivateHost(hostname: string): boolean {
  return isPrivateName(hostname) ||
    /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)[\d.]+$/.test(hostname) ||
    /^\[f[cd][0-9a-f]{2}:[0-9a-f:]+\]$/.test(hostname) ||
    isLoopbackHost(hostname);
}

/** An address with http at a private host, and nothing else that {@linkcode isProviderUrl} refuses. */
function isPrivateUrl(value: unknown): value is string {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === "http:" && isPrivateHost(hostname) &&
    isProviderUrl(value.replace(/^http:/i, "https:"));
}

/** Endpoints a provider may have without https. */
export interface PrivateHttp {
  /** True for http at a host of the provider's own addresses. */
  allows(value: unknown): value is string;
  /** Caller that may reach these endpoints. */
  callerOf(caller: Caller): Caller;
}

/**
 * Reads `insecureHttp`; null unless it is true.
 *
 * @param addresses The addresses of the provider. At every other host http stays refused.
 * @throws {ConfigurationError} When it is neither true nor false, or none of the addresses needs it.
 */
export function readPrivateHttp(
  value: unknown,
  addresses: readonly unknown[],
): PrivateHttp | null {
  if (readFlag(value, "insecureHttp") !== true) return null;
  const hosts = new Set(addresses.filter(isPrivateUrl).map((address) => new URL(address).host));
  if (hosts.size === 0) {
    throw wrongOption("insecureHttp", value, "it only for http at a host of a private network");
  }
  function allows(address: unknown): address is string {
    return isPrivateUrl(address) && hosts.has(new URL(address).host);
  }
  return {
    allows,
    callerOf: ({ fetch, now, timeout }) => ({
      fetch,
      now,
      ...timeout !== undefined && { timeout },
      allowsHttp: allows,
    }),
  };
}

/** The way to sign in, of which every application that has it is warned. */
export function warnOfHttp(method: OAuthMethod, http: PrivateHttp | null): OAuthMethod {
  if (http === null) return method;
  return {
    ...method,
    check(settings) {
      settings.logger.warn("provider-without-https", { provider: method.id });
      method.check?.(settings);
    },
  };
}

// The sign-in page does not wait for a provider that does not answer.
const TIMEOUT = 2000;

/**
 * The origin of the page to which the form of a way to sign in leads at last, where that is a provider's. A
 * provider that does not tell where it is has none.
 */
export async function formOriginsOf(
  method: SignInMethod,
  { fetch, now }: Settings,
): Promise<string[]> {
  if (!("oauth" in method)) return [];
  const { oauth } = method as OAuthMethod;
  try {
    const server = await oauth.server({ fetch, now, timeout: TIMEOUT });
    return [new URL(server.authorization).origin];
  } catch {
    return [];
  }
}
