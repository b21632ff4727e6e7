import type { Authenticate, ClientSecret } from "./client_auth.ts";

/** The application proves itself by its secret in the form. */
export function authByPost(secret: ClientSecret): Authenticate {
  return async function authenticate(_server, { client_id: clientId }, body) {
    body.set("client_id", clientId);
    body.set("client_secret", await secret());
  };
}
