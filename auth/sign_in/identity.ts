/**
 * Sign-in and linking by an identity at a provider.
 *
 * @module
 */

import type { EndpointContext, Settings } from "../core/contracts.ts";
import { reportChange } from "../core/report.ts";
import {
  AccountNotLinkedError,
  AccountTakenError,
  type SafeRedirect,
  UserExistsError,
  UserUnavailableError,
} from "../errors.ts";
import { type EmailAddress, parseEmailAddress } from "../lib/email_address.ts";
import { accountGroup, linkedAccountGroup, type OpenWays } from "../storage/accounts.ts";
import type {
  AccountRecord,
  AccountTokens,
  SaveUserOptions,
  UserRecord,
} from "../storage/records.ts";
import type { RedeemOutcome } from "../storage/sent_secrets.ts";
import { groupOf, type Storage } from "../storage/storage.ts";
import { createSignInRecord } from "../storage/user_record.ts";
import type { Account, Profile, SignInParams } from "../types/callbacks.ts";
import type { User } from "../types/user.ts";
import { mayKeep, proveMailbox } from "./first_proof.ts";
import { askSignIn, completeSignIn } from "./sign_in.ts";

/** A sign-in with an identity, whose proof has been checked. */
interface IdentitySignIn {
  /** Identity that the provider vouches for. */
  identity: NamedIdentity;
  /** The tokens of the account, sealed, which is linked; null for an identity that is no account, as a mailbox. */
  tokens: AccountTokens | null;
  /** Further fields of `account`, for the application's callbacks. */
  account?: Omit<Account, "provider" | "providerAccountId" | "type">;
  /** Profile from the provider. */
  profile?: Profile;
  /** For a sign-in by email. */
  email?: NonNullable<SignInParams["email"]>;
  /**
   * Asked about each user who would sign in, before anything else: the address of that user, as it is stored. Default: not
   * asked.
   *
   * @throws {EmailProofError} When the mail proves nothing of that address.
   */
  check?: (email: string | null | undefined) => void;
  /**
   * Takes the mail that is the proof, and stores what it proves, in one step. Default: nothing is to be taken.
   *
   * @throws {EmailProofError} When the mail does not hold any more.
   */
  redeem?: ((proof: RedeemedProof) => Promise<RedeemOutcome>) | undefined;
  /** Destination that the visitor requested. */
  callbackUrl: unknown;
}

/** Proof of an address by a redeemed email. */
export interface RedeemedProof {
  /** Id of the user who signs in; null for a new user. */
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
        await groupOf(storage, accountGroup).proveEmail(userId, {
          emailIdentity: proves,
          at: now(),
        }),
  });
  if (outcome === "absent" || outcome === "redeemed") throw new UserUnavailableError();
}

/** The account as it is stored. */
function accountRecord(
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
  steps: { stored?: boolean },
): Promise<Response> {
  const { identity, tokens, account, redeem: _redeem, check, ...rest } = signIn;
  const { provider, providerAccountId, type } = identity;
  const { auth } = context.store;
  const { storage, strategy, now } = auth.settings;
  const at = now();
  const choice = await chooseOwner(storage, identity, { at, revocable: strategy.revocable });
  const { user, owner, holds, links, mailbox } = choice;
  check?.(user.email);
  const { id: userId } = owner.user;
  if (!steps.stored && !holds.existing && isKeptUnproved(owner.user)) reportKept(context, identity);
  const begin = () =>
    completeSignIn(context, {
      ...rest,
      user,
      owner,
      account: { ...account, provider, providerAccountId, type },
      save: {
        ...holds,
        mailbox,
        ...tokens !== null && {
          account: accountRecord(identity, tokens, { userId, at }),
          // A first proof takes the account with all else that was there, and gives it back.
          linked: holds.existing && !links && choice.proves === null,
        },
      },
      async prepare() {
        await storeProof(context, choice, signIn);
        steps.stored = true;
      },
    });
  if (!links || tokens === null) return await begin();
  const { response } = await reportChange(context.store, {
    events: [{ type: "account-linked", userId, provider }],
    since: at,
    happened: ({ isLinked }) => isLinked,
  }, async () => {
    const response = await begin();
    // Without a session of now the visitor has been sent elsewhere, and nothing is stored.
    const state = await auth.load();
    const isOwn = state.status === "valid" && state.session.user.id === userId;
    return { response, isLinked: isOwn && state.startedAt >= at };
  });
  return response;
}

