/**
 * The first proof of a mailbox, and what it ends.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import { reportChange } from "../core/report.ts";
import { accountGroup, linkedAccountGroup } from "../storage/accounts.ts";
import { passkeyGroup } from "../storage/passkeys.ts";
import { groupOf } from "../storage/storage.ts";
import type { SessionState } from "../types/session.ts";

/** A proof of a user's mailbox, which has been checked and is to be stored. */
export interface MailboxProof<Outcome> {
  /** Id of the mailbox's user. */
  userId: string;
  /** Id of the provider, for the event; left out where none took part. */
  provider?: string;
  /** Preserves what is on the account, see `mayKeep()`. */
  keepOwn: boolean;
  /** False when the user was read as one who has proved it: then there is nothing to end. */
  first: boolean;
  /** Stores it; "proved" is the first one. */
  write(): Promise<Outcome>;
}

/**
 * The one operation by which a mailbox is proved, whatever the proof: a link, a code, an application's
 * one-time token, the word of a trusted provider. The first proof ends what was there before it, since whoever
 * proves the mailbox may not be who put it there (account pre-hijacking, USENIX Security 2022).
 *
 * @returns What `write()` says.
 */
export async function proveMailbox<Outcome extends string>(
  store: RequestStore,
  { userId, provider, keepOwn, first, write }: MailboxProof<Outcome>,
): Promise<Outcome> {
  const { strategy, tenancy } = store.auth.settings;
  // Sessions that are no rows end before, so that whoever finds the proof finds them ended; and those that
  // have begun meanwhile end after.
  const endTokens = async () => {
    if (!keepOwn && strategy.name === "jwt") await strategy.endAll(userId);
  };
  if (first) await endTokens();
  const outcome = await reportChange(store, {
    events: [{ type: "email-verified", userId, ...(provider !== undefined && { provider }) }],
    happened: (result) => result === "proved",
  }, write);
  if (outcome === "proved") {
    await endTokens();
    // Where members are kept elsewhere than users.
    if (!keepOwn) await tenancy?.removeEverywhere(userId);
  }
  return outcome;
}

/**
 * Decides if what is on an account survives the first proof of its address. It does only for the
 * very session in which the owner requested the confirmation, and only when nobody can have planted
 * that session: the session of the browser in which an email is opened may belong to an attacker
 * who created the account.
 *
 * @param state The session of this request.
 * @param asked Whose address it is, and the public name of the session in which it was asked to be confirmed; null
 * for every other mail, such as one that the sign-in form sent.
 */
export function mayKeep(
  state: SessionState,
  { userId, askedIn }: { userId: string; askedIn: string | null },
): boolean {
  return state.status === "valid" && state.hostOnly && state.session.user.id === userId &&
    state.id === askedIn;
}

/**
 * Credentials and sessions on an account with an unverified address by which its creator could come
 * back.
 */
export interface LeftBehind {
  /** True when there may be a password: those are in the application's own table. */
  password: boolean;
  /** Number of passkeys. */
  passkeys: number;
  /** Names of the providers at which accounts are linked to it, each once. */
  accounts: string[];
}

/** Reads what ends with the first proof of a user's address, of the ways to sign in that there are. */
export async function readLeftBehind(
  { auth: { settings } }: Pick<RequestStore, "auth">,
  userId: string,
): Promise<LeftBehind> {
  const { storage, providers } = settings;
  const methods = [...providers.values()];
  const passkeys = methods.some(({ type }) => type === "webauthn")
    ? await groupOf(storage, passkeyGroup).listPasskeys(userId)
    : [];
  const accounts = methods.some((method) => "oauth" in method)
    ? await groupOf(storage, linkedAccountGroup).listAccounts(userId)
    : [];
  const names = accounts.map(({ provider }) => providers.get(provider)?.name ?? provider);
  return {
    password: methods.some(({ type }) => type === "credentials"),
    passkeys: passkeys.length,
    accounts: [...new Set(names)],
  };
}

/** Reads what ends when a mailbox is proved; null when nobody has it, or its user has proved it before. */
export async function readLeftAt(
  store: Pick<RequestStore, "auth">,
  emailIdentity: string,
): Promise<LeftBehind | null> {
  const holder = await groupOf(store.auth.settings.storage, accountGroup).getUserByEmail(
    emailIdentity,
  );
  return holder === null || holder.emailVerified ? null : await readLeftBehind(store, holder.id);
}
