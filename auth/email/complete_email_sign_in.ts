import { signInWithIdentity } from "../accounts/sign_in_with_identity.ts";
import type { EndpointContext } from "../http/endpoint.ts";
import type { CheckedEmail } from "../providers/email_config.ts";
import { sentSecretsOf } from "../storage/sent_secrets_of.ts";
import type { PendingSignIn } from "./pending_sign_in.ts";

/** Somebody who has shown that an e-mail reached them. */
export interface ProvenMailbox {
  /** The mailbox, see `parseEmailAddress()`. */
  identity: string;
  /** What was stored when they asked. */
  pending: PendingSignIn;
}

/**
 * Signs in whoever has proved a mailbox: its user, or a new one. Every other link and code for it ends.
 *
 * @throws {AccessDeniedError} When the `signIn` callback refuses.
 * @throws {UserUnavailableError} When the mailbox is that of a disabled user.
 */
export async function signInByEmail(
  context: EndpointContext,
  { id: provider }: CheckedEmail,
  { identity, pending: { address, callbackUrl } }: ProvenMailbox,
): Promise<Response> {
  const secrets = sentSecretsOf(context.store.auth.settings.storage);
  await Promise.all([
    secrets.dropSecrets("email-link", identity),
    secrets.dropSecrets("email-code", identity),
  ]);
  return await signInWithIdentity(context, {
    identity: {
      provider,
      providerAccountId: identity,
      type: "email",
      user: { email: address },
      emailVerified: true,
      trustEmail: true,
    },
    tokens: null,
    email: { verificationRequest: false },
    callbackUrl,
  });
}
