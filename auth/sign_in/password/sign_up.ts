/**
 * Sign-up with a password: the form, and the mail that it sends.
 *
 * @module
 */

import type { Endpoint, EndpointContext } from "../../core/contracts.ts";
import { jsonResponse, ownRedirect, redirectResponse, safeCallback } from "../../core/redirect.ts";
import { accountOf, prefersJson } from "../../core/request.ts";
import {
  type AuthError,
  InvalidEmailError,
  InvalidProfileError,
  isAuthError,
  type SafeRedirect,
} from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { type EmailAddress, parseEmailAddress } from "../../lib/email_address.ts";
import { createSecret, hashSecret } from "../../lib/secret.ts";
import { lookOf, pageResponse, say } from "../../pages/frame.ts";
import { checkMailPage } from "../../pages/mail.ts";
import { signUpPage } from "../../pages/sign_in.ts";
import { limitAttempts, mayBeMailed } from "../../rate_limit/sign_in.ts";
import { accountGroup } from "../../storage/accounts.ts";
import { passwordGroup, type PendingSignUp } from "../../storage/passwords.ts";
import { groupOf } from "../../storage/storage.ts";
import { createUserRecord } from "../../storage/user_record.ts";
import type { User } from "../../types/user.ts";
import { keepBrowserSecret, keepSentTo, readBrowserSecrets, readSentTo } from "../email/pending.ts";
import { accountAddress, createPace, type Pace } from "../email/request.ts";
import { findFormOrigins, isProvider, wayOf, withPasskeyList } from "../pages.ts";
import { askSignIn } from "../sign_in.ts";
import { type CheckedPasswords, PATHS, SIGN_UP_AGE } from "./options.ts";
import { sendKnownAccount, sendVerification } from "./mail.ts";
import { assertAllowed, describeProblem, hashNew } from "./new_password.ts";
import { failedForm, pathOf } from "./pages.ts";
import { signUpAtOnce } from "./verification.ts";

/**
 * Pending sign-ups of one mailbox: as many as the default limit of mails lets through in the day for which one holds,
 * so that strangers can neither push the owner's out nor fill the table with them. The oldest does not win over the
 * newest either: a stranger who came first would keep the owner from signing up.
 */
const KEPT_SIGN_UPS = 120;

/** A form of sign-up, as it was typed. */
export interface TypedSignUp {
  /** The name; null for none. */
  name: string | null;
  /** The address as typed. */
  email: string;
  /** The password. */
  password: string | undefined;
  /** Destination after the sign-up, checked by the redirect guard. */
  callbackUrl: SafeRedirect | null;
}

/** A form with a field for the name that was left empty. */
class MissingNameError extends InvalidProfileError {
  constructor() {
    super("INVALID_NAME", "Enter your name.");
  }
}

/** The page of the form, with what was typed and what is wrong with it. */
async function formPage(
  context: EndpointContext,
  { policy: { minLength } }: CheckedPasswords,
  { typed, error = null }: { typed: Omit<TypedSignUp, "password">; error?: AuthError | null },
): Promise<Response> {
  const { store } = context;
  const { basePath, pages, providers } = store.auth.settings;
  const elsewhere = [...providers.values()].filter(isProvider);
  const look = lookOf(store);
  const said = error instanceof MissingNameError
    ? say(look, "Enter your name.")
    : describeProblem(look, error);
  const of = (...codes: string[]) => error !== null && codes.includes(error.code) ? said : null;
  const near = of("INVALID_NAME", "INVALID_EMAIL", "INVALID_PASSWORD");
  const page = signUpPage(look, {
    action: basePath + PATHS.signUp,
    signIn: ownRedirect(pages.signIn, store.auth.origin(), { callbackUrl: typed.callbackUrl }),
    hidden: { callbackUrl: typed.callbackUrl },
    ways: elsewhere.map((method) => wayOf(method, basePath)),
    name: { value: typed.name ?? "", error: of("INVALID_NAME") },
    email: { value: typed.email, error: of("INVALID_EMAIL") },
    password: { min: minLength, error: of("INVALID_PASSWORD") },
    error: near === null ? said : null,
  });
  const { callbackUrl } = typed;
  const { page: listed, scripts } = withPasskeyList(store, look, { page, callbackUrl });
  return pageResponse(look, listed, {
    status: error?.status ?? 200,
    formOrigins: await findFormOrigins(elsewhere, context),
    scripts,
  });
}

/** `GET /signup`. */
export function showSignUp(provider: CheckedPasswords): Endpoint {
  return async function showSignUpPage(context) {
    const { searchParams } = context.url;
    const callbackUrl = safeCallback(searchParams.get("callbackUrl"), context);
    return await formPage(context, provider, { typed: { name: null, email: "", callbackUrl } });
  };
}

