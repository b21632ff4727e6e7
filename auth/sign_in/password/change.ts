/**
 * The change of a password by somebody who is signed in.
 *
 * @module
 */

import type {
  AccountSection,
  Endpoint,
  EndpointContext,
  Look,
  RequestStore,
} from "../../core/contracts.ts";
import { withErrorHeaders } from "../../core/error_response.ts";
import { jsonResponse, ownRedirect, redirectResponse } from "../../core/redirect.ts";
import { gateOf, prefersJson } from "../../core/request.ts";
import { type AuthError, isAuthError, RequestError, UserUnavailableError } from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { parseEmailAddress } from "../../lib/email_address.ts";
import { day, lookOf, pageResponse, say } from "../../pages/frame.ts";
import { icon, ownerButton, row, rows } from "../../pages/parts.ts";
import { addedPasskeys } from "../../pages/passkey.ts";
import { newPasswordPage } from "../../pages/password.ts";
import { limitAttempts } from "../../rate_limit/sign_in.ts";
import { requireRecentUser } from "../../session/require.ts";
import { passwordGroup } from "../../storage/passwords.ts";
import { groupOf } from "../../storage/storage.ts";
import type { User } from "../../types/user.ts";
import { readAddedPasskeys, removeTicked } from "./added_passkeys.ts";
import { findPassword } from "./find_password.ts";
import { type CheckedPasswords, PATHS } from "./options.ts";
import { assertAllowed, describeProblem, hashNew } from "./new_password.ts";
import { accountPath } from "./pages.ts";
import { storeNewPassword } from "./reset.ts";

/**
 * The owner of the session, who has proved who they are of late, and the second factor where one is on: a trusted browser
 * proves none.
 *
 * @throws {RedirectError} To the sign-in page; for a client that prefers JSON the typed error.
 * @throws {SecondFactorRequiredError} When the second factor has not been proved of late.
 */
async function requireOwner({ store }: EndpointContext): Promise<User> {
  const throwError = prefersJson(store.request);
  const { id } = requireRecentUser(await store.auth.load(), { throwError }, store);
  await gateOf(store.auth.settings)?.assertFresh(store);
  const user = await store.auth.settings.storage.getActiveUser(id);
  if (user === null) throw new UserUnavailableError();
  return user;
}

/**
 * Refuses a password for an account that could not be found by it.
 *
 * @returns Time from which credentials of the user count.
 * @throws {RequestError} When the user has no address of their own.
 */
async function assertAddress({ store }: EndpointContext, { id, email }: User): Promise<number> {
  const identity = parseEmailAddress(email ?? "")?.identity;
  const { storage } = store.auth.settings;
  const found = identity === undefined ? null : await findPassword(storage, identity);
  if (found?.user.id !== id) {
    throw new RequestError("Add an email address to your account before you set a password");
  }
  return found.credentialsAfter;
}

/** Writes the section of the account page: when the password was changed, and where it is. */
export async function passwordSection(
  { auth: { settings: { basePath, storage } } }: RequestStore,
  look: Look,
  { id }: User,
): Promise<AccountSection> {
  const password = await groupOf(storage, passwordGroup).readPassword(id);
  const label = password === null ? say(look, "Set a password") : say(look, "Change password");
  const title = say(look, "Password");
  return {
    id: "password",
    title,
    content: rows([row({
      mark: icon("key"),
      title,
      detail: password === null
        ? say(look, "No password yet.")
        : say(look, "Changed {date}", { date: day(look, new Date(password.changedAt)) }),
      actions: [ownerButton(look, basePath + PATHS.change, label)],
    })]),
  };
}

async function changePage(
  { store }: EndpointContext,
  { policy: { minLength } }: CheckedPasswords,
  { user, error = null }: { user: User; error?: AuthError | null },
): Promise<Response> {
  const { basePath } = store.auth.settings;
  const look = lookOf(store);
  const said = describeProblem(look, error);
  const isOfPassword = error?.code === "INVALID_PASSWORD";
  const page = newPasswordPage(look, {
    action: basePath + PATHS.change,
    hidden: {},
    email: user.email ?? null,
    password: { min: minLength, error: isOfPassword ? said : null },
    signsIn: false,
    added: addedPasskeys(look, await readAddedPasskeys(store, user.id), { ticks: true }),
    error: isOfPassword ? null : said,
  });
  return pageResponse(look, page, { status: error?.status ?? 200 });
}

/** `GET /account/password`: the form, for who has signed in of late; everybody else signs in first. */
export function showChange(provider: CheckedPasswords): Endpoint {
  return async function showChangePage(context) {
    return await changePage(context, provider, { user: await requireOwner(context) });
  };
}

/** `POST /account/password`: stores the new password and ends all sessions but this one. */
export function changeEndpoint(provider: CheckedPasswords): Endpoint {
  return async function changePassword(context) {
    const { store: { request, auth: { settings, origin } } } = context;
    const user = await requireOwner(context);
    const fields = await readFields(request, { optional: false });
    try {
      const proofBegunAt = await assertAddress(context, user);
      const password = await assertAllowed(context, provider, {
        password: fields.get("password"),
        of: user,
      });
      // Each change sends a mail, and ends the links that the owner may have asked for: a thief with a session, and with any
      // number of networks, could keep the owner from every new password.
      await limitAttempts(context, {
        of: "emailVerification",
        provider: provider.id,
        identifier: user.id,
        apart: "password",
      });
      const hash = await hashNew(context, provider, password);
      const added = await readAddedPasskeys(context.store, user.id);
      await removeTicked(context.store, { userId: user.id, fields, added });
      await storeNewPassword(context, provider, { user, hash, session: { proofBegunAt } });
    } catch (error) {
      if (!isAuthError(error) || error.status >= 500 || prefersJson(request)) throw error;
      if (error.status === 401) throw error;
      return withErrorHeaders(await changePage(context, provider, { user, error }), error);
    }
    const path = accountPath(settings);
    const redirectTo = ownRedirect(path ?? "/", origin(), { done: path && "password-changed" });
    return prefersJson(request) ? jsonResponse({ redirectTo }) : redirectResponse(redirectTo, 303);
  };
}
