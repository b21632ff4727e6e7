/**
 * Operations on users: create, update, disable, delete, new password.
 *
 * @module
 */

import type { EndpointModule, RequestAuth, RequestStore } from "../core/contracts.ts";
import { reportChange } from "../core/report.ts";
import { currentRequest, forgetOwn, isOf } from "../core/request.ts";
import { HeadersSentError, UnauthenticatedError } from "../errors.ts";
import { checkKeys, isOptions, wrongOption } from "../lib/options.ts";
import type { PreparedEntry } from "../storage/audit.ts";
import { administrationGroup, type RoleChanges, type UnchangedUser } from "../storage/users.ts";
import type { SqlStatement } from "../storage/sql_database.ts";
import { groupOf, type StorageTransaction } from "../storage/storage.ts";
import { transactionGroup } from "../storage/transactions.ts";
import { createUserRecord } from "../storage/user_record.ts";
import type { User } from "../types/user.ts";
import { holdsStill } from "./require.ts";
import { endAll, endNamed, type EndSessionsOptions } from "./end_everything.ts";

/** Attributes of a user that can be changed. What is `undefined` or left out stays. */
export type UserChanges = Pick<User, "email" | "emailVerified" | "name" | "image">;

/** Entry of the trail that is stored with a change; undefined without a trail. */
async function trailOf(
  store: RequestStore,
  change: { type: string; userId: string },
): Promise<{ entry: PreparedEntry } | undefined> {
  const { modules } = store.auth.settings;
  const module = modules.find((one): one is EndpointModule => "trail" in one);
  return module && { entry: await module.trail!(store, change) };
}

/** Options of changes of users by administrators. */
export interface ChangeUserOptions {
  /**
   * Users who must still have these roles when the change is made, such as who is signed in and was asked for a
   * permission. Of two administrators who shut each other out at once one stays. Default: nobody is asked about.
   */
  unchanged?: readonly UnchangedUser[];
}

/**
 * Shuts a user out by `change`, and ends what of theirs the storage does not end, as far as it can be.
 *
 * @returns What `change` says: whether there was such a user.
 */
async function shutOut(
  { store, userId, type }: {
    store: RequestStore;
    userId: string;
    type: "user-disabled" | "user-deleted";
  },
  change: () => Promise<boolean>,
): Promise<boolean> {
  const { auth } = store;
  const { strategy } = auth.settings;
  // Before the change: afterwards nobody could tell that the session of this request was theirs.
  const own = isOf(await auth.load(), userId);
  const events = [{ type, userId }, { type: "session-revoked", userId }] as const;
  const changed = await reportChange(store, { events }, async () => {
    const isChanged = await change();
    // Also for a user who is gone: an attempt before this one may have got no further than that.
    if (strategy.revocable) await strategy.endAll(userId);
    return isChanged;
  });
  if (!changed) return false;
  if (own) await forgetOwn(auth);
  return true;
}

