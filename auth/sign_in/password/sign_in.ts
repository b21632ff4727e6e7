/**
 * Sign-in with a password: the address first, then the password.
 *
 * @module
 */

import type { Endpoint, EndpointContext, Settings } from "../../core/contracts.ts";
import { withErrorHeaders } from "../../core/error_response.ts";
import { jsonResponse, ownRedirect, safeCallback } from "../../core/redirect.ts";
import { accountOf, prefersJson } from "../../core/request.ts";
import {
  type AuthError,
  InvalidCredentialsError,
  InvalidEmailError,
  isAuthError,
  type RateLimitedError,
  UserUnavailableError,
} from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { parseEmailAddress } from "../../lib/email_address.ts";
import { lookOf, pageResponse } from "../../pages/frame.ts";
import { passwordPage } from "../../pages/sign_in.ts";
import { knownError, limitedPage, retryAfterOf } from "../../pages/trouble.ts";
import { needsRehash } from "../../password/hash.ts";
import { limitAttempts } from "../../rate_limit/sign_in.ts";
import { NEVER } from "../../storage/first_proof.ts";
import { passwordGroup } from "../../storage/passwords.ts";
import { groupOf } from "../../storage/storage.ts";
import { createSignInRecord } from "../../storage/user_record.ts";
import { tellPasswordSignIn } from "../after_password.ts";
import { withCallback, withPasskeyList } from "../pages.ts";
import { completeSignIn, failurePage } from "../sign_in.ts";
import { findPassword } from "./find_password.ts";
import { type CheckedPasswords, PATHS } from "./options.ts";
import { describeProblem } from "./new_password.ts";
import { pathOf } from "./pages.ts";

/** Fields of the sign-in form. */
interface TypedSignIn {
  email: string;
  password: string | undefined;
  callbackUrl: string | undefined;
}

async function readTyped({ store: { request } }: EndpointContext): Promise<TypedSignIn> {
  const fields = await readFields(request, { optional: false });
  return {
    email: fields.get("email") ?? "",
    password: fields.get("password"),
    callbackUrl: fields.get("callbackUrl"),
  };
}

/** The page that asks for the password of an address, known or not. */
function askPassword(
  context: EndpointContext,
  { email, callbackUrl: wanted, error = null }: {
    email: string;
    callbackUrl: string | undefined;
    error?: AuthError | null;
  },
): Response {
  const { store, store: { auth: { settings, origin } } } = context;
  const { basePath, pages, providers, trustedOrigins } = settings;
  const look = lookOf(store);
  const callbackUrl = safeCallback(wanted, context);
  const byMail = [...providers.values()].find(({ type }) => type === "email");
  const said = describeProblem(look, error);
  const isWrong = error?.code === "INVALID_CREDENTIALS";
  const page = passwordPage(look, {
    action: basePath + PATHS.signIn,
    email,
    change: ownRedirect(pages.signIn, origin(), { callbackUrl }),
    hidden: { callbackUrl },
    forgot: withCallback(pathOf(settings, "forgotPassword"), callbackUrl),
    emailLink: byMail === undefined
      ? null
      : { action: `${basePath}/signin/${byMail.id}`, hidden: { callbackUrl } },
    error: isWrong ? said : null,
    trouble: isWrong ? null : said,
  });
  const { page: listed, scripts } = withPasskeyList(store, look, { page, callbackUrl });
  return pageResponse(look, listed, {
    status: error?.status ?? 200,
    formOrigins: trustedOrigins,
    scripts,
  });
}

/** Answers whoever has no tries left: when the next one is, and every other way. */
function limitedResponse(
  context: EndpointContext,
  error: RateLimitedError,
  { email, callbackUrl: wanted }: { email: string; callbackUrl: string | undefined },
): Response {
  const { store, store: { auth: { settings } } } = context;
  const { basePath, pages, providers, trustedOrigins, now } = settings;
  const look = lookOf(store);
  const callbackUrl = safeCallback(wanted, context);
  const byMail = [...providers.values()].find(({ type }) => type === "email");
  const atOnce = byMail === undefined ? "RATE_LIMITED_PASSWORD" : "RATE_LIMITED_ACCOUNT";
  const page = limitedPage(look, {
    seconds: retryAfterOf(error),
    now: now(),
    reason: error.useEmail ? knownError(look, atOnce) : null,
    emailLink: byMail === undefined
      ? null
      : { action: `${basePath}/signin/${byMail.id}`, hidden: { email, callbackUrl } },
    forgot: withCallback(pathOf(settings, "forgotPassword"), callbackUrl),
    signIn: withCallback(pages.signIn, callbackUrl),
  });
  return pageResponse(look, page, { status: error.status, formOrigins: trustedOrigins });
}

