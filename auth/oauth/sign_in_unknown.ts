import { isKeptUnproved, reportKept } from "../accounts/kept_address.ts";
import { completeSignIn } from "../sign_in/complete_sign_in.ts";
import { describeTokens } from "./account_tokens.ts";
import type { ProvenAtProvider } from "./contracts.ts";
import type { EndpointContext } from "../http/contracts.ts";

/** Without a database nobody is known: the identity at the provider is the user. */
export async function signInUnknown(
  context: EndpointContext,
  { client, transaction: { callbackUrl }, tokens, profile, said }: ProvenAtProvider,
): Promise<Response> {
  const { id: provider, type, trustEmail } = client;
  const { id: providerAccountId, email, emailVerified, ...rest } = said.user;
  // As with a database: an address that nobody vouches for is kept, and proves nothing.
  const isVerified = emailVerified instanceof Date;
  const isProved = trustEmail && isVerified;
  const user = {
    ...rest,
    id: `${provider}:${providerAccountId}`,
    email: email ?? null,
    emailVerified: isProved ? emailVerified : null,
  };
  if (isKeptUnproved(user)) {
    reportKept(context, { provider, trustEmail, emailVerified: isVerified });
  }
  return await completeSignIn(context, {
    owner: { ...said, user, emailIdentity: isProved ? said.emailIdentity : null },
    account: { ...describeTokens(tokens), provider, providerAccountId, type },
    profile,
    callbackUrl,
  });
}
