/**
 * Sign-up of `passwords({ verification: "later" })`: a user at once, and the proof of the address by a mail.
 *
 * @module
 */

import type { EndpointContext } from "../../core/contracts.ts";
import { jsonResponse, ownRedirect } from "../../core/redirect.ts";
import { reportChange } from "../../core/report.ts";
import { forgetOwn, isOf, prefersJson } from "../../core/request.ts";
import {
  type AuthError,
  EmailProofError,
  InvalidCredentialsError,
  isAuthError,
  type SafeRedirect,
} from "../../errors.ts";
import type { EmailAddress } from "../../lib/email_address.ts";
import { createSecret, hashSecret, isSecret } from "../../lib/secret.ts";
import { lookOf, pageResponse, say } from "../../pages/frame.ts";
import { donePage } from "../../pages/mail.ts";
import { limitAttempts } from "../../rate_limit/sign_in.ts";
import { beginSession } from "../../session/mint.ts";
import { passwordGroup } from "../../storage/passwords.ts";
import { secretGroup, type StoredSecret } from "../../storage/secrets.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import { createUserRecord } from "../../storage/user_record.ts";
import type { User } from "../../types/user.ts";
import { keepBrowserSecret, readBrowserSecrets } from "../email/pending.ts";
import { proveMailbox, readLeftBehind } from "../first_proof.ts";
import { askSignIn, goOn, toSecondStep, wayOn } from "../sign_in.ts";
import { rememberUsed } from "../used_links.ts";
import { type AskedPassword, type CheckedPasswords, readAsk, SIGN_UP_AGE } from "./options.ts";
import { failedForm, openedLinkResponse } from "./pages.ts";
import { sendVerification } from "./mail.ts";
import { assertAllowed, hashNew } from "./new_password.ts";
import { storeNewPassword } from "./reset.ts";

const PURPOSE = "password-verify";
const KEEP = 3;

/** A sign-up whose form has been checked. */
interface CheckedSignUp {
  to: EmailAddress;
  name: string | null;
  passwordHash: string;
  callbackUrl: SafeRedirect | null;
  /** True while the mailbox may have another mail. */
  within: boolean;
}

/**
 * Makes the user of a sign-up at once, unproved, and signs in.
 *
 * @throws {UserExistsError} When the address has an account: whoever signs up learns it.
 */
export async function signUpAtOnce(
  context: EndpointContext,
  provider: CheckedPasswords,
  { to, name, passwordHash, callbackUrl, within }: CheckedSignUp,
): Promise<Response> {
  const { store } = context;
  const { storage, now } = store.auth.settings;
  const userId = crypto.randomUUID();
  const at = now();
  const record = createUserRecord({ id: userId, email: to.address, name }, at, "passwords()");
  const account = {
    provider: provider.id,
    providerAccountId: userId,
    type: "credentials",
  } as const;
  const elsewhere = await askSignIn(context, { user: record.user, account });
  if (elsewhere !== null) return wayOn(elsewhere, context);
  await reportChange(
    store,
    {
      events: [{ type: "sign-up", userId, provider: provider.id }],
      since: at,
      happened: () => true,
    },
    () => groupOf(storage, passwordGroup).createUserWithPassword(record, passwordHash),
  );
  const begun = await beginSession(store, userId, {
    provider: provider.id,
    identifier: to.address,
    account,
    save: { existing: true },
    callbackUrl,
  }).catch((error) => toSecondStep(error, context));
  const browserSecret = createSecret();
  keepBrowserSecret(store, browserSecret, SIGN_UP_AGE);
  if (within) store.waitUntil(sendLink(context, provider, { userId, to, browserSecret }));
  if (begun instanceof Response) return begun;
  return await goOn(context, { session: begun.session, created: true }, callbackUrl);
}

/** Sends the link that proves the address, bound to the browser that signed up: there what is on the account stays. */
async function sendLink(
  context: EndpointContext,
  provider: CheckedPasswords,
  { userId, to, browserSecret }: { userId: string; to: EmailAddress; browserSecret: string },
): Promise<void> {
  const { storage, now } = context.store.auth.settings;
  const token = createSecret();
  const createdAt = now();
  await groupOf(storage, sentSecretGroup).putNewestSecret({
    purpose: PURPOSE,
    hash: await hashSecret(token),
    identifier: userId,
    userId,
    payload: await hashSecret(browserSecret),
    sentTo: to.identity,
    createdAt,
    expiresAt: createdAt + SIGN_UP_AGE * 1000,
  }, { keep: KEEP });
  await sendVerification(context, provider, { to, token, userId });
}

/** A link that proves the address of a user who was made before. */
export interface Verification {
  secret: StoredSecret;
  user: User;
  token: string;
}

/** Finds what a link proves; null when it does not hold. */
export async function findVerification(
  { store: { auth: { settings } } }: EndpointContext,
  token: string | null | undefined,
): Promise<Verification | null> {
  if (!isSecret(token)) return null;
  const { storage, now } = settings;
  const hash = await hashSecret(token);
  const secret = await groupOf(storage, secretGroup).readSecret(PURPOSE, hash, now());
  const user = secret?.userId == null ? null : await storage.getActiveUser(secret.userId);
  return secret === null || user === null ? null : { secret, user, token };
}

