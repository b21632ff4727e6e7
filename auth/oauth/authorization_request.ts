import { hashSecret } from "../one_time/secret.ts";
import type { Caller } from "./call_provider.ts";
import type { OAuthClient, OAuthServer } from "./oauth_client.ts";
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
export async function authorizationUrl(
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
