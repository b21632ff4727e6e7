import { wrongOption } from "../config/check.ts";
import type { OAuth2ProviderConfig } from "../oauth/oauth_config.ts";
import type { OAuthServer } from "../oauth/oauth_client.ts";
import { createOAuthMethod, type OAuthMethod } from "../oauth/oauth_method.ts";
import { identifyByUserinfo } from "../oauth/plain_client.ts";
import { readPrivateHttp, warnOfHttp } from "../oauth/private_http.ts";
import { readCommon, readEndpoint, readKeys } from "../oauth/read_oauth_config.ts";
import { defineMethod, type Provider } from "./provider.ts";

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
