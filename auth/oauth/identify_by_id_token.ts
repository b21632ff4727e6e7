import type { Profile } from "../callbacks/callbacks.ts";
import { isOptions, wrongOption } from "../config/check.ts";
import { type Caller, getJson, invalidResponse } from "./call_provider.ts";
import { KeyMissingError, type ProviderKeys, verifyIdToken } from "./id_token.ts";
import type { CommonClient, OAuthGrant } from "./oauth_client.ts";

/** Finds the keys of a provider. */
export type FindKeys = (caller: Caller, options?: { fresh?: boolean }) => Promise<ProviderKeys>;

/** Settings of the client that ID tokens are checked against. */
export type IdTokenClient = Pick<CommonClient, "clientId" | "parameters">;

/**
 * Seconds that may have passed since the user authenticated, from the parameter `max_age` of the request. The
 * request goes through the browser, which can take the parameter away: only the claim tells (OpenID Connect Core,
 * 3.1.2.1).
 */
function readMaxAge({ parameters: { max_age: said } }: IdTokenClient): { maxAge?: number } {
  if (said === undefined) return {};
  if (/^\d{1,9}$/.test(said)) return { maxAge: Number(said) };
  throw wrongOption("parameters.max_age", said, "a number of seconds, as a text");
}

async function verifiedClaims(
  grant: OAuthGrant,
  { client: { clientId }, findKeys, maxAge }: {
    client: IdTokenClient;
    findKeys: FindKeys;
    maxAge?: number;
  },
  caller: Caller,
): Promise<Profile> {
  const { tokens: { idToken, accessToken }, server: { issuer }, code, nonce } = grant;
  if (idToken === null || issuer === null) throw invalidResponse("The provider gave no ID token");
  const expected = {
    issuer,
    clientId,
    nonce,
    accessToken,
    code,
    now: caller.now(),
    ...maxAge !== undefined && { maxAge },
  };
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

/**
 * Identifies users by the ID token, joined with what else the provider says about them. What it has signed wins.
 *
 * @throws {ConfigurationError} When the parameter `max_age` is no number of seconds.
 */
export function identifyByIdToken(
  { client, findKeys }: { client: IdTokenClient; findKeys: FindKeys },
): (grant: OAuthGrant, caller: Caller) => Promise<Profile> {
  const options = { client, findKeys, ...readMaxAge(client) };
  return async function identify(grant, caller) {
    const claims = await verifiedClaims(grant, options, caller);
    const said = await userinfo(grant, claims.sub, caller);
    // "Verified" is said of the address beside it: neither speaks of the other's.
    if (claims.email === undefined) delete claims.email_verified;
    else if (claims.email !== said.email) delete said.email_verified;
    return { ...said, ...claims };
  };
}
