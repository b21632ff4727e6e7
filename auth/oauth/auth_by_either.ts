import { authByBasic } from "./auth_by_basic.ts";
import { authByPost } from "./auth_by_post.ts";
import type { Authenticate, ClientSecret } from "./client_auth.ts";
import type { OAuthServer } from "./oauth_client.ts";

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
