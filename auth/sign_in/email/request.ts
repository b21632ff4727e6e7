/**
 * The request for a sign-in mail.
 *
 * @module
 */

import type { Endpoint, EndpointContext } from "../../core/contracts.ts";
import { jsonResponse, ownRedirect, redirectResponse, safeCallback } from "../../core/redirect.ts";
import { accountOf, prefersJson } from "../../core/request.ts";
import {
  EmailNotSentError,
  InvalidEmailError,
  isAuthError,
  type SafeRedirect,
} from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { type EmailAddress, parseEmailAddress } from "../../lib/email_address.ts";
import { createSecret, hashSecret } from "../../lib/secret.ts";
import { lookOf } from "../../pages/frame.ts";
import { inGroups, signInMail } from "../../pages/mails.ts";
import { mayBeMailed } from "../../rate_limit/sign_in.ts";
import { accountGroup } from "../../storage/accounts.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import type { EmailParams, OutgoingMail } from "../../types/application.ts";
import type { User } from "../../types/user.ts";
import { askSignIn, failurePage } from "../sign_in.ts";
import { CODE_MAX_AGE, codeDigest, createCode } from "./code.ts";
import {
  type CheckedEmail,
  keepBrowserSecret,
  keepSentTo,
  KEPT_MAILS,
  pendingRecord,
} from "./pending.ts";

// Messages shown with the form, to try again.
const SHOWN = new Set(["INVALID_EMAIL", "EMAIL_NOT_SENT", "RATE_LIMITED"]);

/**
 * Address in the one form that all mailers parse in the same way: the mailbox as typed, at a domain in ASCII.
 */
export function deliverableAddress({ address, identity }: EmailAddress): string {
  return address.slice(0, address.indexOf("@")) + identity.slice(identity.lastIndexOf("@"));
}

/**
 * Address of a mail about a mailbox: as its account has it. In other capitals it may be somebody else's (RFC 5321, 2.4),
 * whom the mail would let in.
 *
 * @param user Owner of the mailbox; null for nobody, who is written to as typed.
 */
export function accountAddress(user: User | null, typed: EmailAddress): EmailAddress {
  return parseEmailAddress(user?.email ?? "") ?? typed;
}

/** Outcome of a request for an email. */
interface Verdict {
  /** Address that the email goes to. */
  to: EmailAddress;
  /** "send", "refused", or where to send the visitor instead. */
  decided: "send" | "refused" | SafeRedirect;
  /** See {@linkcode EmailParams}. */
  ends: boolean;
}

