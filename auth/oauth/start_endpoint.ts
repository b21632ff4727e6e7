import { jsonResponse, safeCallback } from "../http/endpoint.ts";
import { prefersJson } from "../http/negotiate.ts";
import { readFields } from "../http/read_fields.ts";
import { providerRedirect, redirectResponse } from "../http/redirect_guard.ts";
import { limitAttempts } from "../rate_limit/sign_in_limits.ts";
import { authorizationUrl } from "./authorization_request.ts";
import { failureResponse } from "./failure_response.ts";
import { linkingOf } from "./linking.ts";
import type { OAuthClient } from "./oauth_client.ts";
import { beginTransaction } from "./transaction.ts";
import type { Endpoint, EndpointContext } from "../http/contracts.ts";

/** Where the provider sends the visitor back to. It follows from the configuration and from nothing sent. */
export function redirectUriOf({ store: { auth } }: EndpointContext, { id }: OAuthClient): string {
  return `${auth.origin()}${auth.settings.basePath}/callback/${id}`;
}

/**
 * `POST /signin/<id>`: sends the visitor to the provider. With the field `intent` set to "link" the
 * account is added to whoever is signed in.
 */
export function startEndpoint(client: OAuthClient): Endpoint {
  return async function startAtProvider(context) {
    const { request, auth: { settings } } = context.store;
    const fields = await readFields(request, { optional: true });
    const callbackUrl = safeCallback(fields.get("callbackUrl"), context);
    // Each one writes a row, or asks the provider.
    await limitAttempts(context, {
      of: "login",
      provider: client.id,
      identifier: null,
      apart: "prepare",
    });
    const link = fields.get("intent") === "link" ? await linkingOf(settings).begin(context) : null;
    try {
      const server = await client.server(settings);
      const secrets = await beginTransaction(context, client, { callbackUrl, link });
      const redirectUri = redirectUriOf(context, client);
      const url = await authorizationUrl(client, { server, redirectUri, secrets }, settings);
      const redirectTo = providerRedirect(url, server.authorization);
      if (prefersJson(request)) return jsonResponse({ redirectTo });
      return redirectResponse(redirectTo, 303);
    } catch (error) {
      // Nobody has signed in there yet: it is the set-up that is wrong, or the provider that is down.
      return failureResponse(error, context, { client, callbackUrl, link, level: "error" });
    }
  };
}
