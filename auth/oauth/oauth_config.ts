import type { UserProfile } from "../users/user_profile.ts";
import type { ClientAuth } from "./client_auth.ts";
import type { RemoteKeys } from "./remote_keys.ts";

/** What every provider of OAuth takes, wherever it is. */
export interface CommonProviderOptions {
  /** Its name in addresses and in the list of providers: lower-case letters, digits and -. */
  id: string;
  /** Its name on the sign-in page. */
  name: string;
  /** The id of the application at the provider. */
  clientId: string;
  /** The secret of the application there, or a function that makes it. Left out with `clientAuth: "none"`. */
  clientSecret?: string | (() => Promise<string>);
  /** What is asked for, separated by blanks. */
  scope?: string;
  /** How the application proves itself. Default 'basic', or 'post' where the provider takes only that. */
  clientAuth?: ClientAuth;
  /** How the answer comes: in the address, or as a form that the browser posts. Default 'query'. */
  responseMode?: "query" | "form_post";
  /**
   * Whether an address counts as proved that the provider calls verified: an account joins the user who has proved
   * the same one, so the provider could sign in as any of them. Default false: the address is kept with
   * `emailVerified: null`, and `verifiedEmail()` gives none.
   */
  trustEmail?: boolean;
  /** Further parameters of the request, such as `{ access_type: "offline" }`. */
  parameters?: Record<string, string>;
}

/** What `createOAuth2Provider()` takes. */
export interface OAuth2ProviderConfig extends CommonProviderOptions {
  /** Address at which visitors sign in. This and all others: https, or http on a loopback host. */
  authorization: string;
  /** Address at which codes become tokens. */
  token: string;
  /** Address at which the provider says who somebody is. */
  userinfo: string;
  /** Who the provider says it is, where it does (RFC 9207). */
  issuer?: string;
  /** The keys of a provider that signs ID tokens: what `remoteKeys()` returns. It needs `issuer`. */
  jwks?: RemoteKeys;
  /**
   * Whether its addresses may be without https at a host of a private network, such as "http://keycloak:8080" of
   * a compose file. **Whoever can listen there reads codes and the client secret, and can sign in as anybody**:
   * for development, or where the network itself encrypts. Only names of one word, names below `.internal`,
   * `.local`, `.test` and `.home.arpa` and private addresses are taken, and `provider-without-https` is logged.
   * Default false.
   */
  insecureHttp?: boolean;
  /** Makes a user of what the provider says. */
  profile(profile: unknown): UserProfile;
}

/** What `createOidcProvider()` takes. */
export interface OidcProviderConfig extends CommonProviderOptions {
  /** The provider, exactly as it writes itself. `/.well-known/openid-configuration` below it describes it. */
  issuer: string;
  /**
   * Whether the issuer and the addresses at its host may be without https at a host of a private network, such as "http://keycloak:8080" of
   * a compose file. **Whoever can listen there reads codes and the client secret, and can sign in as anybody**:
   * for development, or where the network itself encrypts. Only names of one word, names below `.internal`,
   * `.local`, `.test` and `.home.arpa` and private addresses are taken, and `provider-without-https` is logged.
   * Default false.
   */
  insecureHttp?: boolean;
  /** What is asked for. Default 'openid email profile'. */
  scope?: string;
  /** Whether the provider asks again, such as 'login' or 'consent'. */
  prompt?: string;
  /** Makes a user of the claims. Default: `sub`, `email`, `name`, `picture`, `email_verified`. */
  profile?(profile: unknown): UserProfile;
}
