import { wrongOption } from "../config/check.ts";
import type { OidcProviderConfig } from "../oauth/oauth_config.ts";
import { createOidcMethod, STANDARD_SCOPE } from "../oauth/oidc_method.ts";
import type { OAuthMethod } from "../oauth/oauth_method.ts";
import { readPrivateHttp, warnOfHttp } from "../oauth/private_http.ts";
import { readCommon, readEndpoint, readKeys } from "../oauth/read_oauth_config.ts";
import { defineMethod, type Provider } from "./provider.ts";

function createMethod(given: OidcProviderConfig): OAuthMethod {
  const config = readKeys<OidcProviderConfig>(given, [
    "issuer",
    "prompt",
    "profile",
    "insecureHttp",
  ]);
  const { scope = STANDARD_SCOPE, prompt, profile } = config;
  if (!String(scope).split(" ").includes("openid")) {
    throw wrongOption("scope", scope, 'scopes with "openid" among them');
  }
  if (prompt !== undefined && typeof prompt !== "string") {
    throw wrongOption("prompt", prompt, 'a text such as "login"');
  }
  if (profile !== undefined && typeof profile !== "function") {
    throw wrongOption("profile", profile, "a function that makes a user of the claims");
  }
  const client = readCommon({ ...config, scope });
  const http = readPrivateHttp(config.insecureHttp, [config.issuer]);
  const issuer = readEndpoint(config.issuer, "issuer", http?.allows);
  const parameters = { ...client.parameters, ...prompt !== undefined && { prompt } };
  const callers = http !== null && { callerOf: http.callerOf };
  const method = createOidcMethod({ ...client, ...callers, parameters }, {
    issuer,
    ...profile !== undefined && { profile: (claims) => profile.call(config, claims) },
  });
  return warnOfHttp(method, http);
}

/**
 * Sign-in at a provider of OpenID Connect, which describes itself at
 * `<issuer>/.well-known/openid-configuration`. The description and the keys are fetched when they are
 * first needed and kept for five minutes.
 *
 * @param config The provider, or a function that makes it from the environment.
 * @throws {ConfigurationError} When the configuration is wrong; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { createOidcProvider } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const provider = createOidcProvider((env: { CLIENT_SECRET: string }) => ({
 *   id: "example",
 *   name: "Example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: env.CLIENT_SECRET,
 * }));
 * equal(provider.kind, "provider");
 * ```
 */
export function createOidcProvider<Env = unknown>(
  config: OidcProviderConfig | ((env: Env) => OidcProviderConfig),
): Provider {
  return defineMethod(config, createMethod);
}
