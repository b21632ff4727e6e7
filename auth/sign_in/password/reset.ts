/**
 * A forgotten password: the mail, and the new password.
 *
 * @module
 */

import type { Endpoint, EndpointContext, RequestStore } from "../../core/contracts.ts";
import { jsonResponse, ownRedirect, redirectResponse, safeCallback } from "../../core/redirect.ts";
import { reportChange } from "../../core/report.ts";
import { gateOf, guardOf, isOf, prefersJson } from "../../core/request.ts";
import {
  type AuthError,
  EmailProofError,
  InvalidEmailError,
  isAuthError,
  type SafeRedirect,
  UnauthenticatedError,
  UserUnavailableError,
} from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { type EmailAddress, parseEmailAddress } from "../../lib/email_address.ts";
import { markup } from "../../lib/html.ts";
import { createSecret, hashSecret, isSecret } from "../../lib/secret.ts";
import { lookOf, type Page, pageResponse, say } from "../../pages/frame.ts";
import { donePage, endsNote } from "../../pages/mail.ts";
import { passkeysText } from "../../pages/mails.ts";
import { link } from "../../pages/parts.ts";
import { type AddedPasskey, addedPasskeys } from "../../pages/passkey.ts";
import { forgotPage, forgotSentPage, newPasswordPage } from "../../pages/password.ts";
import { limitAttempts, mayBeMailed } from "../../rate_limit/sign_in.ts";
import { holdsStill } from "../../session/require.ts";
import { endByNewPassword } from "../../session/users.ts";
import { accountGroup } from "../../storage/accounts.ts";
import { passwordGroup } from "../../storage/passwords.ts";
import { secretGroup, type StoredSecret } from "../../storage/secrets.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import type { User } from "../../types/user.ts";
import { keepSentTo, readSentTo } from "../email/pending.ts";
import { accountAddress, afterAnswer } from "../email/request.ts";
import { proveMailbox, readLeftBehind } from "../first_proof.ts";
import { withCallback, withPasskeyList } from "../pages.ts";
import { rememberUsed, reportReplay } from "../used_links.ts";
import { readAddedPasskeys, removeTicked } from "./added_passkeys.ts";
import { type CheckedPasswords, PATHS, RESET_AGE } from "./options.ts";
import { accountPath, expiredLinkResponse, failedForm } from "./pages.ts";
import { sendReset, tellPasswordChanged } from "./mail.ts";
import { assertAllowed, describeProblem, hashNew } from "./new_password.ts";

const PURPOSE = "password-reset";
// Strangers can ask for fewer in the hour for which one holds, so they push out none that the owner asked for.
const KEEP = 20;

/** A new password to be stored. */
export interface NewPassword {
  /** Its owner. */
  user: User;
  /** Its hash. */
  hash: string;
  /**
   * The session of this request, which is the proof, and stays: the time from which credentials of the user counted when it
   * was found valid. Default: the proof was a mail, and all sessions end.
   */
  session?: { proofBegunAt: number };
}

/**
 * Stores a new password and ends everything that the old one opened: sessions, known browsers and pending tokens. This
 * browser becomes a known one, so the owner can sign in here while strangers use up the attempts at the account. The
 * owner is told by mail. Second factors stay.
 *
 * @returns Number of passkeys that still sign in to the account.
 * @throws {UnauthenticatedError} When the session that is the proof has ended, or another password was set meanwhile.
 * @throws {UserUnavailableError} When the user is gone or disabled.
 */
export async function storeNewPassword(
  context: EndpointContext,
  provider: CheckedPasswords,
  { user, hash, session }: NewPassword,
): Promise<{ passkeys: number }> {
  const { auth } = context.store;
  const { storage, strategy, now } = auth.settings;
  const { id: userId } = user;
  const state = await auth.load();
  const own = isOf(state, userId) ? state : null;
  const bySession = session !== undefined;
  // Hashing takes a while, in which the owner may have shut out whoever has the session.
  const holds = !bySession || own !== null && await holdsStill(context.store, own);
  const stored = holds && await reportChange(context.store, {
    events: [{ type: "password-changed", userId }],
  }, async () => {
    const isStored = await groupOf(storage, passwordGroup).setPassword(
      { userId, hash, changedAt: now() },
      {
        // Else the own session is ended below, where its cookie is taken back too.
        exceptId: own?.id,
        ...bySession && {
          ...session,
          bySession: strategy.name === "database",
          unproved: !user.emailVerified,
        },
      },
    );
    // Once more, since a check of the old password may have begun after the time that was stored and before it was stored.
    const options = bySession ? { except: "current" } as const : {};
    if (isStored) await endByNewPassword(context.store, userId, options);
    return isStored;
  });
  if (!stored) throw bySession ? new UnauthenticatedError() : new UserUnavailableError();
  const { email = null } = user;
  await guardOf(auth.settings)?.remember(context.store, {
    userId,
    identifier: null,
    email,
    conditions: { unproved: bySession && !user.emailVerified },
  });
  const { passkeys } = await readLeftBehind(context.store, userId);
  tellPasswordChanged(context, provider, user, passkeys);
  return { passkeys };
}