/**
 * Shuts a user out: no sign-in, and every session ends, and every trusted browser. With the session strategy 'jwt' and no revocation
 * store, tokens are good until they expire or are renewed.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @param options `unchanged`: users who must still have the roles that were read.
 * @returns False when there is no such user.
 * @throws {UserChangedError} When one of them has other ones.
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
export async function disableUser(
  userId: string,
  options: ChangeUserOptions = {},
): Promise<boolean> {
  const store = currentRequest("disableUser");
  const { storage, now } = store.auth.settings;
  const entry = await trailOf(store, { type: "user-disabled", userId });
  return await shutOut(
    { store, userId, type: "user-disabled" },
    () =>
      groupOf(storage, administrationGroup).disableUser(userId, now(), { ...options, ...entry }),
  );
}

/**
 * Lets a user in again who was shut out. Sessions of before do not come back.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @param options `unchanged`: users who must still have the roles that were read.
 * @returns False when there is no such user.
 * @throws {UserChangedError} When one of them has other ones.
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
export async function enableUser(
  userId: string,
  options: ChangeUserOptions = {},
): Promise<boolean> {
  const store = currentRequest("enableUser");
  const { storage, now } = store.auth.settings;
  const entry = await trailOf(store, { type: "user-enabled", userId });
  return await reportChange(
    store,
    { events: [{ type: "user-enabled", userId }] },
    () => groupOf(storage, administrationGroup).enableUser(userId, now(), { ...options, ...entry }),
  );
}

/**
 * Removes a user with their sessions, accounts and passkeys. Rows of the application that refer to the
 * user go too where they say `ON DELETE CASCADE`; else they keep the user from being removed.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @param options `unchanged`: users who must still have the roles that were read.
 * @returns False when there was no such user.
 * @throws {UserChangedError} When one of them has other ones.
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
export async function deleteUser(
  userId: string,
  options: ChangeUserOptions = {},
): Promise<boolean> {
  const store = currentRequest("deleteUser");
  const { storage } = store.auth.settings;
  const entry = await trailOf(store, { type: "user-deleted", userId });
  return await shutOut(
    { store, userId, type: "user-deleted" },
    () => groupOf(storage, administrationGroup).deleteUser(userId, { ...options, ...entry }),
  );
}

/**
 * Changes the roles of a user. Nothing else does: no sign-in and no provider. With sessions in a database that
 * counts from the user's next request. With the session strategy 'jwt' a token keeps the roles of before until it
 * is renewed, `session.updateAge` (24 hours) at the latest: `endSessions(userId)` makes it count at once where there
 * is a revocation store. The own session of this request is renewed at once, with both strategies.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @param roles `role` and `roles`; `null` and `[]` take them away, what is left out stays.
 * @param options `unchanged`: users who must still have the roles that were read.
 * @returns The user as stored; null when there is none.
 * @throws {UserChangedError} When one of them has other ones.
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
  options: ChangeUserOptions = {},
): Promise<AppUser | null> {
  const store = currentRequest("setUserRoles");
  const { auth } = store;
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
  const before = options.unchanged?.find((one) => one.userId === userId)?.roles;
  const change = { type: "roles-changed", userId, ...changes, ...before && { before } };
  const entry = await trailOf(store, change);
  const stored = await reportChange(
    store,
    {
      events: [{ type: "roles-changed", userId, ...changes }],
      since: at,
      happened: (user) => user !== null,
    },
    () =>
      groupOf(storage, administrationGroup)
        .setUserRoles(userId, { roles: changes, at, ...options, ...entry }),
  );
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
 * Changes email, its proof, name or image of a user; `null` takes one away. Other fields of what is given
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
  return await groupOf(storage, administrationGroup).updateUser(record) as AppUser | null;
}

/** A user to be made; without an id it gets a random one. */
export type NewUser = Omit<User, "id"> & { id?: string };

/** Options for `createUser()`. */
export interface CreateUserOptions {
  /**
   * Transaction in which the user is stored first, and rows of the application after it: all or nothing, see
   * {@linkcode transaction}. Give the user an `id` to refer to it. Or the application's own transaction, see
   * `joinTransaction()`. Default: one of its own.
   */
  within?: StorageTransaction;
}

/**
 * Makes a transaction of the application's storage, for `createUser()`. Nothing runs before that.
 *
 * @param statements Statements of the application, of the database that `createAuth()` was given. They run in order.
 * @throws {ConfigurationError} When the storage has no transactions, as the one in memory.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createUser, transaction } from "@framework/auth";
 * import { authSchema } from "@framework/auth/storage";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { equal } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * using file = new DatabaseSync(":memory:"); // in the place of a D1 binding
 * file.exec(`${authSchema.up}; CREATE TABLE passwords (user_id TEXT, hash TEXT)`);
 * const database = sqlite(file);
 * const auth = createAuth({ database });
 * await auth.run(new Request("http://localhost/signup"), {}, undefined, async () => {
 *   const savePassword = database.prepare("INSERT INTO passwords VALUES (?1, ?2)").bind("ada", "…");
 *   await createUser({ id: "ada" }, { within: transaction([savePassword]) }); // both, or neither
 *   return new Response();
 * });
 * equal(file.prepare("SELECT user_id FROM passwords").get()?.user_id, "ada");
 * ```
 */
export function transaction(statements: readonly SqlStatement[]): StorageTransaction {
  const { auth } = currentRequest("transaction");
  return groupOf(auth.settings.storage, transactionGroup).transaction(statements);
}

