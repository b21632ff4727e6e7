/**
 * The confirmation of a sign-in mail, by its link or by its code.
 *
 * @module
 */

import type { Endpoint, EndpointContext } from "../../core/contracts.ts";
import { pageResponse } from "../../core/page.ts";
import { ownRedirect, redirectResponse } from "../../core/redirect.ts";
import { accountOf } from "../../core/request.ts";
import { knownErrorMessage, prefersJson } from "../../core/respond.ts";
import { type AuthError, EmailProofError, isAuthError } from "../../errors.ts";
import { type EmailAddress, parseEmailAddress } from "../../lib/address.ts";
import { readFields } from "../../lib/body.ts";
import { hashSecret, isSecret } from "../../lib/secret.ts";
import { limitAttempts, type Refund } from "../../rate_limit/limits.ts";
import { secretGroup } from "../../storage/secrets.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import { signInWithIdentity } from "../identity.ts";
import { type LeftBehind, leftBehindNotice, readLeftAt } from "../left_behind.ts";
import { failurePage, ownPage } from "../sign_in.ts";
import {
  type CheckedEmail,
  CODE_ATTEMPTS,
  codeMatches,
  type PendingSignIn,
  readBrowserSecrets,
  readCode,
  readPending,
} from "./pending.ts";
import { markup } from "../../lib/html.ts";

/** A link that was presented, and what is stored of it. */
interface PresentedLink {
  to: EmailAddress;
  hash: string;
  pending: PendingSignIn;
  /** True in the browser that requested the e-mail. */
  sameBrowser: boolean;
}

/**
 * Looks at a link and consumes nothing.
 *
 * @throws {EmailProofError} When it does not hold, or not in this browser.
 */
async function lookAt(
  context: EndpointContext,
  { sameBrowser }: CheckedEmail,
  { token, email }: { token: string | null | undefined; email: string | null | undefined },
): Promise<PresentedLink> {
  const { settings } = context.store.auth;
  const to = parseEmailAddress(email ?? "");
  if (to === null || !isSecret(token)) throw new EmailProofError();
  const hash = await hashSecret(token);
  const secrets = groupOf(settings.storage, secretGroup);
  const stored = await secrets.readSecret("email-link", hash, settings.now());
  const pending = stored?.identifier === to.identity ? readPending(stored) : null;
  if (pending === null) throw new EmailProofError();
  const browsers = await Promise.all(readBrowserSecrets(context.store).map(hashSecret));
  const isSame = browsers.includes(pending.browser);
  if (sameBrowser && !isSame) throw new EmailProofError(undefined, { code: "OTHER_BROWSER" });
  return { to, hash, pending, sameBrowser: isSame };
}

/** Answers what makes a link fail with the sign-in page, where a new one can be asked for. */
async function answerFailure(
  error: unknown,
  context: EndpointContext,
  email: string | null | undefined,
): Promise<Response> {
  if (!isAuthError(error) || error.status >= 500 || prefersJson(context.store.request)) throw error;
  const values = new Map([["email", email ?? ""]]);
  return await failurePage(error, context, { values, callbackUrl: null });
}

/**
 * `GET /callback/<id>`: where the link leads, a page with a button. It changes nothing, however often mail
 * scanners and previews follow the link. It shows whose account opens, since whoever sends somebody else a
 * link of their own wants them to go on as the wrong person; and what ends when it is somebody else's account.
 */
export function showConfirmPage(provider: CheckedEmail): Endpoint {
  return async function confirmSignIn(context) {
    const { searchParams } = context.url;
    const token = searchParams.get("token");
    const email = searchParams.get("email");
    try {
      const { to, sameBrowser } = await lookAt(context, provider, { token, email });
      const { basePath, trustedOrigins } = context.store.auth.settings;
      const ends = await readLeftAt(context.store, to.identity);
      const elsewhere = !sameBrowser &&
        markup`<p class="alert">This link was not requested in this browser. Continue only if you requested it.</p>\n`;
      return pageResponse({
        title: "Sign in",
        formOrigins: trustedOrigins,
        body: markup`<p>Sign in as <strong>${to.address}</strong>?</p>
${elsewhere}${
          ends !== null && leftBehindNotice(ends)
        }<form method="post" action="${basePath}/callback/${provider.id}">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="email" value="${email}">
<button type="submit">Sign in</button>
</form>`,
      });
    } catch (error) {
      return await answerFailure(error, context, email);
    }
  };
}