async function answerWrongAddress(
  context: EndpointContext,
  { email, callbackUrl }: TypedSignIn,
): Promise<Response> {
  const error = new InvalidEmailError();
  if (prefersJson(context.store.request)) throw error;
  return await failurePage(error, context, {
    values: new Map([["email", email]]),
    callbackUrl,
  });
}

/**
 * `POST /signin`: takes an address, and asks for its password. It looks nobody up, so nothing tells whether the address
 * is known.
 */
export async function startSignIn(context: EndpointContext): Promise<Response> {
  const typed = await readTyped(context);
  const to = parseEmailAddress(typed.email);
  if (to === null) return await answerWrongAddress(context, typed);
  if (prefersJson(context.store.request)) return jsonResponse({ next: "password" });
  return askPassword(context, { ...typed, email: to.address });
}

/**
 * Refuses a disabled user, and a password that was ended. Asked about nobody too: neither the answer nor its time may
 * tell that a password is right.
 */
async function assertCounts(
  { storage }: Settings,
  userId: string,
  proofBegunAt: number,
): Promise<void> {
  if (!await storage.credentialsCount(userId, proofBegunAt)) throw new UserUnavailableError();
}

/** Hashes a password anew whose hash another library made, or an older release. It never fails the sign-in. */
async function rehash(
  { store: { auth: { settings: { storage } } } }: EndpointContext,
  { hasher }: CheckedPasswords,
  { userId, password, from }: { userId: string; password: string; from: string },
): Promise<void> {
  const to = await hasher.hash(password);
  await groupOf(storage, passwordGroup).replaceHash(userId, { from, to });
}

/** `POST /signin/passwords`: checks the password and begins a session. */
export function passwordEndpoint(provider: CheckedPasswords): Endpoint {
  return async function signInWithPassword(context) {
    const { store, store: { request, report, auth: { settings } } } = context;
    const typed = await readTyped(context);
    const { password, callbackUrl } = typed;
    const to = parseEmailAddress(typed.email);
    if (to === null) return await answerWrongAddress(context, typed);
    const { address: email, identity } = to;
    // From a page with one field, such as an older one of the application's own.
    if (password === undefined && !prefersJson(request)) {
      return askPassword(context, { email, callbackUrl });
    }
    let userId: string | undefined;
    try {
      const attempt = { of: "login", provider: provider.id, identifier: identity } as const;
      const refund = await limitAttempts(context, attempt);
      const begunAt = settings.now();
      const found = await findPassword(settings.storage, identity);
      const hash = found?.hash ?? null;
      // Read with the hash: a password that is changed meanwhile was the old one, whatever the clock of who changes it says.
      const proofBegunAt = Math.min(found?.credentialsAfter ?? 0, NEVER - 1);
      // With nothing found it does the same work.
      const of = { userId: found?.user.id };
      const isRight = await provider.hasher.verify(password ?? "", hash, of);
      userId = isRight ? found?.user.id : undefined;
      await assertCounts(settings, userId ?? crypto.randomUUID(), proofBegunAt);
      if (userId === undefined || found === null) throw new InvalidCredentialsError();
      const { user } = found;
      const response = await completeSignIn(context, {
        owner: createSignInRecord({ id: user.id }, settings.now(), "passwords()"),
        user,
        known: true,
        save: { proofBegunAt, existing: true },
        identifier: email,
        account: { provider: provider.id, providerAccountId: user.id, type: "credentials" },
        callbackUrl,
      });
      refund();
      await tellPasswordSignIn(context, { userId, begunAt });
      if (hash !== null && needsRehash(hash)) {
        store.waitUntil(rehash(context, provider, { userId, password: password!, from: hash }));
      }
      return response;
    } catch (error) {
      if (!isAuthError(error) || error.status >= 500) throw error;
      const { code } = error;
      if (code !== "RATE_LIMITED") {
        const who = { provider: provider.id, ...(userId !== undefined && { userId }) };
        report({ type: "sign-in-failed", code, ...who, ...await accountOf(settings, identity) });
      }
      const shown = code === "USER_UNAVAILABLE" ? new InvalidCredentialsError() : error;
      if (prefersJson(request)) throw shown;
      if (settings.pages.signIn === `${settings.basePath}/signin`) {
        const page = shown.code === "RATE_LIMITED"
          ? limitedResponse(context, shown as RateLimitedError, { email, callbackUrl })
          : askPassword(context, { email, callbackUrl, error: shown });
        return withErrorHeaders(page, shown);
      }
      return await failurePage(shown, context, {
        values: new Map([["email", email]]),
        callbackUrl,
      });
    }
  };
}
