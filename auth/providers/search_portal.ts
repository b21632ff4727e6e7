import type { OAuthMethod } from "../oauth/oauth_method.ts";
import { createOidcMethod } from "../oauth/oidc_method.ts";
import { type BuiltInProviderConfig, readBuiltIn } from "./built_in.ts";
import { defineMethod, type Provider } from "./provider.ts";

function createMethod(given: BuiltInProviderConfig): OAuthMethod {
  const config = readBuiltIn(given, { id: "google", name: "Google" });
  return createOidcMethod({ ...config, issuer: "https://accounts.google.com" }, { complete: true });
}

/**
 * Sign-in with Google, under the id 'google'. An address that it has verified counts as verified here.
 *
 * @param config The application there, with the scope 'openid email profile' by default; or a function
 * that makes it from the environment.
 * @throws {ConfigurationError} When the configuration is wrong; of a function, at the first request.
 */
export function searchPortalProvider<Env = unknown>(
  config: BuiltInProviderConfig | ((env: Env) => BuiltInProviderConfig),
): Provider {
  return defineMethod(config, createMethod);
}