/** Reports an invalid link: one that was used already may have been read by another person. */
async function reportRefusal(
  { store: { report, auth: { settings } } }: EndpointContext,
  error: unknown,
  { provider, token, email }: {
    provider: string;
    token: string | undefined;
    email: string | undefined;
  },
): Promise<void> {
  if (!isAuthError(error) || error.status >= 500) return;
  const account = await accountOf(settings, email);
  report({ type: "sign-in-failed", code: error.code, provider, ...account });
  if (error.code !== "INVALID_LINK" || !isSecret(token)) return;
  const secrets = groupOf(settings.storage, secretGroup);
  const used = await secrets.readSecret("email-link-used", await hashSecret(token), settings.now());
  if (used !== null) report({ type: "replay-detected", provider });
}

/** `POST /callback/<id>`: consumes the link and begins a session. Of any number at once, one does. */
export function confirmEndpoint(provider: CheckedEmail): Endpoint {
  return async function consumeLink(context) {
    const fields = await readFields(context.store.request, { optional: false });
    const email = fields.get("email");
    const token = fields.get("token");
    try {
      const link = await lookAt(context, provider, { token, email });
      const { to: { identity }, hash, pending } = link;
      const secret = { purpose: "email-link", hash } as const;
      const response = await signInByEmail(context, provider, { identity, pending, secret });
      // The page that sent this form has the token in its address; the next page must not hear of it.
      response.headers.set("referrer-policy", "no-referrer");
      return response;
    } catch (error) {
      await reportRefusal(context, error, { provider: provider.id, token, email });
      return await answerFailure(error, context, email);
    }
  };
}

/**
 * Tries one code against what one e-mail brought. The attempt counts before anything is compared, so that
 * no number of attempts at once is more than the allowed ones (GHSA-7w99).
 */
async function tryCode(
  { store: { auth: { settings } } }: EndpointContext,
  code: string,
  browserSecret: string,
): Promise<ProvenMailbox | null> {
  const { storage } = settings;
  const now = settings.now();
  const hash = await hashSecret(browserSecret);
  const stored = await groupOf(storage, sentSecretGroup)
    .countAttempt("email-code", hash, { now, max: CODE_ATTEMPTS });
  if (stored?.identifier == null) return null;
  const { identifier: identity } = stored;
  const pending = readPending(stored);
  if (pending === null) return null;
  if (!await codeMatches(code, pending.digest, { browserSecret, identity })) return null;
  return { identity, pending, secret: { purpose: "email-code", hash } };
}

/** Counts a try against every mailbox that it is for: with a new e-mail a code has new attempts, these go on. */
async function countTry(
  context: EndpointContext,
  provider: string,
  browserSecrets: readonly string[],
  mailboxes: Set<string>,
): Promise<Refund[]> {
  const { settings } = context.store.auth;
  const secrets = groupOf(settings.storage, secretGroup);
  const now = settings.now();
  const stored = await Promise.all(
    browserSecrets.map(async (one) =>
      await secrets.readSecret("email-code", await hashSecret(one), now)
    ),
  );
  const refunds: Refund[] = [];
  for (const one of stored) if (one?.identifier) mailboxes.add(one.identifier);
  for (const identifier of mailboxes) {
    refunds.push(
      await limitAttempts(context, { of: "login", provider, identifier, apart: "code" }),
    );
  }
  return refunds;
}

/**
 * Finds the e-mail that a code came with: one of those that this browser has asked for.
 *
 * @throws {EmailProofError} When it is none of theirs.
 * @throws {RateLimitedError} When there have been too many tries.
 */
async function findProof(
  context: EndpointContext,
  provider: string,
  { typed, mailboxes }: { typed: string | undefined; mailboxes: Set<string> },
): Promise<ProvenMailbox> {
  const code = readCode(typed);
  if (code !== null) {
    const browserSecrets = readBrowserSecrets(context.store);
    const refunds = await countTry(context, provider, browserSecrets, mailboxes);
    for (const browserSecret of browserSecrets) {
      const proof = await tryCode(context, code, browserSecret);
      if (proof === null) continue;
      for (const refund of refunds) refund();
      return proof;
    }
  }
  throw new EmailProofError(undefined, { code: "INVALID_CODE" });
}

/** Says what ends with this first proof of a mailbox, and asks; nothing is taken yet. */
function askFirst(
  { store: { auth: { settings } } }: EndpointContext,
  { id }: CheckedEmail,
  { code, ends }: { code: string; ends: LeftBehind },
): Response {
  return pageResponse({
    title: "Sign in",
    formOrigins: settings.trustedOrigins,
    body: markup`${
      leftBehindNotice(ends)
    }<form method="post" action="${settings.basePath}/callback/${id}/code">
<input type="hidden" name="code" value="${code}">
<input type="hidden" name="ends" value="agreed">
<button type="submit">Sign in</button>
</form>`,
  });
}