/** Asks the application whether this address may have a link at all. */
async function verdict(
  context: EndpointContext,
  { id: provider }: CheckedEmail,
  typed: EmailAddress,
): Promise<Verdict> {
  const { address: email, identity } = typed;
  const known = await groupOf(context.store.auth.settings.storage, accountGroup).getUserByEmail(
    identity,
  );
  const to = accountAddress(known, typed);
  const ends = known !== null && !known.emailVerified;
  try {
    const elsewhere = await askSignIn(context, {
      user: known ?? { id: crypto.randomUUID(), email, emailVerified: null },
      account: { provider, providerAccountId: identity, type: "email" },
      email: { verificationRequest: true },
    });
    return { to, decided: elsewhere ?? "send", ends };
  } catch (error) {
    if (!isAuthError(error) || error.status >= 500) throw error;
    const who = { provider, ...(known !== null && { userId: known.id }) };
    const account = await accountOf(context.store.auth.settings, identity);
    context.store.report({ type: "sign-in-failed", code: error.code, ...who, ...account });
    return { to, decided: "refused", ends };
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
  await groupOf(storage, sentSecretGroup).putNewestSecret(pendingRecord("email-link", link), keep);
  const identifier = deliverableAddress(to);
  const look = lookOf(context.store);
  const url = ownRedirect(`${basePath}/callback/${provider.id}`, origin(), {
    token,
    email: identifier,
  });
  const params = {
    identifier,
    url,
    token,
    expires: new Date(at + provider.maxAge * 1000),
    ends,
  };
  if (!provider.code) {
    return { ...params, ...signInMail(look, { url, seconds: provider.maxAge, ends }) };
  }
  const code = createCode();
  const digest = await codeDigest(code, { browserSecret, identity: to.identity });
  const maxAge = Math.min(provider.maxAge, CODE_MAX_AGE);
  const record = { ...link, hash: browser, pending: { ...pending, digest }, maxAge };
  await groupOf(storage, sentSecretGroup).putNewestSecret(
    pendingRecord("email-code", record),
    keep,
  );
  return { ...params, code, ...signInMail(look, { url, code, seconds: maxAge, ends }) };
}

/**
 * Stores a code that is sent to nobody and that nothing matches. Wrong codes count against it as against one that was
 * sent: else a visitor would have used up the tries at a mailbox only where a mail has gone.
 */
async function storeUnsentCode(
  { store: { auth: { settings: { storage, now } } } }: EndpointContext,
  { maxAge }: CheckedEmail,
  { to, browserSecret }: { to: EmailAddress; browserSecret: string },
): Promise<void> {
  const browser = await hashSecret(browserSecret);
  const record = pendingRecord("email-code", {
    hash: browser,
    to,
    pending: { address: to.address, callbackUrl: null, browser, digest: "" },
    at: now(),
    maxAge: Math.min(maxAge, CODE_MAX_AGE),
  });
  await groupOf(storage, sentSecretGroup).putNewestSecret(record, { keep: KEPT_MAILS });
}

/**
 * `POST /signin/<id>`: sends a link. Known, unknown and refused addresses get the same answer, after the
 * same time.
 */
export function requestEndpoint(provider: CheckedEmail): Endpoint {
  const pace = createPace();

  async function answer(
    context: EndpointContext,
    { typed, callbackUrl, again }: {
      typed: EmailAddress;
      callbackUrl: string | null;
      again: boolean;
    },
  ): Promise<Response> {
    const { store } = context;
    const { pages } = store.auth.settings;
    const attempt = {
      of: "emailVerification",
      provider: provider.id,
      identifier: typed.identity,
    } as const;
    const within = await mayBeMailed(context, attempt);
    // Asked also about whom nothing is sent to: the answer is as any other's.
    const { to, decided: asked, ends } = await verdict(context, provider, typed);
    const decided = asked === "send" && !within ? "refused" : asked;
    const refused = decided === "refused";
    const browserSecret = createSecret();
    if (decided === "send") {
      await pace.measure(async () => {
        const params = await prepare(context, provider, { to, callbackUrl, browserSecret, ends });
        await deliver(provider, params, { context, mailer: provider.mailer });
      });
    } else if (refused) {
      await Promise.all([
        pace.wait(),
        provider.code && within && storeUnsentCode(context, provider, { to, browserSecret }),
      ]);
    }
    keepBrowserSecret(store, browserSecret, provider.maxAge);
    keepSentTo(store, { address: typed.address, callbackUrl });
    const redirectTo = decided === "send" || refused
      ? ownRedirect(pages.verifyRequest, store.auth.origin(), { sent: again ? "again" : null })
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
      return await answer(context, { typed: to, callbackUrl, again: fields.has("again") });
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

const TIMEOUT = 10_000;

/**
 * Error without its secrets for the log: a mailer's error may quote the email, and the email
 * opens the account.
 */
export function withoutSecrets(
  error: unknown,
  { token, code }: Pick<EmailParams, "token" | "code">,
): Error {
  const { name = "Error", message = String(error), stack = "" } = error instanceof Error
    ? error
    : {};
  function clean(text: string): string {
    const short = token === "" ? text : text.replaceAll(token, "[token]");
    // In the mail it stands in two groups.
    return code === undefined
      ? short
      : short.replaceAll(code, "[code]").replaceAll(inGroups(code), "[code]");
  }
  const cleaned = new Error(clean(message));
  cleaned.name = name;
  cleaned.stack = clean(stack);
  return cleaned;
}

function waitFor(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/**
 * Lets the application send an email, and waits ten seconds for it at most. The log has its kind and whose account it
 * is about, and not the address.
 *
 * @param params What is sent.
 * @param userId User whom it is about. Default: nobody is known.
 * @param mailer Name of the application's function, as its log is told about one that does not end.
 * @param timeout Milliseconds, for tests.
 * @throws {EmailNotSentError} When that failed or did not end.
 */
export async function deliver(
  { send, from }: Pick<CheckedEmail, "send" | "from">,
  params: Omit<OutgoingMail, "from">,
  { context, userId, mailer = "sendVerificationRequest()", timeout = TIMEOUT }: {
    context: Pick<EndpointContext, "store">;
    userId?: string | undefined;
    mailer?: string;
    timeout?: number;
  },
): Promise<void> {
  const { env, request, auth: { settings: { logger, deliver: carry } } } = context.store;
  const controller = new AbortController();
  const called = carry === undefined ? mailer : "The option deliver()";
  const late = new Error(`${called} did not end within ${timeout} ms`);
  const timer = setTimeout(() => controller.abort(late), timeout);
  const { signal } = controller;
  const { kind = "sign-in" } = params;
  const requestId = context.store.requestId();
  const about = { requestId, kind, ...userId !== undefined && { userId } };
  try {
    const sendOwn = () => send(params, { env, request, from, signal });
    const sending = carry === undefined ? sendOwn() : carry({ ...params, kind, from }, sendOwn);
    await Promise.race([sending, waitFor(signal)]);
    logger.info("email-sent", about);
  } catch (error) {
    logger.error("email-not-sent", { ...about, error: withoutSecrets(error, params) });
    throw new EmailNotSentError();
  } finally {
    clearTimeout(timer);
  }
}

/** Makes what sends no email last as long as what sends one. */
export interface Pace {
  /** Does the work and takes its time as the usual one. */
  measure<T>(work: () => Promise<T>): Promise<T>;
  /** Waits for the usual time. */
  wait(): Promise<void>;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * Begins work once the answer has been given back: what `waitUntil()` is given begins at once, in the turn of the
 * answer, and a database on the same machine or a mailer would hold the answer up for as long as it computes. Nobody
 * waits for it.
 *
 * @param work What depends on whether an address is known.
 */
export function afterAnswer({ store }: EndpointContext, work: () => Promise<void>): void {
  store.waitUntil(pause(0).then(work));
}

/**
 * Creates the delay that hides by timing if an address may sign in: a request that sends no email
 * is answered as slowly as one that does.
 *
 * @param clock Milliseconds; those of the platform by default.
 * @param sleep What waits; a timer by default.
 */
export function createPace(
  clock: () => number = () => performance.now(),
  sleep: (milliseconds: number) => Promise<void> = pause,
): Pace {
  let usual = 0;
  return {
    async measure(work) {
      const start = clock();
      const result = await work();
      // The mean of late ones, with a weight that forgets.
      const taken = clock() - start;
      usual = usual === 0 ? taken : usual * 0.8 + taken * 0.2;
      return result;
    },
    wait: () => sleep(usual),
  };
}
