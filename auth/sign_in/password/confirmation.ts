/**
 * The link in the mail of a sign-up: its page, and the user that it makes.
 *
 * @module
 */

import type { Endpoint, EndpointContext } from "../../core/contracts.ts";
import { reportChange } from "../../core/report.ts";
import { prefersJson } from "../../core/request.ts";
import {
  type AuthError,
  EmailProofError,
  InvalidCredentialsError,
  isAuthError,
  UserExistsError,
} from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { hashSecret, isSecret } from "../../lib/secret.ts";
import { limitAttempts } from "../../rate_limit/sign_in.ts";
import { beginSession } from "../../session/mint.ts";
import { passwordGroup, type PendingSignUp } from "../../storage/passwords.ts";
import { groupOf } from "../../storage/storage.ts";
import { createSignInRecord } from "../../storage/user_record.ts";
import { readBrowserSecrets } from "../email/pending.ts";
import { askSignIn, failurePage, goOn, toSecondStep, wayOn } from "../sign_in.ts";
import { rememberUsed, reportReplay } from "../used_links.ts";
import {
  type AskedPassword,
  type CheckedPasswords,
  PATHS,
  readAsk,
  SIGN_UP_AGE,
} from "./options.ts";
import { expiredLinkResponse, failedForm, openedLinkResponse } from "./pages.ts";
import { assertAllowed, hashNew } from "./new_password.ts";
import { findVerification, showVerification, verifyLater } from "./verification.ts";

/** A link that was opened: the pending sign-up, and whether it began in this browser. */
interface OpenedSignUp {
  pending: PendingSignUp;
  token: string;
  sameBrowser: boolean;
}

async function findSignUp(
  { store }: EndpointContext,
  token: string | null | undefined,
): Promise<OpenedSignUp | null> {
  const { storage, now } = store.auth.settings;
  if (!isSecret(token)) return null;
  const passwords = groupOf(storage, passwordGroup);
  const pending = await passwords.readSignUp(await hashSecret(token), now());
  if (pending === null) return null;
  const browsers = await Promise.all(readBrowserSecrets(store).map(hashSecret));
  return { pending, token, sameBrowser: browsers.includes(pending.browserHash) };
}

/** Shows the page behind the link, with what is wrong with the password that was given on it. */
function openedPage(
  context: EndpointContext,
  provider: CheckedPasswords,
  { opened: { pending, token, sameBrowser }, ask, error = null }: {
    opened: OpenedSignUp;
    ask: AskedPassword;
    error?: AuthError | null;
  },
): Response {
  return openedLinkResponse(context, provider, {
    about: "sign-up",
    token,
    address: pending.email,
    elsewhere: !sameBrowser,
    ask,
    error,
  });
}

const expired = () => ({ path: PATHS.resend, seconds: SIGN_UP_AGE });

/**
 * `GET /signup/confirm`: where the link leads, a page with a button. It changes nothing, however often mail scanners
 * and previews follow the link.
 */
export function showConfirmSignUp(provider: CheckedPasswords): Endpoint {
  return async function confirmSignUpPage(context) {
    const { searchParams } = context.url;
    const token = searchParams.get("token");
    const ask = readAsk(searchParams.get("ask"));
    const opened = await findSignUp(context, token);
    if (opened !== null) return openedPage(context, provider, { opened, ask });
    const verification = await findVerification(context, token);
    if (verification !== null) {
      return await showVerification(context, provider, { verification, ask });
    }
    if (prefersJson(context.store.request)) throw new EmailProofError();
    return expiredLinkResponse(context, expired());
  };
}

/**
 * The password and the name with which the user is made. In the browser that signed up those of the sign-up; elsewhere
 * they count for who knows the password only: whoever typed somebody else's address chose them. A new password takes
 * their place.
 *
 * @throws {InvalidCredentialsError} When the password is not the one of the sign-up.
 */
async function chooseContent(
  context: EndpointContext,
  provider: CheckedPasswords,
  { opened: { pending, sameBrowser }, fields }: {
    opened: OpenedSignUp;
    fields: ReadonlyMap<string, string>;
  },
): Promise<{ hash: string; name: string | null }> {
  const { passwordHash: hash, name, emailIdentity: identifier } = pending;
  const password = fields.get("password");
  if (sameBrowser && !password) return { hash, name };
  // Whoever has the link may set another password; what is limited is the work.
  const attempt = { of: "login", provider: provider.id, apart: "sign-up" } as const;
  const refund = await limitAttempts(context, { ...attempt, identifier });
  if (readAsk(fields.get("ask")) === "new") {
    const allowed = await assertAllowed(context, provider, { password, of: pending });
    const hashed = await hashNew(context, provider, allowed);
    refund();
    return { hash: hashed, name: null };
  }
  if (!await provider.hasher.verify(password ?? "", hash)) throw new InvalidCredentialsError();
  refund();
  return { hash, name };
}

