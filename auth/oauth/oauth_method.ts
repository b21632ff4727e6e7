import { ConfigurationError } from "../errors/configuration_error.ts";
import { callbackEndpoint } from "./callback_endpoint.ts";
import type { OAuthClient } from "./oauth_client.ts";
import { startEndpoint } from "./start_endpoint.ts";
import type { Settings, SignInMethod } from "../http/contracts.ts";

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
  throw new ConfigurationError(`There is no provider "${id}" of OAuth`, { field: "providers" });
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