/** Outcome of a request for a mail. */
type Verdict = "send" | "refused" | SafeRedirect;

/**
 * Asks the application whether this address may have an account at all, as for a sign-in by mail. A refusal shows
 * nowhere: it may be about one address alone.
 */
async function askApplication(
  context: EndpointContext,
  { id: provider }: CheckedPasswords,
  { to: { address: email, identity }, name, userId }: {
    to: EmailAddress;
    name: string | null;
    userId: string | null;
  },
): Promise<Verdict> {
  const { report, auth: { settings } } = context.store;
  const id = userId ?? crypto.randomUUID();
  try {
    const elsewhere = await askSignIn(context, {
      user: { id, email, name, emailVerified: null },
      account: { provider, providerAccountId: id, type: "credentials" },
      email: { verificationRequest: true },
    });
    return elsewhere ?? "send";
  } catch (error) {
    if (!isAuthError(error) || error.status >= 500) throw error;
    const who = { provider, ...userId !== null && { userId } };
    report({
      type: "sign-in-failed",
      code: error.code,
      ...who,
      ...await accountOf(settings, identity),
    });
    return "refused";
  }
}

/** A pending sign-up without its token and its times. */
type SignUpData = Omit<PendingSignUp, "tokenHash" | "createdAt" | "expiresAt">;

/**
 * Stores a sign-up and sends the mail that belongs to the address. A known address has the same work done for it; its
 * row leads nowhere, since its token is sent to nobody.
 */
async function storeAndSend(
  context: EndpointContext,
  provider: CheckedPasswords,
  { data, to, known }: { data: SignUpData; to: EmailAddress; known: User | null },
): Promise<void> {
  const { storage, now } = context.store.auth.settings;
  const token = createSecret();
  const createdAt = now();
  await groupOf(storage, passwordGroup).putSignUp({
    ...data,
    tokenHash: await hashSecret(token),
    createdAt,
    expiresAt: createdAt + SIGN_UP_AGE * 1000,
  }, { keep: KEPT_SIGN_UPS });
  if (known === null) await sendVerification(context, provider, { to, token });
  else {
    const mailbox = accountAddress(known, to);
    await sendKnownAccount(context, provider, { to: mailbox, userId: known.id });
  }
}

/** Address of the page on which a visitor waits for the mail. */
function waitingPlace(
  { store: { auth: { settings: { basePath, pages }, origin } } }: EndpointContext,
  again: boolean,
): SafeRedirect {
  const isOwn = pages.verifyRequest === `${basePath}/verify-request`;
  const path = isOwn ? basePath + PATHS.sent : pages.verifyRequest;
  return ownRedirect(path, origin(), { sent: again ? "again" : null });
}

function goTo({ store: { request } }: EndpointContext, redirectTo: SafeRedirect): Response {
  return prefersJson(request) ? jsonResponse({ redirectTo }) : redirectResponse(redirectTo, 303);
}

/**
 * Answers a sign-up. The answer is the same for every address, after the same work: the limit, the look-up, the hash,
 * the row and one mail.
 */
async function answerSignUp(
  context: EndpointContext,
  { provider, pace, typed }: { provider: CheckedPasswords; pace: Pace; typed: TypedSignUp },
): Promise<Response> {
  const { store } = context;
  const { storage, now } = store.auth.settings;
  const { name, callbackUrl } = typed;
  const to = parseEmailAddress(typed.email);
  if (to === null) throw new InvalidEmailError();
  // Whatever cannot be stored is told now, and not when the link is opened.
  createUserRecord({ id: crypto.randomUUID(), email: to.address, name }, now(), "sign-up");
  const password = await assertAllowed(context, provider, { password: typed.password, of: typed });
  const attempt = { of: "emailVerification", provider: provider.id } as const;
  await limitAttempts(context, { ...attempt, identifier: null, apart: "prepare" });
  const passwordHash = await hashNew(context, provider, password);
  // Counted when nothing can be wrong any more: who mends a password uses up no mail.
  const within = await mayBeMailed(context, {
    ...attempt,
    identifier: to.identity,
    apart: "sign-up",
  });
  if (provider.verification === "later") {
    return await signUpAtOnce(context, provider, { to, name, passwordHash, callbackUrl, within });
  }
  const known = await groupOf(storage, accountGroup).getUserByEmail(to.identity);
  // Asked also about whom nothing is sent to: the answer is as any other's.
  const asked = await askApplication(context, provider, { to, name, userId: known?.id ?? null });
  const browserSecret = createSecret();
  const isMailed = asked === "send" && within;
  if (isMailed) {
    const data: SignUpData = {
      emailIdentity: to.identity,
      email: to.address,
      name,
      passwordHash,
      browserHash: await hashSecret(browserSecret),
      callbackUrl,
    };
    await pace.measure(() => storeAndSend(context, provider, { data, to, known }));
  } else if (asked === "send" || asked === "refused") {
    await pace.wait();
  } else return goTo(context, asked);
  keepBrowserSecret(store, browserSecret, SIGN_UP_AGE);
  keepSentTo(store, { address: to.address, callbackUrl });
  return goTo(context, waitingPlace(context, false));
}

