/**
 * Authentication of the application to a provider.
 *
 * @module
 */

import { ConfigurationError } from "../../errors.ts";
import { isFilledText, wrongOption } from "../../lib/options.ts";
import type { Awaitable } from "../../types/callbacks.ts";
import { type Caller, callProvider, type Reply } from "./request.ts";
import type { Authenticate, ClientAuth, OAuthClient, OAuthServer } from "./client.ts";

/** Finds the application's secret at a provider. */
type ClientSecret = () => Awaitable<string>;

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

/** As forms encode it, which RFC 6749, 2.3.1 asks for and which many forget. */
function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** The application proves itself by its secret in a header. */
export function authByBasic(secret: ClientSecret): Authenticate {
  return async function authenticate(_server, { client_id: clientId }, _body, headers) {
    const pair = `${formEncode(clientId)}:${formEncode(await secret())}`;
    headers.set("authorization", `Basic ${btoa(pair)}`);
  };
}

/** The application proves itself by its secret in the form. */
export function authByPost(secret: ClientSecret): Authenticate {
  return async function authenticate(_server, { client_id: clientId }, body) {
    body.set("client_id", clientId);
    body.set("client_secret", await secret());
  };
}

function takesOnlyPost({ authMethods }: OAuthServer): boolean {
  return authMethods !== undefined && !authMethods.includes("client_secret_basic") &&
    authMethods.includes("client_secret_post");
}

/** The application proves itself by its secret: in a header, or in the form where the server takes only that. */
export function authByEither(secret: ClientSecret): Authenticate {
  const [byBasic, byPost] = [authByBasic(secret), authByPost(secret)];
  return function authenticate(server, ...request) {
    return (takesOnlyPost(server) ? byPost : byBasic)(server, ...request);
  };
}

/** The application's secret at a provider, where it is a text. */
export function readSecretText(value: unknown, write = "the secret"): string {
  if (isFilledText(value)) return value;
  // A secret is not described, whatever it is.
  throw wrongOption("clientSecret", undefined, write);
}

/** The application's secret at a provider: a text, or made by a function, at each use. */
export function readMadeSecret(
  value: unknown,
  { id, write }: { id: string; write?: string },
): ClientSecret {
  if (typeof value !== "function") {
    const secret = readSecretText(value, write);
    return () => secret;
  }
  return async function makeSecret() {
    const secret: unknown = await value();
    if (isFilledText(secret)) return secret;
    throw new ConfigurationError(`The provider "${id}" has no clientSecret`, {
      field: "clientSecret",
    });
  };
}

/** The application does not prove itself: it says who it is. */
const authByNone: Authenticate = (_server, { client_id: clientId }, body) => {
  body.set("client_id", clientId);
};

/** Resolves the client authentication for a provider that may support any method. */
export function readClientAuth(
  { clientAuth, clientSecret }: { clientAuth?: ClientAuth; clientSecret?: unknown },
  id: string,
): Authenticate {
  function secret() {
    return readMadeSecret(clientSecret, { id, write: 'the secret, or clientAuth: "none"' });
  }
  const withoutSecret = clientAuth === "none" ? authByNone : clientAuth;
  if (typeof withoutSecret === "function") {
    if (clientSecret !== undefined) secret();
    return withoutSecret;
  }
  switch (clientAuth) {
    case undefined:
      return authByEither(secret());
    case "basic":
      return authByBasic(secret());
    case "post":
      return authByPost(secret());
    default:
      throw wrongOption("clientAuth", clientAuth, '"basic", "post", "none" or a function');
  }
}