/** True when the password of the account must be given, or a new one: this is not the browser that signed up. */
async function asksPassword(
  { store }: EndpointContext,
  { secret: { payload }, user: { emailVerified } }: Verification,
): Promise<boolean> {
  if (emailVerified) return false;
  const browsers = await Promise.all(readBrowserSecrets(store).map(hashSecret));
  return payload === null || !browsers.includes(payload);
}

/** Shows the page behind the link. It changes nothing. */
export async function showVerification(
  context: EndpointContext,
  provider: CheckedPasswords,
  { verification, ask, error = null }: {
    verification: Verification;
    ask: AskedPassword;
    error?: AuthError | null;
  },
): Promise<Response> {
  const { user, token } = verification;
  const elsewhere = await asksPassword(context, verification);
  return openedLinkResponse(context, provider, {
    about: "confirm-email",
    token,
    address: user.email ?? null,
    elsewhere,
    ask,
    ends: elsewhere && ask === "new" ? await readLeftBehind(context.store, user.id) : null,
    error,
  });
}

/**
 * Reads how the visitor shows that what is on the account is theirs: by the browser that signed up or by the account's
 * password, which a stranger who only knows the address has chosen without its owner. With a new password it ends.
 *
 * @returns Whether what is there stays, and the hash of a new password.
 */
async function readClaim(
  context: EndpointContext,
  provider: CheckedPasswords,
  { verification, fields }: {
    verification: Verification;
    fields: ReadonlyMap<string, string>;
  },
): Promise<{ keepOwn: boolean; newHash: string | null }> {
  if (!await asksPassword(context, verification)) return { keepOwn: true, newHash: null };
  const { storage } = context.store.auth.settings;
  const { user: { id, email } } = verification;
  const password = fields.get("password") ?? "";
  const refund = await limitAttempts(context, {
    of: "login",
    provider: provider.id,
    identifier: email ?? null,
    apart: "sign-up",
  });
  if (readAsk(fields.get("ask")) === "new") {
    const newHash = await hashNew(
      context,
      provider,
      await assertAllowed(context, provider, { password, of: verification.user }),
    );
    refund();
    return { keepOwn: false, newHash };
  }
  const stored = await groupOf(storage, passwordGroup).readPassword(id);
  const of = { userId: id };
  if (!await provider.hasher.verify(password, stored?.hash, of)) {
    throw new InvalidCredentialsError();
  }
  refund();
  return { keepOwn: true, newHash: null };
}

/** Proves the address of a user who was made before. Of any number of uses at once, one does. */
export async function verifyLater(
  context: EndpointContext,
  provider: CheckedPasswords,
  { verification, fields }: {
    verification: Verification;
    fields: ReadonlyMap<string, string>;
  },
): Promise<Response> {
  const { store, store: { request, auth, auth: { settings } } } = context;
  const { secret, user } = verification;
  try {
    const { keepOwn, newHash } = await readClaim(context, provider, { verification, fields });
    const userId = user.id;
    const outcome = await proveMailbox(store, {
      userId,
      provider: provider.id,
      keepOwn,
      first: !user.emailVerified,
      write: () =>
        groupOf(settings.storage, sentSecretGroup).redeemSecret(
          { purpose: PURPOSE, hash: secret.hash, identifier: userId },
          {
            now: settings.now(),
            userId,
            emailIdentity: secret.sentTo,
            keepOwn,
            ends: [PURPOSE],
          },
        ),
    });
    if (outcome !== "proved" && outcome !== "already") throw new EmailProofError();
    rememberUsed(context, secret);
    if (outcome === "proved" && newHash !== null) {
      await storeNewPassword(context, provider, { user, hash: newHash });
    }
    if (outcome === "proved" && !keepOwn && isOf(await auth.load(), userId)) await forgetOwn(auth);
    return await doneResponse(context, userId);
  } catch (error) {
    const isShown = isAuthError(error) && error.status < 500 && error.code !== "INVALID_LINK";
    if (!isShown || prefersJson(request)) throw error;
    const ask = readAsk(fields.get("ask"));
    return await failedForm(context, error, {
      page: "confirmSignUp",
      parameters: { token: verification.token, ask: ask === "new" ? ask : null },
      builtIn: () => showVerification(context, provider, { verification, ask, error }),
    });
  }
}

async function doneResponse({ store }: EndpointContext, userId: string): Promise<Response> {
  const { auth, auth: { settings: { pages } } } = store;
  const isIn = isOf(await auth.load(), userId);
  const href = ownRedirect(isIn ? "/" : pages.signIn, auth.origin());
  if (prefersJson(store.request)) return jsonResponse({ redirectTo: href });
  const look = lookOf(store);
  const title = say(look, "Email address confirmed");
  const label = isIn ? say(look, "Continue") : say(look, "Sign in");
  const text = say(look, "Your address is confirmed.");
  return pageResponse(look, donePage(look, { title, text, next: { href, label } }));
}
