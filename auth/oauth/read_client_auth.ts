import { wrongOption } from "../config/check.ts";
import { authByBasic } from "./auth_by_basic.ts";
import { authByEither } from "./auth_by_either.ts";
import { authByPost } from "./auth_by_post.ts";
import type { Authenticate } from "./client_auth.ts";
import { readMadeSecret } from "./made_secret.ts";
import type { CommonProviderOptions } from "./oauth_config.ts";

/** The application does not prove itself: it says who it is. */
const authByNone: Authenticate = (_server, { client_id: clientId }, body) => {
  body.set("client_id", clientId);
};

/** How the application proves itself to a provider, by the options of one that can be anything. */
export function readClientAuth(
  { clientAuth, clientSecret }: Partial<CommonProviderOptions>,
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
