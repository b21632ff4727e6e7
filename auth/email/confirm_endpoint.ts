import { leftBehindNotice, readLeftAt } from "../accounts/left_behind.ts";
import { isAuthError } from "../errors/auth_error.ts";
import { EmailProofError } from "../errors/email_errors.ts";
import { markup } from "../http/html.ts";
import { prefersJson } from "../http/negotiate.ts";
import { pageResponse } from "../http/page.ts";
import { readFields } from "../http/read_fields.ts";
import { hashSecret, isSecret } from "../one_time/secret.ts";
import type { CheckedEmail } from "../providers/email_config.ts";
import { accountOf } from "../rate_limit/account_guard.ts";
import { failurePage } from "../sign_in/failure_page.ts";
import { secretsOf } from "../storage/secrets_of.ts";
import { type EmailAddress, parseEmailAddress } from "../users/email_address.ts";
import { readBrowserSecrets } from "./browser_secrets.ts";
import { signInByEmail } from "./complete_email_sign_in.ts";
import { type PendingSignIn, readPending } from "./pending_sign_in.ts";
import type { Endpoint, EndpointContext } from "../http/contracts.ts";

/** A link that was presented, and what is stored of it. */
interface PresentedLink {
  to: EmailAddress;
  hash: string;
  pending: PendingSignIn;
  /** Whether this browser is the one that asked for it. */
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
  const secrets = secretsOf(settings.storage);
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
        markup`<p class="alert">You did not ask for this link in this browser. Go on only if it was you.</p>\n`;
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

/** Reports a link that does not hold: one that has been used is one that somebody else may have read. */
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
  const secrets = secretsOf(settings.storage);
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
