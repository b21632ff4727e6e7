import type { EndpointContext } from "../http/endpoint.ts";
import { completeSignIn } from "../sign_in/complete_sign_in.ts";
import { describeTokens } from "./account_tokens.ts";
import type { ProvenAtProvider } from "./finish_sign_in.ts";

/** Without a database nobody is known: the identity at the provider is the user. */
export async function signInUnknown(
  context: EndpointContext,
  { client, transaction: { callbackUrl }, tokens, profile, said }: ProvenAtProvider,
): Promise<Response> {
  const { id: provider, type, trustEmail } = client;
  const { id: providerAccountId, email, emailVerified, ...rest } = said.user;
  // As with a database: an address that nobody vouches for is nobody's.
  const isProved = trustEmail && emailVerified instanceof Date;
  const user = {
    ...rest,
    id: `${provider}:${providerAccountId}`,
    ...isProved && { email: email ?? null, emailVerified },
  };
  return await completeSignIn(context, {
    owner: { ...said, user, emailIdentity: isProved ? said.emailIdentity : null },
    account: { ...describeTokens(tokens), provider, providerAccountId, type },
    profile,
    callbackUrl,
  });
}
