import type { Profile } from "../callbacks/callbacks.ts";
import { isOptions } from "../config/check.ts";
import { type Caller, getJson, invalidResponse } from "./call_provider.ts";
import { KeyMissingError, type ProviderKeys, verifyIdToken } from "./id_token.ts";
import type { OAuthGrant } from "./oauth_client.ts";

/** Finds the keys of a provider. */
export type FindKeys = (caller: Caller, options?: { fresh?: boolean }) => Promise<ProviderKeys>;

async function verifiedClaims(
  grant: OAuthGrant,
  { clientId, findKeys }: { clientId: string; findKeys: FindKeys },
  caller: Caller,
): Promise<Profile> {
  const { tokens: { idToken, accessToken }, server: { issuer }, code, nonce } = grant;
  if (idToken === null || issuer === null) throw invalidResponse("The provider gave no ID token");
  const expected = { issuer, clientId, nonce, accessToken, code, now: caller.now() };
  try {
    return await verifyIdToken(idToken, { ...expected, ...await findKeys(caller) });
  } catch (error) {
    if (!(error instanceof KeyMissingError)) throw error;
    const keys = await findKeys(caller, { fresh: true });
    return await verifyIdToken(idToken, { ...expected, ...keys });
  }
}

/** What the provider says beside the ID token; it must speak of the same user (OpenID Connect Core, 5.3.2). */
async function userinfo(
  { tokens, server }: OAuthGrant,
  subject: unknown,
  caller: Caller,
): Promise<Profile> {
  if (server.userinfo === null) return {};
  const said = await getJson(server.userinfo, caller, { token: tokens.accessToken });
  if (isOptions(said) && said.sub === subject) return said;
  throw invalidResponse("The provider's userinfo speaks of another user than its ID token");
}

/** Who somebody is, by the ID token, and what else the provider says about them. What it has signed wins. */
export function identifyByIdToken(
  options: { clientId: string; findKeys: FindKeys },
): (grant: OAuthGrant, caller: Caller) => Promise<Profile> {
  return async function identify(grant, caller) {
    const claims = await verifiedClaims(grant, options, caller);
    const said = await userinfo(grant, claims.sub, caller);
    // "Verified" is said of the address beside it: neither speaks of the other's.
    if (claims.email === undefined) delete claims.email_verified;
    else if (claims.email !== said.email) delete said.email_verified;
    return { ...said, ...claims };
  };
}
