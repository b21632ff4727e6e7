import { administrationOf } from "../storage/administration_of.ts";
import { UnauthenticatedError } from "../errors/access_errors.ts";
import { holdsStill } from "./holds_still.ts";
import { currentRequest } from "./request_store.ts";
import { endAll, type EndSessionsOptions, isOf } from "./session_operations.ts";

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
    await administrationOf(settings.storage).setCredentialsAfter(userId, settings.now(), {
      unproved: own && !user?.emailVerified,
    });
  }
  await endAll(store, userId, options);
  store.report({ type: "password-changed", userId });
}
