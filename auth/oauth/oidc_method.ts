import type { Profile } from "../callbacks/callbacks.ts";
import type { UserProfile } from "../users/user_profile.ts";
import type { Caller } from "./call_provider.ts";
import { identifyByIdToken } from "./identify_by_id_token.ts";
import type { CommonClient } from "./oauth_client.ts";
import { createOAuthMethod, type OAuthMethod } from "./oauth_method.ts";
import { createDiscovery } from "./oidc_server.ts";
import { textOf } from "./plain_client.ts";

/** Makes a user of the standard claims (OpenID Connect Core, 5.1), whose `email_verified` is a boolean. */
export function readClaims(claims: Profile, at: Date): UserProfile {
  const { sub, email, name, picture, email_verified: verified } = claims;
  return {
    id: sub as string,
    email: textOf(email),
    name: textOf(name),
    image: textOf(picture),
    emailVerified: verified === true ? at : null,
  };
}

/** What is asked for where nobody says it. */
export const STANDARD_SCOPE = "openid email profile";

/** What a provider that describes itself is told beside what every provider is. */
export interface OidcDetails {
  /** The provider, exactly as it writes itself. */
  issuer: string;
  /** Whether the ID token says everything, so that userinfo is not asked. Default false. */
  complete?: boolean;
  /** What else the answer says, beside the code. What the provider has signed wins. */
  readAnswer?(fields: ReadonlyMap<string, string>): Profile;
  /** Makes a user of the claims. Default: of the standard ones. */
  profile?(claims: Profile, at: Date): UserProfile;
}

/** Makes a provider that describes itself. */
export function createOidcMethod(
  client: CommonClient,
  { issuer, complete = false, readAnswer, profile = readClaims }: OidcDetails,
): OAuthMethod {
  const discovery = createDiscovery(issuer);
  const identify = identifyByIdToken({
    client,
    findKeys: async (caller, how) => (await discovery.get(caller, how)).keys,
  });
  const callerOf = (caller: Caller) => client.callerOf?.(caller) ?? caller;
  return createOAuthMethod({
    ...client,
    type: "oidc",
    async server(caller) {
      const { server } = await discovery.get(callerOf(caller));
      return complete ? { ...server, userinfo: null } : server;
    },
    identify: async (grant, caller) => ({
      ...readAnswer?.(grant.fields),
      ...await identify(grant, callerOf(caller)),
    }),
    profile,
  });
}
