import { HeadersSentError } from "../errors/state_errors.ts";
import { administrationOf } from "../storage/administration_of.ts";
import type { RoleChanges } from "../storage/administration_storage.ts";
import { createUserRecord } from "../users/user_record.ts";
import type { User } from "../users/user.ts";
import { currentRequest } from "./request_store.ts";
import { forgetOwn, isOf } from "./session_operations.ts";
import type { RequestAuth, RequestStore } from "../http/contracts.ts";

/** What of a user can be changed. What is `undefined` or left out stays. */
export type UserChanges = Pick<User, "email" | "emailVerified" | "name" | "image">;

/**
 * Shuts a user out by `change`, and ends what of theirs the storage does not end, as far as it can be.
 *
 * @returns What `change` says: whether there was such a user.
 */
async function shutOut(
  { store, userId }: { store: RequestStore; userId: string },
  change: () => Promise<boolean>,
): Promise<boolean> {
  const { auth, report } = store;
  const { strategy } = auth.settings;
  // Before the change: afterwards nobody could tell that the session of this request was theirs.
  const own = isOf(await auth.load(), userId);
  const changed = await change();
  // Also for a user who is gone: an attempt before this one may have got no further than that.
  if (strategy.revocable) await strategy.endAll(userId);
  if (!changed) return false;
  report({ type: "session-revoked", userId });
  if (own) await forgetOwn(auth);
  return true;
}

/**
 * Shuts a user out: no sign-in, and every session ends. With the session strategy 'jwt' and no revocation
 * store, tokens are good until they expire or are renewed.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @returns False when there is no such user.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, disableUser } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/", { method: "POST" }), {}, undefined, async () => {
 *   await createUser({ id: "ada", name: "Ada" });
 *   equal(await disableUser("ada"), true);
 *   equal(await disableUser("nobody"), false);
 *   return new Response();
 * });
 * ```
 */
export async function disableUser(userId: string): Promise<boolean> {
  const store = currentRequest("disableUser");
  const { storage, now } = store.auth.settings;
  return await shutOut(
    { store, userId },
    () => administrationOf(storage).disableUser(userId, now()),
  );
}

/**
 * Lets a user in again who was shut out. Sessions of before do not come back.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @returns False when there is no such user.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, enableUser } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/", { method: "POST" }), {}, undefined, async () => {
 *   await createUser({ id: "ada", name: "Ada" });
 *   equal(await enableUser("ada"), true);
 *   return new Response();
 * });
 * ```
 */
export async function enableUser(userId: string): Promise<boolean> {
  const { storage, now } = currentRequest("enableUser").auth.settings;
  return await administrationOf(storage).enableUser(userId, now());
}

/**
 * Removes a user with their sessions, accounts and passkeys. Rows of the application that refer to the
 * user go too where they say `ON DELETE CASCADE`; else they keep the user from being removed.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @returns False when there was no such user.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, deleteUser } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/", { method: "POST" }), {}, undefined, async () => {
 *   await createUser({ id: "ada", name: "Ada" });
 *   equal(await deleteUser("ada"), true);
 *   equal(await deleteUser("ada"), false);
 *   return new Response();
 * });
 * ```
 */
export async function deleteUser(userId: string): Promise<boolean> {
  const store = currentRequest("deleteUser");
  const { storage } = store.auth.settings;
  return await shutOut({ store, userId }, () => administrationOf(storage).deleteUser(userId));
}

/**
 * Changes the roles of a user. Nothing else does: no sign-in and no provider. With sessions in a database that
 * counts from the user's next request. With the session strategy 'jwt' a token keeps the roles of before until it
 * is renewed, `session.updateAge` (24 hours) at the latest: `endSessions(userId)` makes it count at once where there
 * is a revocation store. The own session of this request is renewed at once, with both strategies.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @param roles `role` and `roles`; `null` and `[]` take them away, what is left out stays.
 * @returns The user as stored; null when there is none.
 * @throws {ConfigurationError} When a role is no text.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, setUserRoles } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const response = await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
 *   const { id } = await createUser({ name: "Ada" });
 *   return Response.json(await setUserRoles(id, { role: "admin" }));
 * });
 * equal((await response.json()).role, "admin");
 * ```
 */
export async function setUserRoles<AppUser extends User = User>(
  userId: string,
  roles: RoleChanges,
): Promise<AppUser | null> {
  const { auth } = currentRequest("setUserRoles");
  const { storage, now } = auth.settings;
  const at = now();
  const { role, roles: list } = roles;
  const given: Partial<User> = { id: userId };
  if (role !== undefined && role !== null) given.role = role;
  if (list !== undefined) given.roles = list;
  const { user } = createUserRecord(given, at, "setUserRoles()");
  const changes: RoleChanges = {};
  if (role !== undefined) changes.role = user.role ?? null;
  if (user.roles !== undefined) changes.roles = user.roles;
  const stored = await administrationOf(storage).setUserRoles(userId, { roles: changes, at });
  if (isOf(await auth.load(), userId)) await renewOwn(auth);
  return stored as AppUser | null;
}

/** Reads the own user anew; a token that holds it is made anew. */
async function renewOwn(auth: RequestAuth): Promise<void> {
  try {
    await auth.update();
  } catch (error) {
    // After the headers the token stays until the next renewal, as that of everybody else does.
    if (!(error instanceof HeadersSentError)) throw error;
  }
}

/**
 * Changes e-mail, its proof, name or image of a user; `null` takes one away. Other fields of what is given
 * have no effect, so a role cannot be slipped in. A new address is not proved unless `emailVerified` says
 * so, and one-time tokens that were sent to the old one end. An address that a provider said, and that was kept
 * unproved, is proved only together with `email`: until then it is nobody's. `emailVerified` is your word and
 * ends nothing: who has just opened a mail proves the address by {@linkcode redeemOneTimeToken} of a token with
 * `sentTo`.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @param changes What is new; what is left out or `undefined` stays.
 * @returns The user as stored; null when there is none.
 * @throws {UserExistsError} When the address is another user's.
 * @throws {InvalidEmailError} When the address cannot be one.
 * @throws {InvalidProfileError} When the name has more than 256 characters or a control character, or the image is no
 * `https://` address of at most 2,048.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, updateUser } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const response = await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
 *   const { id } = await createUser({ name: "Ada" });
 *   return Response.json(await updateUser(id, { name: "Countess" }));
 * });
 * equal((await response.json()).name, "Countess");
 * ```
 */
export async function updateUser<AppUser extends User = User>(
  userId: string,
  changes: UserChanges,
): Promise<AppUser | null> {
  const { storage, now } = currentRequest("updateUser").auth.settings;
  const { email, emailVerified, name, image } = changes;
  const given = { id: userId, email, emailVerified, name, image };
  const record = createUserRecord(given, now(), "updateUser()");
  return await administrationOf(storage).updateUser(record) as AppUser | null;
}
