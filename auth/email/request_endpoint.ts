import { isAuthError } from "../errors/auth_error.ts";
import { InvalidEmailError } from "../errors/input_errors.ts";
import { jsonResponse, safeCallback } from "../http/endpoint.ts";
import { prefersJson } from "../http/negotiate.ts";
import { readFields } from "../http/read_fields.ts";
import { ownRedirect, redirectResponse } from "../http/redirect_guard.ts";
import { createSecret, hashSecret } from "../one_time/secret.ts";
import type { CheckedEmail } from "../providers/email_config.ts";
import { accountOf } from "../rate_limit/account_guard.ts";
import { mayBeMailed } from "../rate_limit/sign_in_limits.ts";
import { askSignIn } from "../sign_in/ask_sign_in.ts";
import { failurePage } from "../sign_in/failure_page.ts";
import { accountsOf } from "../storage/accounts_of.ts";
import { sentSecretsOf } from "../storage/sent_secrets_of.ts";
import { type EmailAddress, parseEmailAddress } from "../users/email_address.ts";
import { keepBrowserSecret } from "./browser_secrets.ts";
import { CODE_MAX_AGE, codeDigest, createCode } from "./code.ts";
import { deliver } from "./deliver.ts";
import { createPace } from "./pace.ts";
import { KEPT_MAILS, pendingRecord } from "./pending_sign_in.ts";
import type { SafeRedirect } from "../errors/redirect_error.ts";
import type { EmailParams } from "../providers/application.ts";
import type { Endpoint, EndpointContext } from "../http/contracts.ts";

// What the visitor is told beside the form, to try again.
const SHOWN = new Set(["INVALID_EMAIL", "EMAIL_NOT_SENT", "RATE_LIMITED"]);

/** What mailers read in one way only: the mailbox as it was typed, at a domain in ASCII. */
function deliverableAddress({ address, identity }: EmailAddress): string {
  return address.slice(0, address.indexOf("@")) + identity.slice(identity.lastIndexOf("@"));
}

/** What becomes of a request for an e-mail. */
interface Verdict {
  /** "send", "refused", or where to send the visitor instead. */
  decided: "send" | "refused" | SafeRedirect;
  /** See {@linkcode EmailParams}. */
  ends: boolean;
}

/** Asks the application whether this address may have a link at all. */
async function verdict(
  context: EndpointContext,
  { id: provider }: CheckedEmail,
  { address: email, identity }: EmailAddress,
): Promise<Verdict> {
  const known = await accountsOf(context.store.auth.settings.storage).getUserByEmail(identity);
  const ends = known !== null && !known.emailVerified;
  try {
    const elsewhere = await askSignIn(context, {
      user: known ?? { id: crypto.randomUUID(), email, emailVerified: null },
      account: { provider, providerAccountId: identity, type: "email" },
      email: { verificationRequest: true },
    });
    return { decided: elsewhere ?? "send", ends };
  } catch (error) {
    if (!isAuthError(error) || error.status >= 500) throw error;
    const who = { provider, ...(known !== null && { userId: known.id }) };
    const account = await accountOf(context.store.auth.settings, identity);
    context.store.report({ type: "sign-in-failed", code: error.code, ...who, ...account });
    return { decided: "refused", ends };
  }
}

/** Stores a new link, and a code if there are codes, and writes what is to be sent. */
async function prepare(
  context: EndpointContext,
  provider: CheckedEmail,
  { to, callbackUrl, browserSecret, ends }: {
    to: EmailAddress;
    callbackUrl: string | null;
    browserSecret: string;
    ends: boolean;
  },
): Promise<EmailParams> {
  const { settings, origin } = context.store.auth;
  const { storage, now, basePath } = settings;
  const at = now();
  const token = createSecret();
  const browser = await hashSecret(browserSecret);
  const pending = { address: to.address, callbackUrl, browser, digest: "" };
  const link = { hash: await hashSecret(token), to, pending, at, maxAge: provider.maxAge };
  const keep = { keep: KEPT_MAILS };
  await sentSecretsOf(storage).putNewestSecret(pendingRecord("email-link", link), keep);
  const identifier = deliverableAddress(to);
  const params: EmailParams = {
    identifier,
    url: ownRedirect(`${basePath}/callback/${provider.id}`, origin(), { token, email: identifier }),
    token,
    expires: new Date(at + provider.maxAge * 1000),
    ends,
  };
  if (!provider.code) return params;
  const code = createCode();
  const digest = await codeDigest(code, { browserSecret, identity: to.identity });
  const maxAge = Math.min(provider.maxAge, CODE_MAX_AGE);
  const record = { ...link, hash: browser, pending: { ...pending, digest }, maxAge };
  await sentSecretsOf(storage).putNewestSecret(pendingRecord("email-code", record), keep);
  return { ...params, code };
}

/**
 * `POST /signin/<id>`: sends a link. Known, unknown and refused addresses get the same answer, after the
 * same time.
 */
export function requestEndpoint(provider: CheckedEmail): Endpoint {
  const pace = createPace();

  async function answer(
    context: EndpointContext,
    { to, callbackUrl }: { to: EmailAddress; callbackUrl: string | null },
  ): Promise<Response> {
    const { store } = context;
    const { pages } = store.auth.settings;
    const attempt = {
      of: "emailVerification",
      provider: provider.id,
      identifier: to.identity,
    } as const;
    const within = await mayBeMailed(context, attempt);
    // Asked also about whom nothing is sent to: the answer is as any other's.
    const { decided: asked, ends } = await verdict(context, provider, to);
    const decided = asked === "send" && !within ? "refused" : asked;
    const refused = decided === "refused";
    const browserSecret = createSecret();
    if (decided === "send") {
      await pace.measure(async () => {
        const params = await prepare(context, provider, { to, callbackUrl, browserSecret, ends });
        await deliver(provider, params, { context });
      });
    } else if (refused) {
      await pace.wait();
    }
    keepBrowserSecret(store, browserSecret, provider.maxAge);
    const redirectTo = decided === "send" || refused
      ? ownRedirect(pages.verifyRequest, store.auth.origin())
      : decided;
    if (prefersJson(store.request)) return jsonResponse({ redirectTo });
    return redirectResponse(redirectTo, 303);
  }

  return async function sendLink(context) {
    const { request, report } = context.store;
    const fields = await readFields(request, { optional: false });
    const typed = fields.get("email") ?? "";
    const callbackUrl = safeCallback(fields.get("callbackUrl"), context);
    try {
      const to = parseEmailAddress(typed);
      if (to === null) throw new InvalidEmailError();
      return await answer(context, { to, callbackUrl });
    } catch (error) {
      if (!isAuthError(error) || !SHOWN.has(error.code)) throw error;
      if (error.code !== "RATE_LIMITED") {
        report({ type: "sign-in-failed", code: error.code, provider: provider.id });
      }
      if (prefersJson(request)) throw error;
      return await failurePage(error, context, {
        values: new Map([["email", typed]]),
        callbackUrl,
      });
    }
  };
}