/**
 * Makes a user, for a sign-up.
 *
 * @param user Who it is. `id` defaults to a random UUID.
 * @param options `within`: a transaction that holds rows of your own too. Default: none.
 * @returns The user with its id.
 * @throws {UserExistsError} When the id or the email address is taken.
 * @throws {InvalidEmailError} When the address cannot be one.
 * @throws {InvalidProfileError} When the name has more than 256 characters or a control character, or the image is no
 * `https://` address of at most 2,048.
 * @throws {ConfigurationError} When an option is unknown. No user is made.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, startSession } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/signup", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   const user = await createUser({ email: "ada@example.com", name: "Ada" });
 *   await startSession(user.id);
 *   return new Response(null, { status: 204 });
 * });
 * equal(response.headers.getSetCookie().length, 1);
 * ```
 */
export async function createUser(user: NewUser, options: CreateUserOptions = {}): Promise<User> {
  const store = currentRequest("createUser");
  const { settings } = store.auth;
  // An option of another name would lose the rows that were to be stored with the user.
  if (!isOptions(options)) throw wrongOption("createUser", options, "{ within: transaction([…]) }");
  checkKeys(options, ["within"], "createUser");
  const identified = { ...user, id: user.id ?? crypto.randomUUID() };
  const record = createUserRecord(identified, settings.now(), "createUser()");
  const event = { type: "sign-up", userId: record.user.id } as const;
  const { within }: CreateUserOptions = options;
  const make = () => settings.storage.createUser(record, options);
  if (within?.afterCommit) {
    await make();
    within.afterCommit(event.userId, () => store.report(event));
  } else {
    const { at: since } = record;
    await reportChange(store, { events: [event], since, happened: () => true }, make);
  }
  return record.user;
}

/**
 * Says that a user has a new password. Call it when the new one is stored. The user's sessions and one-time
 * tokens end, and a sign-in whose check of the old password is still running makes none.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @param options `except: "current"` keeps the session of this request.
 * @throws {ConfigurationError} With the session strategy 'jwt' and no revocation store.
 * @throws {UnauthenticatedError} When it is the password of who is signed in, and that session has ended.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import {
 *   createAuth,
 *   createMemoryStorage,
 *   createUser,
 *   getUser,
 *   passwordChanged,
 *   requireRecentAuth,
 *   startSession,
 * } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * async function changePassword(store: () => Promise<void>): Promise<Response> {
 *   const { id } = requireRecentAuth();
 *   await store();
 *   await passwordChanged(id, { except: "current" });
 *   return new Response(`Changed for ${getUser()?.name}`);
 * }
 *
 * const request = new Request("http://localhost/password", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   const { id } = await createUser({ name: "Ada" });
 *   await startSession(id);
 *   return await changePassword(() => Promise.resolve()); // in the place of the write
 * });
 * equal(await response.text(), "Changed for Ada");
 * ```
 */
export async function passwordChanged(
  userId: string,
  options: EndSessionsOptions = {},
): Promise<void> {
  const store = currentRequest("passwordChanged");
  await reportChange(store, {
    events: [{ type: "password-changed", userId }],
    happened: () => true,
  }, () => endByNewPassword(store, userId, options));
}

/** Ends what a new password ends, see {@linkcode passwordChanged}, and reports nothing. */
export async function endByNewPassword(
  store: RequestStore,
  userId: string,
  options: EndSessionsOptions,
): Promise<void> {
  const { settings } = store.auth;
  // A check that began in this millisecond may have seen the old password; one of the next has not.
  await new Promise((resolve) => setTimeout(resolve, 2));
  if (settings.hasDatabase) {
    const user = await settings.storage.getActiveUser(userId);
    // Hashing takes a while, in which whoever changes it here may have been shut out by the mailbox's owner.
    const state = await store.auth.load();
    const own = isOf(state, userId);
    if (own && !await holdsStill(store, state)) {
      // Or by a thief, who does not stay for that.
      await endAll(store, userId, {});
      throw new UnauthenticatedError();
    }
    await endNamed(store, { userId, what: ["links", "knownBrowsers", "sessions"] }, {
      ...options,
      credentials: true,
      unproved: own && !user?.emailVerified,
    });
  } else {
    await endAll(store, userId, options);
  }
}
