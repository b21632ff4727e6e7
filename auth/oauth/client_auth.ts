import type { Awaitable } from "../callbacks/callbacks.ts";
import { type Caller, callProvider, type Reply } from "./call_provider.ts";
import type { OAuthClient, OAuthServer } from "./oauth_client.ts";

/**
 * Proves the application to a provider's server by what it adds to a request. `privateKeyJwt()` and
 * `clientSecretJwt()` make such functions.
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

/** Finds the application's secret at a provider. */
export type ClientSecret = () => Awaitable<string>;

/** As {@linkcode ClientAuthentication}, told what is known of the server. */
export type Authenticate = (
  server: OAuthServer & { issuer: string },
  client: { client_id: string },
  body: URLSearchParams,
  headers: Headers,
) => void | Promise<void>;

/** Sends a form to a provider's server, in the name of the application. */
export async function postForm(
  url: string,
  body: URLSearchParams,
  { client, server, caller }: { client: OAuthClient; server: OAuthServer; caller: Caller },
): Promise<Reply> {
  const headers = new Headers();
  const as = { ...server, issuer: server.issuer ?? server.token };
  await client.authenticate(as, { client_id: client.clientId }, body, headers);
  return await callProvider(url, { body, headers }, client.callerOf?.(caller) ?? caller);
}
