import { signInWithIdentity } from "../accounts/sign_in_with_identity.ts";
import type { IdentityLink } from "../accounts/link_identity.ts";
import { statelessOf } from "../session/stateless_of.ts";
import { describeTokens, forgetTokens } from "./account_tokens.ts";
import type { ProvenAtProvider } from "./contracts.ts";
import type { EndpointContext, Settings } from "../http/contracts.ts";

/** The identity, its tokens and what the provider says, as accounts are made of them. */
export async function describeIdentity(
  { client, tokens, profile, said }: ProvenAtProvider,
  settings: Settings,
): Promise<Required<Omit<IdentityLink, "stillThere" | "askedIn">>> {
  const { id: providerAccountId, emailVerified, ...user } = said.user;
  const { id: provider, type, trustEmail } = client;
  const key = { provider, providerAccountId };
  return {
    identity: { ...key, type, user, emailVerified: emailVerified instanceof Date, trustEmail },
    tokens: await settings.providerTokens?.(tokens, key, settings) ?? forgetTokens(tokens),
    account: describeTokens(tokens),
    profile,
  };
}

/** Ends a sign-in: with the account's user, a known one whom the address proves, or a new one. */
export async function finishSignIn(
  context: EndpointContext,
  proven: ProvenAtProvider,
): Promise<Response> {
  const { settings } = context.store.auth;
  if (!settings.hasDatabase) return await statelessOf(settings).signInByProvider(context, proven);
  const { callbackUrl } = proven.transaction;
  return await signInWithIdentity(context, {
    ...await describeIdentity(proven, settings),
    callbackUrl,
  });
}
