/**
 * The start of an OAuth sign-in: PKCE, state, nonce, redirect to the provider.
 *
 * @module
 */

import type { Endpoint, EndpointContext } from "../../core/contracts.ts";
import type { LinkIntent } from "../../core/oauth_contracts.ts";
import { linkingOf } from "../../core/provider.ts";
import {
  isMissingPage,
  jsonResponse,
  ownRedirect,
  providerRedirect,
  redirectResponse,
  safeCallback,
} from "../../core/redirect.ts";
import { prefersJson } from "../../core/respond.ts";
import { isAuthError, OAuthError } from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { hashSecret } from "../../lib/secret.ts";
import { limitAttempts } from "../../rate_limit/limits.ts";
import type { Caller } from "./call_provider.ts";
import { type OAuthClient, type OAuthServer, redirectUriOf } from "./client.ts";
import { beginTransaction, type TransactionSecrets } from "./transaction.ts";

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
    // Always by hash, also for clients with a secret (RFC 9700, 2.1.1).
    code_challenge: await hashSecret(verifier),
    code_challenge_method: "S256",
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

/** Context of a failed sign-in. */
export interface FailedSignIn {
  /** The provider. */
  client: OAuthClient;
  /** Destination that the visitor requested, checked by the redirect guard. */
  callbackUrl: string | null;
  /** For whom an account was to be linked; null for a sign-in. */
  link: LinkIntent | null;
  /** Log level. Default "warn": anyone can forge what a browser sends. */
  level?: "warn" | "error";
}

/**
 * Answers a sign-in at a provider that did not work. A browser is sent to the sign-in page, or from
 * linking to the error page, with a code that it knows: what the provider wrote is not shown, and the
 * address that holds a code of the provider does not stay in the window. Where there is no such page, and for a
 * program, the error is the answer.
 */
export function failureResponse(
  error: unknown,
  { store }: EndpointContext,
  { client, callbackUrl, link, level = "warn" }: FailedSignIn,
): Response {
  const { request, auth: { settings, origin }, report } = store;
  const { logger, pages } = settings;
  const isOurs = error instanceof OAuthError;
  if (!isOurs && (!isAuthError(error) || error.status >= 500)) throw error;
  const { code, message } = error;
  const provider = client.id;
  report({ type: "sign-in-failed", code, provider, ...link && { userId: link.userId } });
  logger[level]("provider-failed", { requestId: store.requestId(), provider, code, message });
  const page = link === null ? pages.signIn : pages.error;
  if (isMissingPage(page, settings) || prefersJson(request)) throw error;
  return redirectResponse(ownRedirect(page, origin(), { error: code, callbackUrl }), 303);
}
