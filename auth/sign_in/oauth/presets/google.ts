/**
 * Sign-in with Google.
 *
 * @module
 */

import type { Provider } from "../../../core/provider.ts";
import { authByEither, readSecretText } from "../client_auth.ts";
import { type BuiltInProviderConfig, defineBuiltIn, readBuiltIn } from "../options.ts";
import { createOidcMethod, STANDARD_SCOPE } from "../oidc.ts";
import type { OAuthMethod } from "../provider.ts";

function createMethod(config: BuiltInProviderConfig): OAuthMethod {
  const client = readBuiltIn(config, { id: "google", name: "Google", scope: STANDARD_SCOPE });
  const secret = readSecretText(config.clientSecret);
  return createOidcMethod({ ...client, authenticate: authByEither(() => secret) }, {
    issuer: "https://accounts.google.com",
    complete: true,
  });
}

/**
 * Sign-in with Google, under the id 'google'. An address that Google has verified counts as verified.
 * `searchPortalProvider` is the same function.
 *
 * @param config Application at Google, with the scope 'openid email profile' by default; or a function that
 * makes it from the environment.
 * Keys that are left out are `GOOGLE_CLIENT_ID` and `GOOGLE_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, google } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [google({ clientId: "1234", clientSecret: "secret" })],
 * });
 * const response = await auth.handle(new Request("http://localhost/auth/providers"), {});
 * const [provider] = await response!.json();
 * equal(provider.id, "google");
 * ```
 */
export function google<Env = unknown>(
  config?: Partial<BuiltInProviderConfig> | ((env: Env) => BuiltInProviderConfig),
): Provider {
  return defineBuiltIn(config, "google", createMethod);
}
