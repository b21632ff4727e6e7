import { ConfigurationError } from "../errors/configuration_error.ts";
import { type Caller, callProvider, type Reply } from "./call_provider.ts";
import type { OAuthClient, OAuthServer } from "./oauth_client.ts";

/**
 * Proves the application to a provider's server by what it adds to a request. `PrivateKeyJwt()` and
 * `ClientSecretJwt()` of oauth4webapi make such functions.
 */
export type ClientAuthentication = (
  server: { issuer: string },
  client: { client_id: string },
  body: URLSearchParams,
  headers: Headers,
) => void | Promise<void>;

/**
 * How the application proves itself: by its secret in a header ('basic') or in the form ('post'), not at
 * all ('none', for what has no secret), or by a function.
 */
export type ClientAuth = "basic" | "post" | "none" | ClientAuthentication;

/** As forms encode it, which RFC 6749, 2.3.1 asks for and which many forget. */
function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

function chooseMethod({ clientAuth }: OAuthClient, { authMethods }: OAuthServer): ClientAuth {
  if (clientAuth !== null) return clientAuth;
  const onlyPost = authMethods !== null && !authMethods.includes("client_secret_basic") &&
    authMethods.includes("client_secret_post");
  return onlyPost ? "post" : "basic";
}

/** Sends a form to a provider's server, in the name of the application. */
export async function postForm(
  url: string,
  body: URLSearchParams,
  { client, server, caller }: { client: OAuthClient; server: OAuthServer; caller: Caller },
): Promise<Reply> {
  const { clientId, clientSecret } = client;
  const headers = new Headers();
  const method = chooseMethod(client, server);
  if (typeof method === "function") {
    const as = { issuer: server.issuer ?? server.token };
    await method(as, { client_id: clientId }, body, headers);
  } else if (method === "none") {
    body.set("client_id", clientId);
  } else {
    const secret = await clientSecret?.();
    if (typeof secret !== "string" || secret === "") {
      throw new ConfigurationError(`The provider "${client.id}" has no clientSecret`, {
        field: "clientSecret",
      });
    }
    if (method === "post") {
      body.set("client_id", clientId);
      body.set("client_secret", secret);
    } else {
      const pair = `${formEncode(clientId)}:${formEncode(secret)}`;
      headers.set("authorization", `Basic ${btoa(pair)}`);
    }
  }
  return await callProvider(url, { body, headers }, caller);
}
