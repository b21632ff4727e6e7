import type { Account, Profile, SignInParams } from "../callbacks/callbacks.ts";
import { AccountTakenError } from "../errors/account_errors.ts";
import { UserExistsError, UserUnavailableError } from "../errors/storage_errors.ts";
import type { EndpointContext } from "../http/endpoint.ts";
import { completeSignIn } from "../sign_in/complete_sign_in.ts";
import type { AccountRecord, AccountTokens } from "../storage/account_storage.ts";
import { accountsOf } from "../storage/accounts_of.ts";
import { chooseOwner, type NamedIdentity } from "./choose_owner.ts";
import { isKeptUnproved, reportKept } from "./kept_address.ts";

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
  /** Where the visitor asked to go. */
  callbackUrl: unknown;
}

/** Stores the first proof of a mailbox, and ends what was left there before it. */
async function proveMailbox(
  { store: { auth, report } }: EndpointContext,
  userId: string,
  { emailIdentity, provider }: { emailIdentity: string; provider: string },
): Promise<void> {
  const { settings: { storage, strategy, now } } = auth;
  const state = await auth.load();
  // Whoever is signed in here and shows that the mailbox is theirs keeps what is theirs.
  const keepOwn = state.status === "valid" && state.session.user.id === userId;
  // Sessions that are no rows end before, so that whoever finds the proof finds them ended; and those that
  // have begun meanwhile end after.
  const endTokens = async () => {
    if (!keepOwn && strategy.name === "jwt") await strategy.endAll(userId);
  };
  await endTokens();
  const outcome = await accountsOf(storage)
    .proveEmail(userId, { emailIdentity, at: now(), keepOwn });
  if (outcome === "absent") throw new UserUnavailableError();
  if (outcome === "already") return;
  await endTokens();
  report({ type: "email-verified", userId, provider });
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

async function attempt(context: EndpointContext, signIn: IdentitySignIn): Promise<Response> {
  const { identity, tokens, account, ...rest } = signIn;
  const { provider, providerAccountId, type } = identity;
  const { auth, report } = context.store;
  const { storage, strategy, now } = auth.settings;
  const at = now();
  const { user, owner, proves, holds, links } = await chooseOwner(storage, identity, {
    at,
    revocable: strategy.revocable,
  });
  const { id: userId } = owner.user;
  const response = await completeSignIn(context, {
    ...rest,
    user,
    owner,
    account: { ...account, provider, providerAccountId, type },
    save: {
      ...holds,
      ...tokens !== null && { account: accountRecord(identity, tokens, { userId, at }) },
    },
    ...(proves !== null &&
      { prepare: () => proveMailbox(context, userId, { emailIdentity: proves, provider }) }),
  });
  const isLinked = links && tokens !== null;
  const isKept = !holds.existing && isKeptUnproved(owner.user);
  if (!isLinked && !isKept) return response;
  // Without a session the application has sent the visitor elsewhere, and nothing is stored.
  const state = await auth.load();
  if (state.status !== "valid" || state.session.user.id !== userId) return response;
  if (isLinked) report({ type: "account-linked", userId, provider });
  else reportKept(context, identity);
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
    return await attempt(context, signIn);
  } catch (error) {
    // The mailbox of a disabled user looks free.
    if (error instanceof UserExistsError) throw new UserUnavailableError();
    throw error;
  }
}
