import type { Profile } from "../callbacks/callbacks.ts";
import { type Caller, invalidResponse } from "./call_provider.ts";
import { postForm } from "./client_auth.ts";
import { OAuthError } from "../errors/oauth_errors.ts";
import type { OAuthClient, OAuthServer } from "./oauth_client.ts";
import { readReason, readTokens } from "./read_tokens.ts";
import type { TransactionSecrets } from "./transaction.ts";
import type { OAuthTokens } from "./contracts.ts";

/** The answer that a visitor brings from the provider. */
export interface ProviderAnswer {
  /** Its fields. */
  fields: ReadonlyMap<string, string>;
  /** Where it came to. */
  redirectUri: string;
  /** The secrets of its transaction. */
  secrets: TransactionSecrets;
}

/** The answer must come from the server that was asked, also when it is an error (RFC 9207, 2.4). */
function checkIssuer(fields: ReadonlyMap<string, string>, server: OAuthServer): void {
  const said = fields.get("iss");
  if (said === undefined ? !server.saysIssuer : said === server.issuer) return;
  const hint = server.issuer === null ? "; the option `issuer` is not set" : "";
  throw invalidResponse(`The answer comes from another server than was asked${hint}`);
}

/** The code of an answer. */
function readCode(fields: ReadonlyMap<string, string>, server: OAuthServer): string {
  checkIssuer(fields, server);
  const error = fields.get("error");
  if (error !== undefined) {
    const reason = readReason(error);
    const code = reason === "access_denied" ? "OAUTH_DENIED" : "OAUTH_PROVIDER_ERROR";
    throw new OAuthError(code, `The provider answered "${reason}"`, { reason });
  }
  const code = fields.get("code");
  if (code === undefined || code === "") throw invalidResponse("The answer has no code");
  return code;
}

/**
 * Turns the answer into tokens, and these into what the provider says about the visitor.
 *
 * @throws {OAuthError} When any of it is not as it must be.
 */
export async function exchangeCode(
  client: OAuthClient,
  answer: ProviderAnswer,
  caller: Caller,
): Promise<{ tokens: OAuthTokens; profile: Profile }> {
  const { fields, redirectUri, secrets: { verifier, nonce } } = answer;
  const server = await client.server(caller);
  const code = readCode(fields, server);
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  const reply = await postForm(server.token, body, { client, server, caller });
  const tokens = readTokens(reply, caller.now());
  const profile = await client.identify({ tokens, server, code, nonce, fields }, caller);
  return { tokens, profile };
}
