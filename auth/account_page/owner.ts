import { RedirectError, type SafeRedirect } from "../errors/redirect_error.ts";
import { ReauthenticationRequiredError } from "../errors/access_errors.ts";
import { isAuthError } from "../errors/auth_error.ts";
import { ownRedirect } from "../http/redirect_guard.ts";
import { requireRecentUser } from "../request/recent_auth.ts";
import type { User } from "../users/user.ts";
import type { EndpointContext } from "../http/contracts.ts";

/** Path of the account page, below `basePath`. */
export const ACCOUNT_PATH = "/account";

/** Where to sign in, to come to the account page from there. */
export function signInAddress(
  { store: { auth } }: EndpointContext,
  error: string | null = null,
): SafeRedirect {
  const { basePath, pages } = auth.settings;
  const callbackUrl = basePath + ACCOUNT_PATH;
  return ownRedirect(pages.signIn, auth.origin(), { error, callbackUrl });
}

/** Whose account page it is, as stored: follows from the session and from nothing in the request. */
export async function requireOwner(context: EndpointContext): Promise<User> {
  const { auth } = context.store;
  const state = await auth.load();
  const user = state.status === "valid"
    ? await auth.settings.storage.getActiveUser(state.session.user.id)
    : null;
  if (user === null) throw new RedirectError(signInAddress(context));
  return user;
}

/** Whether the owner has proved of late who they are. */
export async function isFresh({ store }: EndpointContext): Promise<boolean> {
  try {
    requireRecentUser(await store.auth.load(), { throwError: true }, store);
    return true;
  } catch (error) {
    if (isAuthError(error)) return false;
    throw error;
  }
}

/** The owner, for what takes a fresh proof. */
export async function requireFreshOwner(context: EndpointContext): Promise<User> {
  const user = await requireOwner(context);
  if (await isFresh(context)) return user;
  throw new RedirectError(signInAddress(context, new ReauthenticationRequiredError().code));
}
