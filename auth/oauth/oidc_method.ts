import type { Profile } from "../callbacks/callbacks.ts";
import type { UserProfile } from "../users/user_profile.ts";
import { identifyByIdToken } from "./identify_by_id_token.ts";
import type { OidcProviderConfig } from "./oauth_config.ts";
import { createOAuthMethod, type OAuthMethod } from "./oauth_method.ts";
import { createDiscovery } from "./oidc_server.ts";
import { textOf, verifiedAt, withoutHoles } from "./plain_client.ts";
import { readCommon, readEndpoint } from "./read_oauth_config.ts";

/** Makes a user of the standard claims (OpenID Connect Core, 5.1). */
export function readClaims(claims: Profile, at: Date): UserProfile {
  const { sub, email, name, picture, email_verified: verified } = claims;
  const texts = { email: textOf(email), name: textOf(name), image: textOf(picture) };
  return { id: sub as string, ...withoutHoles(texts), emailVerified: verifiedAt(verified, at) };
}

/** In what the built-in providers differ from what the options can say. */
export interface OidcDetails {
  /** What is asked for unless the options say it; null for nothing. Default 'openid email profile'. */
  scope?: string | null;
  /** Whether the ID token says everything, so that userinfo is not asked. Default false. */
  complete?: boolean;
  /** What else the answer says, beside the code. What the provider has signed wins. */
  readAnswer?(fields: ReadonlyMap<string, string>): Profile;
}

/** Makes a provider that describes itself. */
export function createOidcMethod(
  config: Partial<OidcProviderConfig>,
  { scope = "openid email profile", complete = false, readAnswer }: OidcDetails = {},
): OAuthMethod {
  const { prompt } = config;
  const common = readCommon({ ...scope !== null && { scope }, ...config });
  const discovery = createDiscovery(readEndpoint(config.issuer, "issuer"));
  const { parameters } = common;
  const identify = identifyByIdToken({
    clientId: common.clientId,
    findKeys: async (caller, how) => (await discovery.get(caller, how)).keys,
  });
  const custom = config.profile;
  return createOAuthMethod({
    ...common,
    parameters: prompt === undefined ? parameters : { ...parameters, prompt },
    type: "oidc",
    async server(caller) {
      const { server } = await discovery.get(caller);
      return complete ? { ...server, userinfo: null } : server;
    },
    identify: async (grant, caller) => ({
      ...readAnswer?.(grant.fields),
      ...await identify(grant, caller),
    }),
    profile: custom === undefined ? readClaims : (claims) => custom.call(config, claims),
  });
}