// Shown with the form, to try again.
const SHOWN: ReadonlySet<string> = new Set([
  "INVALID_EMAIL",
  "INVALID_NAME",
  "INVALID_PASSWORD",
  "EMAIL_NOT_SENT",
  "RATE_LIMITED",
  "USER_EXISTS",
  "ACCESS_DENIED",
]);

/** `POST /signup`: stores a pending sign-up and sends a mail. It makes no user and signs nobody in. */
export function signUpEndpoint(provider: CheckedPasswords): Endpoint {
  const pace = createPace();
  return async function signUp(context) {
    const { request } = context.store;
    const fields = await readFields(request, { optional: false });
    const typed: TypedSignUp = {
      name: fields.get("name")?.trim() || null,
      email: fields.get("email") ?? "",
      password: fields.get("password"),
      callbackUrl: safeCallback(fields.get("callbackUrl"), context),
    };
    try {
      // A form of the application's own may do without the field.
      if (fields.has("name") && typed.name === null) throw new MissingNameError();
      return await answerSignUp(context, { provider, pace, typed });
    } catch (error) {
      const isShown = isAuthError(error) && SHOWN.has(error.code) && !prefersJson(request);
      if (!isShown) throw error;
      // Nobody types so much: to send it back only makes the answer long.
      const { name, email, callbackUrl } = typed;
      const short = (text: string) => text.length <= 1024 ? text : "";
      const again = { name: short(name ?? ""), email: short(email), callbackUrl };
      return await failedForm(context, error, {
        page: "signUp",
        parameters: { name: again.name || null, email: again.email || null, callbackUrl },
        builtIn: () => formPage(context, provider, { typed: again, error }),
      });
    }
  };
}

/** `GET /signup/sent`: the page on which a visitor waits for the mail, the same for every address. */
export function showSignUpSent(context: EndpointContext): Response {
  const { store, url } = context;
  const { basePath, trustedOrigins } = store.auth.settings;
  const look = lookOf(store);
  const page = checkMailPage(look, {
    address: readSentTo(store)?.address ?? null,
    code: null,
    resend: readBrowserSecrets(store).length === 0 ? null : { action: basePath + PATHS.resend },
    resent: url.searchParams.get("sent") === "again",
    change: pathOf(store.auth.settings, "signUp"),
  });
  return pageResponse(look, page, { formOrigins: trustedOrigins });
}

/** The sign-up of this browser that is stored, the newest first; null for none. */
async function pendingOf(
  store: EndpointContext["store"],
  secrets: readonly string[],
): Promise<PendingSignUp | null> {
  const { storage, now } = store.auth.settings;
  const passwords = groupOf(storage, passwordGroup);
  for (const secret of secrets) {
    const pending = await passwords.readSignUpOfBrowser(await hashSecret(secret), now());
    if (pending !== null) return pending;
  }
  return null;
}

/**
 * `POST /signup/resend`: sends the mail of this browser's sign-up again; without one it leads to the form. A sign-up
 * that the application refused, or that is over, has nothing stored and gets the same answer after the same work.
 */
export function resendEndpoint(provider: CheckedPasswords): Endpoint {
  const pace = createPace();
  return async function resendSignUp(context) {
    const { store, store: { auth: { settings, origin } } } = context;
    await readFields(store.request, { optional: true });
    const secrets = readBrowserSecrets(store);
    if (secrets.length === 0) {
      return goTo(context, ownRedirect(settings.basePath + PATHS.signUp, origin()));
    }
    const pending = await pendingOf(store, secrets);
    const to = parseEmailAddress(pending?.email ?? readSentTo(store)?.address ?? "");
    const within = to !== null && await mayBeMailed(context, {
      of: "emailVerification",
      provider: provider.id,
      identifier: to.identity,
      apart: "sign-up",
    });
    const known = to &&
      await groupOf(settings.storage, accountGroup).getUserByEmail(to.identity);
    if (within && pending !== null) {
      const { tokenHash: _hash, createdAt: _created, expiresAt: _expires, ...data } = pending;
      await pace.measure(() => storeAndSend(context, provider, { data, to, known }));
    } else await pace.wait();
    return goTo(context, waitingPlace(context, true));
  };
}