/** The page on which a link is asked for. */
function formPage(
  { store }: EndpointContext,
  { email, callbackUrl, error = null }: {
    email: string;
    callbackUrl: SafeRedirect | null;
    error?: AuthError | null;
  },
): Response {
  const { basePath, pages, trustedOrigins } = store.auth.settings;
  const look = lookOf(store);
  const said = describeProblem(look, error);
  const isOfAddress = error?.code === "INVALID_EMAIL";
  const page = forgotPage(look, {
    action: basePath + PATHS.forgot,
    signIn: withCallback(pages.signIn, callbackUrl),
    hidden: { callbackUrl },
    email: { value: email, error: isOfAddress ? said : null },
    error: isOfAddress ? null : said,
  });
  const status = error?.status ?? 200;
  const { page: listed, scripts } = withPasskeyList(store, look, { page, callbackUrl });
  return pageResponse(look, listed, { status, formOrigins: trustedOrigins, scripts });
}

/** `GET /forgot`. */
export function showForgot(context: EndpointContext): Response {
  const callbackUrl = safeCallback(context.url.searchParams.get("callbackUrl"), context);
  return formPage(context, { email: "", callbackUrl });
}

/** Stores a token for the user of an address and sends it; nothing for an address that nobody has. */
async function sendLink(
  context: EndpointContext,
  provider: CheckedPasswords,
  { to, callbackUrl }: { to: EmailAddress; callbackUrl: SafeRedirect | null },
): Promise<void> {
  const { storage, now } = context.store.auth.settings;
  const user = await groupOf(storage, accountGroup).getUserByEmail(to.identity);
  if (user === null) return;
  const token = createSecret();
  const createdAt = now();
  await groupOf(storage, sentSecretGroup).putNewestSecret({
    purpose: PURPOSE,
    hash: await hashSecret(token),
    identifier: user.id,
    userId: user.id,
    // Here, and not in the link: what a mail says is read by more than one program on its way.
    payload: callbackUrl,
    sentTo: to.identity,
    createdAt,
    expiresAt: createdAt + RESET_AGE * 1000,
  }, { keep: KEEP });
  await sendReset(context, provider, { to: accountAddress(user, to), token, userId: user.id });
}

/** Sends the owner of an account a link to choose a new password, for an administrator. */
export function sendResetTo(
  provider: CheckedPasswords,
): (context: EndpointContext, user: User) => Promise<boolean> {
  return async function sendResetByAdministrator(context, { id, email }) {
    const to = parseEmailAddress(email ?? "");
    const { storage } = context.store.auth.settings;
    // An address that a provider only said may be another user's, or nobody's.
    const owner = to && await groupOf(storage, accountGroup).getUserByEmail(to.identity);
    if (to === null || owner?.id !== id) return false;
    await sendLink(context, provider, { to, callbackUrl: null });
    return true;
  };
}

/**
 * `POST /forgot`: sends a link to choose a new password. The look-up and the mail begin after the answer, so neither
 * the answer nor its time tells whether the address has an account; not even a mailer that fails does.
 */
export function forgotEndpoint(provider: CheckedPasswords): Endpoint {
  return async function forgotPassword(context) {
    const { store, store: { request, auth: { settings, origin } } } = context;
    const fields = await readFields(request, { optional: false });
    const typed = fields.get("email") ?? readSentTo(store)?.address ?? "";
    const callbackUrl = safeCallback(fields.get("callbackUrl"), context);
    try {
      const to = parseEmailAddress(typed);
      if (to === null) throw new InvalidEmailError();
      const within = await mayBeMailed(context, {
        of: "emailVerification",
        provider: provider.id,
        identifier: to.identity,
        apart: "reset",
      });
      if (within) afterAnswer(context, () => sendLink(context, provider, { to, callbackUrl }));
      keepSentTo(store, { address: to.address, callbackUrl });
      const again = fields.has("again") ? "again" : null;
      const path = settings.basePath + PATHS.forgotSent;
      const redirectTo = ownRedirect(path, origin(), { sent: again });
      return prefersJson(request)
        ? jsonResponse({ redirectTo })
        : redirectResponse(redirectTo, 303);
    } catch (error) {
      if (!isAuthError(error) || error.status >= 500 || prefersJson(request)) throw error;
      const email = typed.length <= 1024 ? typed : "";
      return await failedForm(context, error, {
        page: "forgotPassword",
        parameters: { email: email || null, callbackUrl },
        builtIn: () => formPage(context, { email, callbackUrl, error }),
      });
    }
  };
}

