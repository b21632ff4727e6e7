import type { Account } from "../callbacks/callbacks.ts";
import { AccountNotLinkedError } from "../errors/account_errors.ts";
import { UserUnavailableError } from "../errors/storage_errors.ts";
import { accountsOf } from "../storage/accounts_of.ts";
import type { SaveUserOptions, Storage, UserRecord } from "../storage/storage.ts";
import { type EmailAddress, parseEmailAddress } from "../users/email_address.ts";
import type { User } from "../users/user.ts";
import { createSignInRecord } from "../users/user_record.ts";

/** Somebody whom a provider names, or who has shown that an e-mail reached them. */
export interface NamedIdentity extends Pick<Account, "provider" | "providerAccountId" | "type"> {
  /** What is known of the person. A new user is stored like this, of a known one name and image are. */
  user: Omit<User, "id" | "emailVerified">;
  /** Whether the provider says, with nothing less than `true`, that the address is the person's. */
  emailVerified: boolean;
  /** Whether the provider's word on addresses is taken. */
  trustEmail: boolean;
}

/** Who signs in. */
export interface Choice {
  /** The user as the application is asked about them. */
  user: User;
  /** What is stored. */
  owner: UserRecord;
  /** The mailbox that this user has never proved and now has, to be proved before anything is stored; else null. */
  proves: string | null;
  /** What must still hold when it is stored. */
  holds: Pick<SaveUserOptions, "existing" | "unproved">;
  /** Whether a known user gets a way in that they did not have. */
  links: boolean;
}

/** What the choice depends on. */
export interface ChoiceOptions {
  /** Now, in milliseconds since 1970. */
  at: number;
  /** Whether sessions can be ended before their time. */
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
  const email = proved?.address ?? parseEmailAddress(user.email ?? "")?.address;
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
  const accounts = accountsOf(storage);
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
    return { ...chooseKnown(holder, identity, { ...proof, holder }), links: true };
  }
  if (holder.emailVerified) throw new AccountNotLinkedError();
  return chooseNew(identity, proof);
}