/**
 * Signs in the owner of an identity, see {@linkcode chooseOwner}: after the application's verdict,
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
  const steps: { stored?: boolean } = {};
  try {
    return await attempt(context, signIn, steps);
  } catch (error) {
    const overtaken = error instanceof AccountTakenError || error instanceof UserExistsError;
    // What the application's callback throws is the answer.
    if (!overtaken || !steps.stored) throw error;
  }
  // Another first sign-in of the same person was faster, and now there is somebody to sign in; or an account has been
  // unlinked, and is nobody's.
  try {
    // The mail has been taken: only the session could not be stored.
    return await attempt(context, { ...signIn, redeem: undefined }, steps);
  } catch (error) {
    // The mailbox of a disabled user looks free.
    if (error instanceof UserExistsError) throw new UserUnavailableError();
    throw error;
  }
}

/** Identity from a provider, or from an email that reached its recipient. */
export interface NamedIdentity extends Pick<Account, "provider" | "providerAccountId" | "type"> {
  /**
   * Attributes of the person. A new user is stored with all of them, a known user with name and
   * image.
   */
  user: Omit<User, "id" | "emailVerified">;
  /** Verification claim of the provider; only a literal `true` counts. */
  emailVerified: boolean;
  /** Trust in the provider's verified addresses. */
  trustEmail: boolean;
}

/** Decision about the user who signs in. */
interface Choice {
  /** The user as the application is asked about them. */
  user: User;
  /** User record to store. */
  owner: UserRecord;
  /** The mailbox that this user has never proved and now has, to be proved before anything is stored; else null. */
  proves: string | null;
  /** Conditions that must still hold when the record is stored. */
  holds: Pick<SaveUserOptions, "existing" | "unproved">;
  /** True when a known user gains an account that they did not have. */
  links: boolean;
  /** The mailbox by which the user was found, which must still be theirs. Default: none. */
  mailbox?: string;
}

/** Conditions of the choice. */
export interface ChoiceOptions {
  /** Now, in milliseconds since 1970. */
  at: number;
  /** True when sessions can be revoked before they expire. */
  revocable: boolean;
}

interface Proof extends ChoiceOptions {
  /** The mailbox that somebody who is trusted says is the person's; null for none. */
  proved: EmailAddress | null;
}

function choose(user: User, { user: { name, image } }: NamedIdentity, at: number): Choice {
  const owner = createSignInRecord({ id: user.id, name, image }, at, "profile()");
  const holds = { existing: true, unproved: !user.emailVerified };
  return { user: { ...user, ...owner.user }, owner, proves: null, holds, links: false };
}

/** A known user; one who has never proved the mailbox does so now. `holder` is the one whose mailbox it is. */
function chooseKnown(
  user: User,
  identity: NamedIdentity,
  { proved, at, revocable, holder }: Proof & { holder: User | null },
): Choice {
  const choice = choose(user, identity, at);
  if (proved === null || user.emailVerified || !user.email) return choice;
  if (parseEmailAddress(user.email)?.identity !== proved.identity) return choice;
  const emailVerified = new Date(at);
  // The application is asked about the user as the sign-in leaves them.
  const asked = { ...choice.user, emailVerified };
  if (holder === null) {
    // Their address was kept unproved and is nobody's. Nobody else ever had a reason to come to this user.
    const given = { ...choice.owner.user, email: proved.address, emailVerified };
    const owner = createSignInRecord(given, at, "profile()");
    return { ...choice, user: asked, owner, holds: { existing: true } };
  }
  // Another one proved it meanwhile, or claims it: this user's stays unproved.
  if (holder.id !== user.id) return choice;
  // Whoever made that user may hold tokens that nothing ends.
  if (!revocable) throw new AccountNotLinkedError();
  return { ...choice, user: asked, proves: proved.identity, holds: { existing: true } };
}

function chooseNew({ user }: NamedIdentity, { proved, at }: Proof): Choice {
  const said = proved ?? parseEmailAddress(user.email ?? "");
  // Databases know lower case in ASCII alone: such an address is found again, to be proved, by what identifies it.
  const email = said?.[proved || !/[^ -~]/.test(said.address) ? "address" : "identity"];
  const emailVerified = proved === null ? null : new Date(at);
  const given = { ...user, email, emailVerified, id: crypto.randomUUID() };
  const owner = createSignInRecord(given, at, "profile()");
  // As the identity of somebody, an address that nobody vouches for would keep the mailbox from its owner.
  if (proved === null) owner.emailIdentity = null;
  return { user: owner.user, owner, proves: null, holds: {}, links: false };
}