/** `GET /forgot/sent`: the page after the mail was asked for, the same for every address. */
export function showForgotSent(context: EndpointContext): Response {
  const { store, url } = context;
  const { basePath, pages, trustedOrigins } = store.auth.settings;
  const sent = readSentTo(store);
  if (sent === null) {
    return redirectResponse(ownRedirect(basePath + PATHS.forgot, store.auth.origin()), 303);
  }
  const look = lookOf(store);
  const { address } = sent;
  // What a cookie says is checked like anything else that a browser brings.
  const callbackUrl = safeCallback(sent.callbackUrl, context);
  const page = forgotSentPage(look, {
    address,
    seconds: RESET_AGE,
    signIn: withCallback(pages.signIn, callbackUrl),
    resend: {
      action: basePath + PATHS.forgot,
      hidden: { email: address, callbackUrl, again: "1" },
    },
    resent: url.searchParams.get("sent") === "again",
  });
  return pageResponse(look, page, { formOrigins: trustedOrigins });
}

/** A link to a new password that holds. */
interface HeldReset {
  secret: StoredSecret;
  user: User;
  token: string;
  /** True when it is the first proof of the user's address. */
  first: boolean;
}

async function findReset(
  { store: { auth: { settings } } }: EndpointContext,
  token: string | null | undefined,
): Promise<HeldReset | null> {
  if (!isSecret(token)) return null;
  const { storage, now } = settings;
  const hash = await hashSecret(token);
  const secret = await groupOf(storage, secretGroup).readSecret(PURPOSE, hash, now());
  const user = secret?.userId == null ? null : await storage.getActiveUser(secret.userId);
  if (secret === null || user === null) return null;
  const own = parseEmailAddress(user.email ?? "")?.identity;
  // An address that is not the user's any more opens nothing of theirs.
  if (own !== secret.sentTo) return null;
  return { secret, user, token, first: !user.emailVerified };
}

const expired = () => ({ path: PATHS.forgot, seconds: RESET_AGE });

/** Passkeys that were added since the last password; the first proof of the address ends them all by itself. */
async function readAdded(store: RequestStore, { user, first }: HeldReset): Promise<AddedPasskey[]> {
  return first ? [] : await readAddedPasskeys(store, user.id);
}

/** Tests if the mailbox is proof enough to remove a passkey, which is a second factor where there is one to prove. */
function mayRemove({ auth: { settings } }: RequestStore): boolean {
  return gateOf(settings) === undefined;
}

/** The page on which the new password is typed; it says what ends with the first proof of the address. */
async function resetPage(
  { store }: EndpointContext,
  { policy: { minLength } }: CheckedPasswords,
  { held, error = null }: { held: HeldReset; error?: AuthError | null },
): Promise<Response> {
  const { user, token, first } = held;
  const { basePath, trustedOrigins } = store.auth.settings;
  const look = lookOf(store);
  const said = describeProblem(look, error);
  const isOfPassword = error?.code === "INVALID_PASSWORD";
  const page: Page = newPasswordPage(look, {
    action: basePath + PATHS.reset,
    hidden: { token },
    email: user.email ?? null,
    password: { min: minLength, error: isOfPassword ? said : null },
    signsIn: false,
    added: addedPasskeys(look, await readAdded(store, held), { ticks: mayRemove(store) }),
    error: isOfPassword ? null : said,
  });
  const ends = first && endsNote(look, await readLeftBehind(store, user.id));
  return pageResponse(look, { ...page, body: markup`${page.body}${ends}` }, {
    status: error?.status ?? 200,
    formOrigins: trustedOrigins,
  });
}

/** `GET /reset`: where the link leads. It changes nothing, however often mail scanners and previews follow the link. */
export function showReset(provider: CheckedPasswords): Endpoint {
  return async function showResetPage(context) {
    const held = await findReset(context, context.url.searchParams.get("token"));
    if (held !== null) return await resetPage(context, provider, { held });
    if (prefersJson(context.store.request)) throw new EmailProofError();
    return expiredLinkResponse(context, expired());
  };
}

