/**
 * End of what a user has, by name and in one transaction.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import { reportChange } from "../core/report.ts";
import { currentRequest, forgetOwn, guardOf, isOf } from "../core/request.ts";
import { wrongOption } from "../lib/options.ts";
import {
  type EndEverythingOptions,
  type Ending,
  endingGroup,
  ENDINGS,
} from "../storage/endings.ts";
import { groupOf } from "../storage/storage.ts";

/** Selection of the user's sessions to end. */
export interface EndSessionsOptions {
  /** "current": the session of this request goes on, if it is one of theirs. Default: all end. */
  except?: "current";
}

/** Selection of what is ended and what goes on. */
type EndNamedOptions =
  & EndSessionsOptions
  & Pick<EndEverythingOptions, "credentials" | "unproved">;

/**
 * Ends what is named of a user, for instance of an account that somebody has taken over: all of it in one transaction,
 * or nothing. With the session strategy 'jwt' sessions are in no table: the revocation store ends them, after the rest.
 *
 * | name | ends |
 * | --- | --- |
 * | `sessions` | sessions, of this request too |
 * | `knownBrowsers` | browsers that have attempts to sign in of their own |
 * | `links` | links and codes in mails, links to a new password or address, one-time tokens, passkey ceremonies |
 * | `password` | the password of `passwords()`; checks of credentials that are running sign nobody in |
 * | `signUps` | sign-ups for the user's address that wait for its proof |
 * | `passkeys` | passkeys |
 * | `factors` | the second factor, recovery codes, trusted browsers: the first factor signs in alone then |
 * | `trustedBrowsers` | trusted browsers; sign-ins there need the second factor again |
 * | `pendingSteps` | sign-ins that wait for the second factor, the request to do without it, and whoever acts for the user |
 * | `accounts` | accounts at providers, which sign in no longer, with their tokens |
 * | `providerTokens` | tokens of providers; the accounts still sign in |
 *
 * A user may be left without a way in but a link to the mailbox.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @param what Names of what ends.
 * @param options `except: "current"` keeps the session of this request. Default: none is kept.
 * @returns False when there is no such user, as far as that is read: not for `sessions` alone with 'jwt'.
 * @throws {ConfigurationError} For a name that is none; for `sessions` with the session strategy 'jwt' and no
 * revocation store; and when the storage is one of your own without the group `endings`.
 * @throws {OutsideRequestError} When there is no request: `groupOf(auth.storage(env), endingGroup)` of
 * `@framework/auth/storage` has the operation for commands and scheduled tasks.
 *
 * @example
 * ```ts
 * import {
 *   createAuth,
 *   createMemoryStorage,
 *   createUser,
 *   endEverything,
 *   getUser,
 *   startSession,
 * } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/", { method: "POST" }), {}, undefined, async () => {
 *   await createUser({ id: "ada", name: "Ada" });
 *   await startSession("ada");
 *   equal(await endEverything("ada", ["sessions", "links", "passkeys", "accounts"]), true);
 *   equal(getUser(), null);
 *   return new Response();
 * });
 * ```
 */
export async function endEverything(
  userId: string,
  what: readonly Ending[],
  options: EndSessionsOptions = {},
): Promise<boolean> {
  const store = currentRequest("endEverything");
  const wrong = Array.isArray(what) ? what.find((name) => !Object.hasOwn(ENDINGS, name)) : what;
  if (wrong !== undefined) {
    const names = Object.keys(ENDINGS).map((name) => `"${name}"`);
    throw wrongOption("endEverything", wrong, `a list of ${names.join(", ")}`);
  }
  const { strategy } = store.auth.settings;
  // It says what is missing, before anything is ended.
  if (what.includes("sessions") && !strategy.revocable) await strategy.endAll(userId);
  return await reportChange(store, {
    events: what.includes("sessions") ? [{ type: "session-revoked", userId }] : [],
  }, () => endNamed(store, { userId, what }, options));
}

/** Ends what is named of a user, and reports nothing; false when there is no such user. */
export async function endNamed(
  { auth }: RequestStore,
  { userId, what }: { userId: string; what: readonly Ending[] },
  { except, ...options }: EndNamedOptions = {},
): Promise<boolean> {
  const { storage, strategy, now } = auth.settings;
  const state = await auth.load();
  const own = isOf(state, userId);
  const spared = own && except === "current";
  const ends = what.includes("sessions");
  // A storage of the application's own may know no more than to end sessions.
  const inRows = strategy.name === "database" && storage.group?.(endingGroup) != null;
  const rows = what.filter((name) => inRows || name !== "sessions");
  const found = rows.length === 0 ||
    await groupOf(storage, endingGroup).endEverything(userId, rows, {
      ...options,
      at: now(),
      exceptId: spared ? state.id : undefined,
    });
  // Last: what has begun before the rows were ended has its token by now.
  if (ends && !inRows) await strategy.endAll(userId, spared ? { except: state } : {});
  if (own && !spared && ends) await forgetOwn(auth);
  return found;
}

/**
 * Signs a user out everywhere, and reports nothing. A browser that is trusted and a sign-in that waits are half of a
 * session, which a thief would have left.
 */
export async function endAll(
  store: RequestStore,
  userId: string,
  options: EndSessionsOptions,
): Promise<void> {
  const { settings } = store.auth;
  const guard = guardOf(settings);
  const isOwn = settings.storage.group?.(endingGroup) == null;
  if (isOwn) await guard?.forget(settings, userId);
  const what: Ending[] = ["sessions"];
  if (!isOwn && settings.hasDatabase) what.push("trustedBrowsers", "pendingSteps");
  if (!isOwn && guard) what.push("knownBrowsers");
  await endNamed(store, { userId, what }, options);
}
