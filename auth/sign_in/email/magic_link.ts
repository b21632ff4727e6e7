/**
 * Sign-in by the link from an email.
 *
 * @module
 */

import type { Endpoint, EndpointContext } from "../../core/contracts.ts";
import { prefersJson } from "../../core/request.ts";
import { accountOf } from "../../core/request.ts";
import { EmailProofError, isAuthError } from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { type EmailAddress, parseEmailAddress } from "../../lib/email_address.ts";
import { hashSecret, isSecret } from "../../lib/secret.ts";
import { lookOf, pageResponse } from "../../pages/frame.ts";
import { expiredLinkPage, openedLinkPage } from "../../pages/mail.ts";
import { secretGroup } from "../../storage/secrets.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import { signInWithIdentity } from "../identity.ts";
import { readLeftAt } from "../first_proof.ts";
import { failurePage } from "../sign_in.ts";
import { reportReplay } from "../used_links.ts";
import {
  type CheckedEmail,
  type PendingSignIn,
  readBrowserSecrets,
  readPending,
} from "./pending.ts";

const USED = "email-link-used";

/** A link that was presented, and what is stored of it. */
interface PresentedLink {
  to: EmailAddress;
  hash: string;
  pending: PendingSignIn;
  /** True in the browser that requested the email. */
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

/** Answers what makes a link fail with a page on which a new one can be asked for. */
async function answerFailure(
  error: unknown,
  context: EndpointContext,
  { id, maxAge }: CheckedEmail,
  email: string | null | undefined,
): Promise<Response> {
  const { store, store: { auth: { settings: { basePath, pages, trustedOrigins } } } } = context;
  if (!isAuthError(error) || error.status >= 500 || prefersJson(store.request)) throw error;
  if (error.code === "INVALID_LINK" && pages.signIn === `${basePath}/signin`) {
    const look = lookOf(store);
    const address = parseEmailAddress(email ?? "")?.address ?? null;
    const page = expiredLinkPage(look, {
      action: `${basePath}/signin/${id}`,
      email: address,
      seconds: maxAge,
      signIn: pages.signIn,
    });
    return pageResponse(look, page, { status: error.status, formOrigins: trustedOrigins });
  }
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
      const look = lookOf(context.store);
      const page = openedLinkPage(look, {
        action: `${basePath}/callback/${provider.id}`,
        hidden: { token, email },
        address: to.address,
        about: "sign-in",
        elsewhere: !sameBrowser,
        ends,
      });
      return pageResponse(look, page, { formOrigins: trustedOrigins });
    } catch (error) {
      return await answerFailure(error, context, provider, email);
    }
  };
}

/** Reports an invalid link: one that was used already may have been read by another person. */
async function reportRefusal(
  context: EndpointContext,
  error: unknown,
  { provider, token, email }: {
    provider: string;
    token: string | undefined;
    email: string | undefined;
  },
): Promise<void> {
  if (!isAuthError(error) || error.status >= 500) return;
  const { report, auth: { settings } } = context.store;
  const account = await accountOf(settings, email);
  report({ type: "sign-in-failed", code: error.code, provider, ...account });
  if (error.code === "INVALID_LINK") {
    await reportReplay(context, { provider, token, purpose: USED });
  }
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
      return await answerFailure(error, context, provider, email);
    }
  };
}

/** The part of an address in which capitals may count (RFC 5321, 2.4). */
function localPart(address: string): string | undefined {
  return address.split("@")[0];
}

/** Mailbox proven by an email that reached it. */
export interface ProvenMailbox {
  /** The mailbox, see `parseEmailAddress()`. */
  identity: string;
  /** Record that was stored with the request. */
  pending: PendingSignIn;
  /** Secret from the email that is about to be redeemed. */
  secret: { purpose: "email-link" | "email-code"; hash: string };
}

/**
 * Signs in the user of a proven mailbox, or a new user. The link or code is taken once the
 * application has agreed, in the step that stores the proof, with every other one for the mailbox.
 *
 * @throws {EmailProofError} When somebody else was faster, or the account has the mailbox in other capitals.
 * @throws {AccessDeniedError} When the `signIn` callback refuses.
 * @throws {UserUnavailableError} When the mailbox is that of a disabled user.
 */
export async function signInByEmail(
  context: EndpointContext,
  { id: provider }: CheckedEmail,
  { identity, pending: { address, callbackUrl }, secret }: ProvenMailbox,
): Promise<Response> {
  const { storage, now } = context.store.auth.settings;
  const isLink = secret.purpose === "email-link";
  const failure = () =>
    new EmailProofError(undefined, { code: isLink ? "INVALID_LINK" : "INVALID_CODE" });
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
    check(email) {
      // The account may have come later than the email, which proves nothing but the spelling that it went to.
      const own = parseEmailAddress(email ?? "")?.address ?? address;
      if (localPart(own) !== localPart(address)) throw failure();
    },
    async redeem(proof) {
      const outcome = await groupOf(storage, sentSecretGroup).redeemSecret(
        { ...secret, identifier: identity },
        {
          ...proof,
          now: now(),
          ends: ["email-link", "email-code"],
          // Who comes with it again may have read somebody else's mail.
          ...(isLink && { usedAs: USED }),
        },
      );
      if (outcome === "absent") throw failure();
      return outcome;
    },
    callbackUrl,
  });
}
