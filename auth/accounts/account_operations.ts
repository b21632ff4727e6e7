import type { Account } from "../callbacks/callbacks.ts";
import { LastWayInError } from "../errors/account_errors.ts";
import { requireUser } from "../rbac/require.ts";
import { currentRequest } from "../request/request_store.ts";
import { linkedAccountsOf } from "../storage/linked_accounts_of.ts";
import { hasMailWay } from "./ways_in.ts";
import type { RequestStore } from "../http/contracts.ts";

/** One account of a user at a provider, for a list. No token of it is told. */
export interface UserAccount {
  /** Id of the provider, for `unlinkAccount()`. */
  provider: string;
  /** Who the user is there, for `unlinkAccount()`. */
  providerAccountId: string;
  /** By what kind of proof the user signs in with it. */
  type: Account["type"];
  /** The address as the provider said it last, for telling accounts apart: it proves nothing. Null for none. */
  email: string | null;
  /** What the application may do there, as the provider says it; null when it does not. */
  scope: string | null;
  /** When it was linked to the user. */
  createdAt: Date;
}

/**
 * The accounts at providers of the user who is signed in, the one linked first first.
 *
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, listAccounts, startSession } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/signup", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   const { id } = await createUser({ name: "Ada" });
 *   await startSession(id);
 *   return Response.json(await listAccounts());
 * });
 * deepEqual(await response.json(), []);
 * ```
 */
export async function listAccounts(): Promise<UserAccount[]> {
  return await listOwnAccounts(currentRequest("listAccounts"));
}

/** As {@linkcode listAccounts}, for an endpoint. */
export async function listOwnAccounts(store: RequestStore): Promise<UserAccount[]> {
  const { auth } = store;
  const { id } = requireUser(await auth.load(), { throwError: true }, store);
  const accounts = await linkedAccountsOf(auth.settings.storage).listAccounts(id);
  return accounts.map(({ provider, providerAccountId, type, email, scope, createdAt }) => ({
    provider,
    providerAccountId,
    type,
    email,
    scope,
    createdAt: new Date(createdAt),
  }));
}

/**
 * Unlinks an account at a provider from the user who is signed in. The last way in stays: another account,
 * a passkey, or a proved address where the application has a way to sign in by e-mail or by credentials.
 * Ask {@linkcode requireRecentAuth} before.
 *
 * @param provider Id of the provider.
 * @param providerAccountId Who the user is there, see {@linkcode listAccounts}.
 * @returns False when the user has no such account.
 * @throws {LastWayInError} When the user could not sign in any more.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import {
 *   createAuth,
 *   createMemoryStorage,
 *   createUser,
 *   requireRecentAuth,
 *   startSession,
 *   unlinkAccount,
 * } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/accounts", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   await startSession((await createUser({ name: "Ada" })).id);
 *   requireRecentAuth();
 *   return Response.json({ unlinked: await unlinkAccount("github", "583231") });
 * });
 * deepEqual(await response.json(), { unlinked: false }); // she has no such account
 * ```
 */
export async function unlinkAccount(provider: string, providerAccountId: string): Promise<boolean> {
  const store = currentRequest("unlinkAccount");
  return await unlinkOwnAccount(store, { provider, providerAccountId });
}

/** As {@linkcode unlinkAccount}, for an endpoint. */
export async function unlinkOwnAccount(
  store: RequestStore,
  { provider, providerAccountId }: { provider: string; providerAccountId: string },
): Promise<boolean> {
  const { auth, report } = store;
  const { settings } = auth;
  const { id: userId } = requireUser(await auth.load(), { throwError: true }, store);
  // As stored: a token, or the application's own shape of a session, may say what no longer holds.
  const user = await settings.storage.getActiveUser(userId);
  const lastWayIn = user === null || !hasMailWay(user, settings);
  const outcome = await linkedAccountsOf(settings.storage)
    .unlinkAccount(userId, provider, providerAccountId, { lastWayIn });
  if (outcome === "last") throw new LastWayInError();
  if (outcome === "unlinked") report({ type: "account-unlinked", userId, provider });
  return outcome === "unlinked";
}