/** Makes the user of a sign-up whose mail has reached its recipient, proved, and signs in. */
async function completeSignUp(
  context: EndpointContext,
  provider: CheckedPasswords,
  { opened, fields }: { opened: OpenedSignUp; fields: ReadonlyMap<string, string> },
): Promise<Response> {
  const { store } = context;
  const { storage, now } = store.auth.settings;
  const { pending: { email, callbackUrl }, token } = opened;
  const { hash, name } = await chooseContent(context, provider, { opened, fields });
  const at = now();
  const userId = crypto.randomUUID();
  const given = { id: userId, email, name, emailVerified: new Date(at) };
  const record = createSignInRecord(given, at, "passwords()");
  const account = {
    provider: provider.id,
    providerAccountId: userId,
    type: "credentials",
  } as const;
  // Asked before anything is stored: a link that is refused holds on.
  const elsewhere = await askSignIn(context, {
    user: record.user,
    account,
    email: { verificationRequest: false },
  });
  if (elsewhere !== null) return wayOn(elsewhere, context);
  const tokenHash = await hashSecret(token);
  const made = await reportChange(
    store,
    {
      events: [{ type: "sign-up", userId, provider: provider.id }],
      since: at,
      happened: (result) => result !== "absent" && result !== "taken",
    },
    () =>
      groupOf(storage, passwordGroup).completeSignUp(tokenHash, { record, hash })
        .catch(async (error) => {
          // An answer that is lost leaves the user, whose id nobody else has, and a link that opens nothing any more.
          if (await storage.getUser(userId).catch(() => null) === null) throw error;
          return "made" as const;
        }),
  );
  if (made === "absent") throw new EmailProofError();
  rememberUsed(context, { hash: opened.pending.tokenHash, expiresAt: opened.pending.expiresAt });
  if (made === "taken") throw new UserExistsError();
  const begun = await beginSession(store, userId, {
    provider: provider.id,
    identifier: email,
    account,
    save: { existing: true },
    callbackUrl,
  }).catch((error) => toSecondStep(error, context));
  if (begun instanceof Response) return begun;
  return await goOn(context, { session: begun.session, created: true }, callbackUrl);
}

// Shown on the page of the link, where they can be mended.
const SHOWN: ReadonlySet<string> = new Set([
  "INVALID_CREDENTIALS",
  "INVALID_PASSWORD",
  "RATE_LIMITED",
]);

/** `POST /signup/confirm`: consumes the link. Of any number at once, one makes a user and begins a session. */
export function confirmSignUpEndpoint(provider: CheckedPasswords): Endpoint {
  return async function confirmSignUp(context) {
    const { store: { request, report } } = context;
    const fields = await readFields(request, { optional: false });
    const token = fields.get("token");
    const opened = await findSignUp(context, token);
    if (opened === null) {
      const verification = await findVerification(context, token);
      if (verification !== null) {
        return await verifyLater(context, provider, { verification, fields });
      }
    }
    try {
      if (opened === null) throw new EmailProofError();
      const response = await completeSignUp(context, provider, { opened, fields });
      // The page that sent this form has the token in its address; the next page must not hear of it.
      response.headers.set("referrer-policy", "no-referrer");
      return response;
    } catch (error) {
      if (!isAuthError(error) || error.status >= 500) throw error;
      if (error.code !== "RATE_LIMITED") {
        report({ type: "sign-in-failed", code: error.code, provider: provider.id });
      }
      if (error.code === "INVALID_LINK") {
        await reportReplay(context, { provider: provider.id, token });
      }
      if (prefersJson(request)) throw error;
      const page = "confirmSignUp";
      if (opened === null || error.code === "INVALID_LINK") {
        const builtIn = () => expiredLinkResponse(context, { ...expired(), status: error.status });
        return await failedForm(context, error, { page, parameters: {}, builtIn });
      }
      if (SHOWN.has(error.code)) {
        const ask = readAsk(fields.get("ask"));
        return await failedForm(context, error, {
          page,
          parameters: { token: opened.token, ask: ask === "new" ? ask : null },
          builtIn: () => openedPage(context, provider, { opened, ask, error }),
        });
      }
      const values = new Map([["email", opened.pending.email]]);
      return await failurePage(error, context, { values, callbackUrl: opened.pending.callbackUrl });
    }
  };
}
