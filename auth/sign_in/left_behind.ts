/**
 * Ways into an account that end with the first proof of its mailbox.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import { accountGroup, linkedAccountGroup } from "../storage/accounts.ts";
import { passkeyGroup } from "../storage/passkeys.ts";
import { groupOf } from "../storage/storage.ts";

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
