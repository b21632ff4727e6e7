/**
 * The authorization request: redirect to the provider, pushed requests, failures.
 *
 * @module
 */

import type { Endpoint, EndpointContext } from "../../core/contracts.ts";
import { linkingOf } from "../../core/provider.ts";
import {
  jsonResponse,
  providerRedirect,
  redirectResponse,
  safeCallback,
  signInPath,
} from "../../core/redirect.ts";
import { prefersJson } from "../../core/request.ts";
import { RequestError } from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { limitAttempts } from "../../rate_limit/sign_in.ts";
import { type Caller, invalidResponse, parseObject } from "./request.ts";
import { failureResponse, redirectUriOf } from "./callback.ts";
import type { OAuthClient, OAuthServer, PushRequest } from "./client.ts";
import { postForm } from "./client_auth.ts";
import { codeChallenge, type TransactionSecrets } from "./pkce.ts";
import { readReason } from "./tokens.ts";
import { beginTransaction } from "./transaction.ts";

/**
 * `POST /signin/<id>`: sends the visitor to the provider. With the field `intent` set to "link" the
 * account is added to whoever is signed in.
 */
export function startEndpoint(client: OAuthClient): Endpoint {
  return async function startAtProvider(context) {
    const fields = await readFields(context.store.request, { optional: true });
    const isLink = fields.get("intent") === "link";
    return await start(context, client, fields.get("callbackUrl"), isLink);
  };
}

/**
 * `GET /signin/<id>`: the same for a visitor whom `requireAuth()` leads here, in an application without a sign-in page
 * and with this provider alone; elsewhere the button of a page posts. Other sites can lead a visitor here as well, as
 * OpenID Connect has it for a sign-in that a third party initiates (OpenID Connect Core 1.0, 4): the answer counts in
 * this browser alone, so that whoever comes back is signed in as themselves, and nothing is linked. What is loaded into
 * another page begins nothing.
 */
export function startByLinkEndpoint(client: OAuthClient): Endpoint {
  return async function startByLink(context) {
    const { store: { request, auth: { settings } }, url } = context;
    const { method, headers } = request;
    const isFollowed = (headers.get("sec-fetch-dest") ?? "document") === "document" &&
      !headers.has("sec-purpose");
    if (method !== "GET" || signInPath(settings) !== url.pathname || !isFollowed) {
      throw new RequestError(undefined, { code: "METHOD_NOT_ALLOWED", allow: "POST" });
    }
    return await start(context, client, url.searchParams.get("callbackUrl"));
  };
}

async function start(
  context: EndpointContext,
  client: OAuthClient,
  wanted: unknown,
  isLink = false,
): Promise<Response> {
  const { request, auth: { settings } } = context.store;
  const callbackUrl = safeCallback(wanted, context);
  // Each one writes a row, or asks the provider.
  await limitAttempts(context, {
    of: "login",
    provider: client.id,
    identifier: null,
    apart: "prepare",
  });
  const link = isLink ? await linkingOf(settings).begin(context) : null;
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
}

/** Values of an authorization request. */
export interface AuthorizationRequest {
  /** The provider's server. */
  server: OAuthServer;
  /** Redirect URI of the callback. */
  redirectUri: string;
  /** The secrets of the transaction. */
  secrets: TransactionSecrets;
}

async function parametersOf(
  client: OAuthClient,
  request: AuthorizationRequest,
): Promise<Record<string, string>> {
  const { redirectUri, secrets: { state, nonce, verifier } } = request;
  return {
    ...client.parameters,
    client_id: client.clientId,
    response_type: "code",
    redirect_uri: redirectUri,
    state,
    ...await codeChallenge(verifier),
    ...client.type === "oidc" && { nonce },
  };
}

/** The address at which the visitor signs in. */
async function authorizationUrl(
  client: OAuthClient,
  request: AuthorizationRequest,
  caller: Caller,
): Promise<URL> {
  const { server } = request;
  const parameters = await parametersOf(client, request);
  const sent = await server.push?.(parameters, { client, server, caller }) ?? parameters;
  const url = new URL(server.authorization);
  // Set, not appended: what the address has already does not stand beside it.
  for (const [name, value] of Object.entries(sent)) url.searchParams.set(name, value);
  return url;
}

/**
 * Creates the function that pushes authorization requests, so that the browser only sees their `request_uri` (PAR, RFC
 * 9126).
 */
export function createPushRequest(url: string): PushRequest {
  return async function pushRequest(parameters, at) {
    const reply = await postForm(url, new URLSearchParams(parameters), at);
    const { request_uri: requestUri, error } = parseObject(reply);
    if (reply.status !== 201 || typeof requestUri !== "string") {
      throw invalidResponse(`The provider refused the request: "${readReason(error)}"`);
    }
    return { client_id: at.client.clientId, request_uri: requestUri };
  };
}
