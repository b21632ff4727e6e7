import type { Account, SignInParams } from "../callbacks/callbacks.ts";
import { jsonResponse } from "../http/endpoint.ts";
import { prefersJson } from "../http/negotiate.ts";
import { ownRedirect, redirectResponse } from "../http/redirect_guard.ts";
import { settleRedirect } from "../http/settle_redirect.ts";
import { accountOf } from "../rate_limit/account_guard.ts";
import { beginSession } from "../request/change_session.ts";
import type { SaveUserOptions, UserRecord } from "../storage/storage.ts";
import type { User } from "../users/user.ts";
import { askSignIn } from "./ask_sign_in.ts";
import type { MintedSession } from "./mint_session.ts";
import type { SafeRedirect } from "../errors/redirect_error.ts";
import type { EndpointContext } from "../http/contracts.ts";

/** A sign-in whose proof has been checked. */
export interface ProvenSignIn extends Omit<SignInParams, "user" | "account"> {
  /** Who signs in. Nothing of it is stored yet. */
  owner: UserRecord;
  /** The user as the application is asked about them. Default: as `owner` says. */
  user?: User;
  /** Done when the application has agreed, before anything is stored. */
  prepare?: () => Promise<void>;
  /** True when the user has just been read: nothing of it is written. Default false. */
  known?: boolean;
  /** What is stored together with the user, and what it depends on. */
  save?: SaveUserOptions;
  /** With which identity. */
  account: Account;
  /** Who it says it is, as it was typed; "" where only a secret is. Default: nothing was typed. */
  identifier?: string;
  /** Where the visitor asked to go. */
  callbackUrl: unknown;
}

/** The way on: a redirect, or for a client that prefers JSON the same in words. */
function wayOn(
  redirectTo: SafeRedirect,
  { store: { request } }: EndpointContext,
  session: Partial<MintedSession["session"]> = {},
): Response {
  if (!prefersJson(request)) return redirectResponse(redirectTo, 303);
  const { user = null, expires = null } = session;
  return jsonResponse({ user, expires, redirectTo });
}

/**
 * What every way to sign in ends with: the application's verdict, and only then the user, the session and
 * the redirect.
 *
 * @throws {AccessDeniedError} When the `signIn` callback refuses.
 * @throws {UserUnavailableError} When the user is disabled.
 */
export async function completeSignIn(
  context: EndpointContext,
  { owner, user = owner.user, prepare, known = false, save, identifier, callbackUrl, ...proven }:
    ProvenSignIn,
): Promise<Response> {
  const { store } = context;
  const { account: { provider }, account, profile } = proven;
  const { id: userId } = owner.user;
  // Copies: the callback answers, and what it writes into its question is not an answer.
  const question = { ...proven, user: { ...user }, account: { ...account } };
  const elsewhere = await askSignIn(context, question);
  if (elsewhere !== null) {
    const named = await accountOf(store.auth.settings, identifier);
    store.report({ type: "sign-in-failed", code: "ACCESS_DENIED", provider, userId, ...named });
    return wayOn(elsewhere, context);
  }
  await prepare?.();
  const { created, session } = await beginSession(store, userId, {
    provider,
    identifier,
    account,
    owner: known ? undefined : owner,
    save,
    profile,
  });
  const { settings, origin } = store.auth;
  const target = await settleRedirect(callbackUrl, context);
  const welcome = created && settings.pages.newUser !== null
    ? ownRedirect(settings.pages.newUser, origin(), { callbackUrl: target })
    : null;
  return wayOn(welcome ?? target ?? ownRedirect("/", origin()), context, session);
}
