import { currentRequest } from "../request/request_store.ts";
import type { SqlStatement } from "../storage/sql_database.ts";
import { createUserRecord } from "../users/user_record.ts";
import type { User } from "../users/user.ts";

/** A user to be made; without an id it gets a random one. */
export type NewUser = Omit<User, "id"> & { id?: string };

/** What happens together with the creation of a user. */
export interface CreateUserOptions {
  /**
   * Statements of the application that happen in the same transaction, after the user is there: all or
   * nothing. Give the user an `id` to refer to it. Only with a SQL database.
   */
  alongside?: SqlStatement[];
}

/**
 * Makes a user, for a sign-up.
 *
 * @param user Who it is. `id` defaults to a random UUID.
 * @param options `alongside`: statements of your own in the same transaction. Default: none.
 * @returns The user with its id.
 * @throws {UserExistsError} When the id or the e-mail address is taken.
 * @throws {InvalidEmailError} When the address cannot be one.
 * @throws {InvalidProfileError} When the name has more than 256 characters or a control character, or the image is no
 * `https://` address of at most 2,048.
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
  const { auth: { settings }, report } = currentRequest("createUser");
  const identified = { ...user, id: user.id ?? crypto.randomUUID() };
  const record = createUserRecord(identified, settings.now(), "createUser()");
  await settings.storage.createUser(record, options.alongside);
  report({ type: "sign-up", userId: record.user.id });
  return record.user;
}