/**
 * Decides whose an identity is. Nothing is stored. In this order:
 *
 * 1. The account is linked: its user, whatever the addresses are.
 * 2. The address is proved, by a provider that is trusted with addresses and says so: the user who has
 *    proved the same one; a user who has it and never proved it, who loses whatever was left there before;
 *    or a new user with that address.
 * 3. A provider that is not trusted says that the address is proved, and a user has proved the same one:
 *    nobody. That user signs in the way they did before and links the account.
 * 4. Otherwise a new user, whose address is kept as it was said: unproved, and without the identity by which
 *    users are found, so that it keeps the mailbox from nobody.
 *
 * @throws {AccountNotLinkedError} In case 3; and where the sessions of a user who never proved the address
 * could not be ended.
 * @throws {UserUnavailableError} When the user is disabled.
 */
export async function chooseOwner(
  storage: Storage,
  identity: NamedIdentity,
  options: ChoiceOptions,
): Promise<Choice> {
  const { provider, providerAccountId, user: { email }, emailVerified, trustEmail } = identity;
  const accounts = groupOf(storage, accountGroup);
  const said = emailVerified === true && email ? parseEmailAddress(email) : null;
  const proved = trustEmail ? said : null;
  const proof = { ...options, proved };
  const account = await accounts.findAccount(provider, providerAccountId);
  if (account !== null) {
    const user = await storage.getActiveUser(account.userId);
    if (user === null) throw new UserUnavailableError();
    // A proof between the two has taken the account of whoever was there before.
    const isLeft = user.emailVerified &&
      await accounts.findAccount(provider, providerAccountId) === null;
    if (isLeft) throw new UserUnavailableError();
    const proves = proved !== null && !user.emailVerified && user.email;
    const holder = proves ? await accounts.getUserByEmail(proved.identity) : null;
    return chooseKnown(user, identity, { ...proof, holder });
  }
  const holder = said === null ? null : await accounts.getUserByEmail(said.identity);
  if (holder === null) return chooseNew(identity, proof);
  if (proved !== null) {
    const choice = chooseKnown(holder, identity, { ...proof, holder });
    return { ...choice, links: true, mailbox: proved.identity };
  }
  if (holder.emailVerified) throw new AccountNotLinkedError();
  return chooseNew(identity, proof);
}

/** An account to be linked, whose proof has been checked. */
export interface IdentityLink extends Pick<IdentitySignIn, "identity" | "account"> {
  /** The tokens of the account, sealed. */
  tokens: AccountTokens;
  /** Profile from the provider. */
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
  const { auth, auth: { settings } } = context.store;
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
  const isRow = settings.strategy.name === "database";
  const accounts = groupOf(storage, linkedAccountGroup);
  const outcome = await reportChange(context.store, {
    events: [{ type: "account-linked", userId, provider }],
    since: at,
    happened: (result) => result === "linked",
  }, async () => {
    const result = await accounts.linkAccount(accountRecord(identity, tokens, { userId, at }), {
      unproved: !user.emailVerified,
      ...isRow && { sessionId: askedIn },
    });
    // A session that is no row cannot be a condition of the link.
    if (!isRow && result === "linked" && await stillThere?.() === false) {
      await accounts.unlinkAccount(userId, provider, providerAccountId, { keep: null });
      throw new UserUnavailableError();
    }
    return result;
  });
  if (outcome === "taken") throw new AccountTakenError();
  if (outcome === "absent") throw new UserUnavailableError();
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
    write: () =>
      groupOf(storage, accountGroup).proveEmail(userId, { emailIdentity, at, keepOwn: true }),
  });
  return null;
}

/** Tests for a provider's address that is stored unverified. */
export function isKeptUnproved({ email, emailVerified }: User): boolean {
  return Boolean(email) && !emailVerified;
}

/**
 * Logs that the address of a first sign-in is kept unproved, and by which word that is decided: before the callbacks
 * are asked, since one that asks `verifiedEmail()` sees none, may refuse for it, and nothing else would say why.
 */
export function reportKept(
  { store }: EndpointContext,
  { provider, trustEmail, emailVerified }: Omit<
    NamedIdentity,
    "user" | "providerAccountId" | "type"
  >,
): void {
  const requestId = store.requestId();
  store.auth.settings.logger.warn("email-kept-unproved", {
    requestId,
    provider,
    trustEmail,
    emailVerified,
  });
}

/**
 * The ways to sign in that the configuration opens. An account of a provider that is configured no longer opens
 * nothing, nor does an address that is proved where nothing is sent to it.
 */
export function openWays({ providers }: Settings): OpenWays {
  const methods = [...providers.values()];
  const opens = (way: "passkeys" | "passwords") => methods.some((method) => method.opens?.[way]);
  return {
    accounts: methods.filter(({ type }) => type === "oauth" || type === "oidc").map(({ id }) => id),
    passkeys: opens("passkeys"),
    // Of credentials() nobody here knows who has a password: where the address is proved, a new one can be sent to it.
    mailbox: methods.some(({ type }) => type === "email" || type === "credentials"),
    passwords: opens("passwords"),
  };
}
