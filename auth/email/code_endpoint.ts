import { type LeftBehind, leftBehindNotice, readLeftAt } from "../accounts/left_behind.ts";
import { isAuthError } from "../errors/auth_error.ts";
import { EmailProofError } from "../errors/email_errors.ts";
import { markup } from "../http/html.ts";
import { prefersJson } from "../http/negotiate.ts";
import { pageResponse } from "../http/page.ts";
import { readFields } from "../http/read_fields.ts";
import { hashSecret } from "../one_time/secret.ts";
import type { CheckedEmail } from "../providers/email_config.ts";
import { accountOf } from "../rate_limit/account_guard.ts";
import { limitAttempts, type Refund } from "../rate_limit/sign_in_limits.ts";
import { secretsOf } from "../storage/secrets_of.ts";
import { sentSecretsOf } from "../storage/sent_secrets_of.ts";
import { readBrowserSecrets } from "./browser_secrets.ts";
import { CODE_ATTEMPTS, codeMatches, readCode } from "./code.ts";
import { type ProvenMailbox, signInByEmail } from "./complete_email_sign_in.ts";
import { readPending } from "./pending_sign_in.ts";
import { codeFailurePage } from "./verify_request_page.ts";
import type { Endpoint, EndpointContext } from "../http/contracts.ts";

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
  const stored = await sentSecretsOf(storage)
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
  const secrets = secretsOf(settings.storage);
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