/**
 * Takes the link, which proves the address as any mail does, and stores the new password.
 *
 * @throws {EmailProofError} When somebody else was faster.
 */
async function resetPassword(
  context: EndpointContext,
  provider: CheckedPasswords,
  { held, fields }: { held: HeldReset; fields: ReadonlyMap<string, string> },
): Promise<{ passkeys: number }> {
  const { secret, user, first } = held;
  const { store, store: { auth: { settings } } } = context;
  const { id: userId } = user;
  // What is wrong with the password leaves the link as it is.
  const allowed = await assertAllowed(context, provider, {
    password: fields.get("password"),
    of: user,
  });
  await limitAttempts(context, {
    of: "login",
    provider: provider.id,
    identifier: secret.sentTo,
    apart: "reset",
  });
  const hash = await hashNew(context, provider, allowed);
  const added = mayRemove(store) ? await readAdded(store, held) : [];
  const outcome = await proveMailbox(store, {
    userId,
    provider: provider.id,
    first,
    // A form that takes anybody's address has sent the link: whatever is on the account may be a stranger's.
    keepOwn: false,
    write: () =>
      groupOf(settings.storage, sentSecretGroup).redeemSecret(
        { purpose: PURPOSE, hash: secret.hash, identifier: userId },
        { now: settings.now(), userId, emailIdentity: secret.sentTo, ends: [PURPOSE] },
      ),
  });
  if (outcome !== "proved" && outcome !== "already") throw new EmailProofError();
  rememberUsed(context, secret);
  await removeTicked(store, { userId, fields, added });
  return await storeNewPassword(context, provider, { user, hash });
}

/**
 * Endpoint `POST /reset`: stores the new password and makes this browser a known one. It signs nobody in: the mailbox
 * proves only the address, so its owner signs in like everybody else, with the second factor where there is one.
 */
export function resetEndpoint(provider: CheckedPasswords): Endpoint {
  return async function resetByLink(context) {
    const { store: { request, report, auth: { settings, origin } } } = context;
    const fields = await readFields(request, { optional: false });
    const held = await findReset(context, fields.get("token"));
    const page = "resetPassword";
    let passkeys: number;
    try {
      if (held === null) throw new EmailProofError();
      passkeys = (await resetPassword(context, provider, { held, fields })).passkeys;
    } catch (error) {
      if (!isAuthError(error) || error.status >= 500) throw error;
      if (error.code === "INVALID_LINK") {
        report({ type: "sign-in-failed", code: error.code, provider: provider.id });
        await reportReplay(context, { provider: provider.id, token: fields.get("token") });
      }
      if (prefersJson(request)) throw error;
      if (held === null || error.code === "INVALID_LINK") {
        const builtIn = () => expiredLinkResponse(context, { ...expired(), status: error.status });
        return await failedForm(context, error, { page, parameters: {}, builtIn });
      }
      return await failedForm(context, error, {
        page,
        parameters: { token: held.token },
        builtIn: () => resetPage(context, provider, { held, error }),
      });
    }
    const callbackUrl = safeCallback(held.secret.payload, context);
    if (prefersJson(request)) {
      return jsonResponse({
        redirectTo: ownRedirect(settings.pages.signIn, origin(), { callbackUrl }),
      });
    }
    const response = redirectResponse(
      ownRedirect(settings.basePath + PATHS.resetDone, origin(), {
        callbackUrl,
        passkeys: passkeys === 0 ? null : String(passkeys),
      }),
      303,
    );
    // The page that sent this form has the token in its address; the next page must not hear of it.
    response.headers.set("referrer-policy", "no-referrer");
    return response;
  };
}

/** `GET /reset/done`. */
export function showResetDone(context: EndpointContext): Response {
  const { store } = context;
  const { searchParams } = context.url;
  const callbackUrl = safeCallback(searchParams.get("callbackUrl"), context);
  // Nothing but a number: whoever made the address themselves reads what they wrote.
  const passkeys = /^[1-9][0-9]?$/.exec(searchParams.get("passkeys") ?? "")?.[0];
  const look = lookOf(store);
  const account = accountPath(store.auth.settings);
  const page = donePage(look, {
    title: say(look, "Your password has changed"),
    text: [
      say(look, "You’re signed out everywhere. Sign in with the new password."),
      passkeys !== undefined && [
        " ",
        passkeysText(
          look,
          Number(passkeys),
          account === null ? null : link(account, say(look, "Your account")),
        ),
      ],
    ],
    next: {
      href: withCallback(store.auth.settings.pages.signIn, callbackUrl),
      label: say(look, "Sign in"),
    },
  });
  return pageResponse(look, page);
}
