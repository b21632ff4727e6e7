import type { Profile } from "../callbacks/callbacks.ts";
import { AccountTakenError } from "../errors/account_errors.ts";
import { UserUnavailableError } from "../errors/storage_errors.ts";
import { askSignIn } from "../sign_in/ask_sign_in.ts";
import { accountsOf } from "../storage/accounts_of.ts";
import { linkedAccountsOf } from "../storage/linked_accounts_of.ts";
import { parseEmailAddress } from "../users/email_address.ts";
import type { NamedIdentity } from "./choose_owner.ts";
import { mayKeep } from "./may_keep.ts";
import { proveMailbox } from "./prove_mailbox.ts";
import { accountRecord, type IdentitySignIn } from "./sign_in_with_identity.ts";
import type { SafeRedirect } from "../errors/redirect_error.ts";
import type { AccountTokens } from "../storage/storage.ts";
import type { EndpointContext } from "../http/contracts.ts";

/** An account to be linked, whose proof has been checked. */
export interface IdentityLink extends Pick<IdentitySignIn, "identity" | "account"> {
  /** The tokens of the account, sealed. */
  tokens: AccountTokens;
  /** What the provider says. */
  profile?: Profile;
  /** Public name of the session in which its owner asked for the link. */
  askedIn: string;
  /** Asked after the user has been read: whether the session that wants the link is still there. */
  stillThere?: () => Promise<boolean>;
}

/** The mailbox that the provider vouches for, or null. */
function provedMailbox({ user: { email }, emailVerified, trustEmail }: NamedIdentity) {
  const proved = trustEmail && emailVerified === true && email ? parseEmailAddress(email) : null;
  return proved?.identity ?? null;
}

/**
 * Links an account to a user who is signed in and asked for it, which whoever calls has checked, and that
 * their proof is recent. The application has its say; the addresses need not be the same.
 *
 * @returns Null when it is linked, else where the `signIn` callback sends the visitor.
 * @throws {AccountTakenError} When it is another user's.
 * @throws {AccessDeniedError} When the `signIn` callback refuses.
 * @throws {UserUnavailableError} When the user is gone or disabled.
 */
export async function linkIdentity(
  context: EndpointContext,
  userId: string,
  { identity, tokens, account, profile, stillThere, askedIn }: IdentityLink,
): Promise<SafeRedirect | null> {
  const { auth, auth: { settings }, report } = context.store;
  const { provider, providerAccountId, type } = identity;
  const user = await settings.storage.getActiveUser(userId);
  if (user === null) throw new UserUnavailableError();
  const elsewhere = await askSignIn(context, {
    user,
    account: { ...account, provider, providerAccountId, type },
    ...(profile !== undefined && { profile }),
  });
  if (elsewhere !== null) return elsewhere;
  const at = settings.now();
  const { storage } = settings;
  // In this order nobody adds a way in to a user whose mailbox its owner proves at this moment.
  if (await stillThere?.() === false) throw new UserUnavailableError();
  const outcome = await linkedAccountsOf(storage)
    .linkAccount(accountRecord(identity, tokens, { userId, at }), {
      unproved: !user.emailVerified,
    });
  if (outcome === "taken") throw new AccountTakenError();
  if (outcome === "absent") throw new UserUnavailableError();
  if (outcome === "linked") report({ type: "account-linked", userId, provider });
  // No other mailbox than the user's own is proved, and only where what is there stays: else the account that
  // has just been linked would go with it.
  const emailIdentity = provedMailbox(identity);
  if (emailIdentity === null || user.emailVerified) return null;
  if (!mayKeep(await auth.load(), { userId, askedIn })) return null;
  await proveMailbox(context.store, {
    userId,
    provider,
    first: true,
    keepOwn: true,
    write: () => accountsOf(storage).proveEmail(userId, { emailIdentity, at, keepOwn: true }),
  });
  return null;
}
