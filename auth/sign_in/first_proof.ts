/**
 * The first proof of a mailbox, and what it ends.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
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
  { auth: { settings: { strategy, tenancy } }, report }: RequestStore,
  { userId, provider, keepOwn, first, write }: MailboxProof<Outcome>,
): Promise<Outcome> {
  // Sessions that are no rows end before, so that whoever finds the proof finds them ended; and those that
  // have begun meanwhile end after.
  const endTokens = async () => {
    if (!keepOwn && strategy.name === "jwt") await strategy.endAll(userId);
  };
  if (first) await endTokens();
  const outcome = await write();
  if (outcome === "proved") {
    await endTokens();
    // Where members are kept elsewhere than users.
    if (!keepOwn) await tenancy?.removeEverywhere(userId);
    report({ type: "email-verified", userId, ...(provider !== undefined && { provider }) });
  }
  return outcome;
}

/**
 * Decides if what is on an account survives the first proof of its address. It does only for the
 * very session in which the owner requested the confirmation, and only when nobody can have planted
 * that session: the session of the browser in which an e-mail is opened may belong to an attacker
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
