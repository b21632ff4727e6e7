import type { Account, Profile, SignInParams } from "../callbacks/callbacks.ts";
import { AccountTakenError } from "../errors/account_errors.ts";
import { UserExistsError, UserUnavailableError } from "../errors/storage_errors.ts";
import { completeSignIn } from "../sign_in/complete_sign_in.ts";
import { accountsOf } from "../storage/accounts_of.ts";
import type { RedeemOutcome } from "../storage/sent_secret_storage.ts";
import { type Choice, chooseOwner, type NamedIdentity } from "./choose_owner.ts";
import { isKeptUnproved, reportKept } from "./kept_address.ts";
import { proveMailbox } from "./prove_mailbox.ts";
import type { AccountRecord, AccountTokens } from "../storage/storage.ts";
import type { EndpointContext } from "../http/contracts.ts";

/** A sign-in with an identity, whose proof has been checked. */
export interface IdentitySignIn {
  /** Who it is. */
  identity: NamedIdentity;
  /** The tokens of the account, sealed, which is linked; null for an identity that is no account, as a mailbox. */
  tokens: AccountTokens | null;
  /** Further fields of `account`, for the application's callbacks. */
  account?: Omit<Account, "provider" | "providerAccountId" | "type">;
  /** What the provider says. */
  profile?: Profile;
  /** For a sign-in by e-mail. */
  email?: NonNullable<SignInParams["email"]>;
  /**
   * Takes the mail that is the proof, and stores what it proves, in one step. Default: nothing is to be taken.
   *
   * @throws {EmailProofError} When the mail does not hold any more.
   */
  redeem?: (proof: RedeemedProof) => Promise<RedeemOutcome>;
  /** Where the visitor asked to go. */
  callbackUrl: unknown;
}

/** What a mail proves. */
export interface RedeemedProof {
  /** Who signs in; null for a new user. */
  userId: string | null;
  /** The mailbox that is proved, when it is the user's. */
  emailIdentity: string | null;
}

/** Stores what a sign-in proves, before anything else of it is stored. */
async function storeProof(
  { store }: EndpointContext,
  { owner, proves, holds }: Choice,
  { identity: { provider }, redeem }: IdentitySignIn,
): Promise<void> {
  const { storage, now } = store.auth.settings;
  const { id: userId } = owner.user;
  const taking = { userId: holds.existing === true ? userId : null, emailIdentity: proves };
  if (proves === null) return void await redeem?.(taking);
  const outcome = await proveMailbox(store, {
    userId,
    provider,
    first: true,
    // Who signs in has not asked to confirm anything: whatever session is in the browser may be planted there.
    keepOwn: false,
    write: async () =>
      await redeem?.(taking) ??
        await accountsOf(storage).proveEmail(userId, { emailIdentity: proves, at: now() }),
  });
  if (outcome === "absent" || outcome === "redeemed") throw new UserUnavailableError();
}

/** The account as it is stored. */
export function accountRecord(
  { provider, providerAccountId, type, user: { email = null } }: NamedIdentity,
  tokens: AccountTokens,
  { userId, at }: { userId: string; at: number },
): AccountRecord {
  const key = { provider, providerAccountId, userId, type };
  return { ...key, ...tokens, createdAt: at, updatedAt: at, email };
}

async function attempt(
  context: EndpointContext,
  signIn: IdentitySignIn,
  { again = false }: { again?: boolean } = {},
): Promise<Response> {
  const { identity, tokens, account, redeem: _redeem, ...rest } = signIn;
  const { provider, providerAccountId, type } = identity;
  const { auth, report } = context.store;
  const { storage, strategy, now } = auth.settings;
  const at = now();
  const choice = await chooseOwner(storage, identity, { at, revocable: strategy.revocable });
  const { user, owner, holds, links } = choice;
  const { id: userId } = owner.user;
  if (!again && !holds.existing && isKeptUnproved(owner.user)) reportKept(context, identity);
  const response = await completeSignIn(context, {
    ...rest,
    user,
    owner,
    account: { ...account, provider, providerAccountId, type },
    save: {
      ...holds,
      ...tokens !== null && { account: accountRecord(identity, tokens, { userId, at }) },
    },
    prepare: () => storeProof(context, choice, signIn),
  });
  if (!links || tokens === null) return response;
  // Without a session the application has sent the visitor elsewhere, and nothing is stored.
  const state = await auth.load();
  if (state.status === "valid" && state.session.user.id === userId) {
    report({ type: "account-linked", userId, provider });
  }
  return response;
}

/**
 * Signs in whoever an identity belongs to, see {@linkcode chooseOwner}: after the application's verdict,
 * with the account and the session in one transaction.
 *
 * @throws {AccessDeniedError} When the `signIn` callback refuses.
 * @throws {AccountNotLinkedError} When nothing proves that the identity is that of the user with its address.
 * @throws {UserUnavailableError} When the user is disabled.
 */
export async function signInWithIdentity(
  context: EndpointContext,
  signIn: IdentitySignIn,
): Promise<Response> {
  try {
    return await attempt(context, signIn);
  } catch (error) {
    const overtaken = error instanceof AccountTakenError || error instanceof UserExistsError;
    if (!overtaken) throw error;
  }
  // Another first sign-in of the same person was faster, and now there is somebody to sign in.
  try {
    // The mail has been taken: only the session could not be stored.
    const { redeem: _taken, ...rest } = signIn;
    return await attempt(context, rest, { again: true });
  } catch (error) {
    // The mailbox of a disabled user looks free.
    if (error instanceof UserExistsError) throw new UserUnavailableError();
    throw error;
  }
}
