import type { Authenticate, ClientSecret } from "./client_auth.ts";

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
