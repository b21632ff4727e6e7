import { signInWithIdentity } from "../accounts/sign_in_with_identity.ts";
import { EmailProofError } from "../errors/email_errors.ts";
import type { CheckedEmail } from "../providers/email_config.ts";
import { sentSecretsOf } from "../storage/sent_secrets_of.ts";
import type { PendingSignIn } from "./pending_sign_in.ts";
import type { EndpointContext } from "../http/contracts.ts";

/** Somebody who has shown that an e-mail reached them. */
export interface ProvenMailbox {
  /** The mailbox, see `parseEmailAddress()`. */
  identity: string;
  /** What was stored when they asked. */
  pending: PendingSignIn;
  /** What they have of the e-mail, which is to be taken. */
  secret: { purpose: "email-link" | "email-code"; hash: string };
}

/**
 * Signs in whoever has proved a mailbox: its user, or a new one. The link or code is taken once the application
 * has agreed, in the step that stores the proof, with every other one for the mailbox.
 *
 * @throws {EmailProofError} When somebody else was faster.
 * @throws {AccessDeniedError} When the `signIn` callback refuses.
 * @throws {UserUnavailableError} When the mailbox is that of a disabled user.
 */
export async function signInByEmail(
  context: EndpointContext,
  { id: provider }: CheckedEmail,
  { identity, pending: { address, callbackUrl }, secret }: ProvenMailbox,
): Promise<Response> {
  const { storage, now } = context.store.auth.settings;
  const isLink = secret.purpose === "email-link";
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
    async redeem(proof) {
      const outcome = await sentSecretsOf(storage).redeemSecret(
        { ...secret, identifier: identity },
        {
          ...proof,
          now: now(),
          ends: ["email-link", "email-code"],
          // Who comes with it again may have read somebody else's mail.
          ...(isLink && { usedAs: "email-link-used" }),
        },
      );
      if (outcome !== "absent") return outcome;
      throw new EmailProofError(undefined, { code: isLink ? "INVALID_LINK" : "INVALID_CODE" });
    },
    callbackUrl,
  });
}