/** `POST /callback/<id>/code`: signs in with the code from an e-mail, in the browser that asked for it. */
export function codeEndpoint(provider: CheckedEmail): Endpoint {
  return async function signInWithCode(context) {
    const { request, report } = context.store;
    const fields = await readFields(request, { optional: false });
    const mailboxes = new Set<string>();
    try {
      const proof = await findProof(context, provider.id, { typed: fields.get("code"), mailboxes });
      const hasAgreed = fields.get("ends") === "agreed" || prefersJson(request);
      const ends = hasAgreed ? null : await readLeftAt(context.store, proof.identity);
      if (ends !== null) {
        return askFirst(context, provider, { code: fields.get("code") ?? "", ends });
      }
      return await signInByEmail(context, provider, proof);
    } catch (error) {
      if (!isAuthError(error) || error.status >= 500 || error.code === "RATE_LIMITED") throw error;
      const [mailbox] = mailboxes;
      const account = await accountOf(context.store.auth.settings, mailbox);
      report({ type: "sign-in-failed", code: error.code, provider: provider.id, ...account });
      if (prefersJson(request)) throw error;
      return await codeFailurePage(error, context, provider);
    }
  };
}

/** Mailbox proven by an e-mail that reached it. */
interface ProvenMailbox {
  /** The mailbox, see `parseEmailAddress()`. */
  identity: string;
  /** Record that was stored with the request. */
  pending: PendingSignIn;
  /** Secret from the e-mail that is about to be redeemed. */
  secret: { purpose: "email-link" | "email-code"; hash: string };
}

/**
 * Signs in the user of a proven mailbox, or a new user. The link or code is taken once the
 * application has agreed, in the step that stores the proof, with every other one for the mailbox.
 *
 * @throws {EmailProofError} When somebody else was faster.
 * @throws {AccessDeniedError} When the `signIn` callback refuses.
 * @throws {UserUnavailableError} When the mailbox is that of a disabled user.
 */
async function signInByEmail(
  context: EndpointContext,
  { id: provider }: CheckedEmail,
  { identity, pending: { address, callbackUrl }, secret }: ProvenMailbox,
): Promise<Response> {
  const { storage, now } = context.store.auth.settings;
  const isLink = secret.purpose === "email-link";
  return await signInWithIdentity(context, {
    identity: {
      provider,
      providerAccountId: identity,
      type: "email",
      user: { email: address },
      emailVerified: true,
      trustEmail: true,
    },
    tokens: null,
    email: { verificationRequest: false },
    async redeem(proof) {
      const outcome = await groupOf(storage, sentSecretGroup).redeemSecret(
        { ...secret, identifier: identity },
        {
          ...proof,
          now: now(),
          ends: ["email-link", "email-code"],
          // Who comes with it again may have read somebody else's mail.
          ...(isLink && { usedAs: "email-link-used" }),
        },
      );
      if (outcome !== "absent") return outcome;
      throw new EmailProofError(undefined, { code: isLink ? "INVALID_LINK" : "INVALID_CODE" });
    },
    callbackUrl,
  });
}

/** The built-in page on which a visitor waits for the e-mail, with a form for the code if there are codes. */
function waitPage(
  context: EndpointContext,
  { id, code }: CheckedEmail,
  { error = null, status = 200 }: { error?: string | null; status?: number } = {},
): Response {
  const { basePath, pages, trustedOrigins } = context.store.auth.settings;
  const message = knownErrorMessage(error);
  const form = code && markup`<form method="post" action="${basePath}/callback/${id}/code">
<label>Or enter the code from the e-mail
<input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="12" required>
</label>
<button type="submit">Sign in</button>
</form>`;
  return pageResponse({
    title: "Check your e-mail",
    status,
    formOrigins: trustedOrigins,
    body: markup`${message !== null && markup`<p class="alert" role="alert">${message}</p>`}
<p>If the address can sign in here, we have sent a link to it.</p>
${form}
<p class="quiet">No e-mail? Check your spam folder, or <a href="${pages.signIn}">ask for another one</a>.</p>`,
  });
}

/** `GET /verify-request`: the built-in page, or the way to the application's own. */
export function verifyRequestEndpoint(provider: CheckedEmail): Endpoint {
  return function showVerifyRequest(context) {
    const { settings: { basePath, pages }, origin } = context.store.auth;
    if (pages.verifyRequest !== `${basePath}/verify-request`) {
      return redirectResponse(ownRedirect(pages.verifyRequest, origin()), 302);
    }
    return waitPage(context, provider);
  };
}

/** Sign-in page for another attempt, with the reason and its status. */
async function codeFailurePage(
  error: AuthError,
  context: EndpointContext,
  provider: CheckedEmail,
): Promise<Response> {
  const { settings: { pages }, origin } = context.store.auth;
  const address = ownRedirect(pages.verifyRequest, origin(), { error: error.code });
  return await ownPage(address, error.status, context) ??
    waitPage(context, provider, { error: error.code, status: error.status });
}
