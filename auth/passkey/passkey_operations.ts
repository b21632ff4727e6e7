import { hasMailWay } from "../accounts/ways_in.ts";
import { LastWayInError } from "../errors/account_errors.ts";
import { requireUser } from "../rbac/require.ts";
import { currentRequest } from "../request/request_store.ts";
import { passkeysOf } from "../storage/passkeys_of.ts";
import { describePasskey, type UserPasskey } from "./passkey_list.ts";
import type { RequestStore } from "../http/contracts.ts";

/**
 * The passkeys of the user who is signed in, the oldest first.
 *
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, listPasskeys, startSession } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/signup", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   const { id } = await createUser({ name: "Ada" });
 *   await startSession(id);
 *   return Response.json(await listPasskeys());
 * });
 * deepEqual(await response.json(), []);
 * ```
 */
export async function listPasskeys(): Promise<UserPasskey[]> {
  return await listUserPasskeys(currentRequest("listPasskeys"));
}

/** As {@linkcode listPasskeys}, for an endpoint. */
export async function listUserPasskeys(store: RequestStore): Promise<UserPasskey[]> {
  const { auth } = store;
  const { id } = requireUser(await auth.load(), { throwError: true }, store);
  const passkeys = await passkeysOf(auth.settings.storage).listPasskeys(id);
  return passkeys.map(describePasskey);
}

/**
 * Removes a passkey of the user who is signed in. The last way in stays, as with `unlinkAccount()`. Ask
 * `requireRecentAuth()` before.
 *
 * @param id Which, see {@linkcode listPasskeys}.
 * @returns False when the user has no such passkey.
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
 *   removePasskey,
 *   requireRecentAuth,
 *   startSession,
 * } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/passkeys", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   await startSession((await createUser({ name: "Ada" })).id);
 *   requireRecentAuth();
 *   return Response.json({ removed: await removePasskey("an-id-of-hers") });
 * });
 * deepEqual(await response.json(), { removed: false }); // she has no such passkey
 * ```
 */
export async function removePasskey(id: string): Promise<boolean> {
  return await removeUserPasskey(currentRequest("removePasskey"), id);
}

/** As {@linkcode removePasskey}, for an endpoint. */
export async function removeUserPasskey(
  { auth, request, report }: RequestStore,
  id: string,
): Promise<boolean> {
  const { settings } = auth;
  const { id: userId } = requireUser(await auth.load(), { throwError: true }, { request, auth });
  // As stored: a token, or the application's own shape of a session, may say what no longer holds.
  const stored = await settings.storage.getActiveUser(userId);
  const lastWayIn = stored === null || !hasMailWay(stored, settings);
  const outcome = await passkeysOf(settings.storage).deletePasskey(userId, id, { lastWayIn });
  if (outcome === "last") throw new LastWayInError();
  if (outcome === "absent") return false;
  const provider = [...settings.providers.values()].find(({ type }) => type === "webauthn")?.id;
  const by = provider !== undefined && { provider };
  report({ type: "passkey-removed", userId, passkeyId: id, ...by });
  return true;
}
