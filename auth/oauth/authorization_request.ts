import { hashSecret } from "../one_time/secret.ts";
import { type Caller, invalidResponse, parseObject } from "./call_provider.ts";
import { postForm } from "./client_auth.ts";
import type { OAuthClient, OAuthServer } from "./oauth_client.ts";
import { readReason } from "./read_tokens.ts";
import type { TransactionSecrets } from "./transaction.ts";

/** What a request to sign in is made of. */
export interface AuthorizationRequest {
  /** The provider's server. */
  server: OAuthServer;
  /** Where it sends the visitor back to. */
  redirectUri: string;
  /** The secrets of the transaction. */
  secrets: TransactionSecrets;
}

/** Parameters that no option may set: the safety of the sign-in rests on them. */
export const RESERVED_PARAMETERS: ReadonlySet<string> = new Set([
  "client_id",
  "client_secret",
  "response_type",
  "response_mode",
  "redirect_uri",
  "scope",
  "state",
  "nonce",
  "code_challenge",
  "code_challenge_method",
  "request",
  "request_uri",
]);

function parametersOf(client: OAuthClient, request: AuthorizationRequest): Record<string, string> {
  const { redirectUri, secrets: { state, nonce, verifier } } = request;
  return {
    ...client.parameters,
    client_id: client.clientId,
    response_type: "code",
    redirect_uri: redirectUri,
    state,
    // Always by hash, also for clients with a secret (RFC 9700, 2.1.1).
    code_challenge: hashSecret(verifier),
    code_challenge_method: "S256",
    ...client.scope !== null && { scope: client.scope },
    ...client.formPost && { response_mode: "form_post" },
    ...client.type === "oidc" && { nonce },
  };
}

/** Sends the request ahead, so that the visitor carries only its name (RFC 9126). */
async function pushRequest(
  url: string,
  parameters: Record<string, string>,
  at: { client: OAuthClient; server: OAuthServer; caller: Caller },
): Promise<Record<string, string>> {
  const reply = await postForm(url, new URLSearchParams(parameters), at);
  const { request_uri: requestUri, error } = parseObject(reply);
  if (reply.status !== 201 || typeof requestUri !== "string") {
    throw invalidResponse(`The provider refused the request: "${readReason(error)}"`);
  }
  return { client_id: at.client.clientId, request_uri: requestUri };
}

/** The address at which the visitor signs in. */
export async function authorizationUrl(
  client: OAuthClient,
  request: AuthorizationRequest,
  caller: Caller,
): Promise<URL> {
  const { server } = request;
  let parameters = parametersOf(client, request);
  if (server.pushed !== null) {
    parameters = await pushRequest(server.pushed, parameters, { client, server, caller });
  }
  const url = new URL(server.authorization);
  // Set, not appended: what the address has already does not stand beside it.
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}
