import type { Awaitable } from "../callbacks/callbacks.ts";
import { EmailNotSentError, EmailProofError } from "../errors/email_errors.ts";
import { InvalidEmailError } from "../errors/input_errors.ts";
import type { Endpoint, EndpointContext } from "../http/endpoint.ts";
import { type Html, markup } from "../http/html.ts";
import { pageResponse } from "../http/page.ts";
import { readFields } from "../http/read_fields.ts";
import { ownRedirect } from "../http/redirect_guard.ts";
import { withoutSecrets } from "../email/deliver.ts";
import { createSecret, hashSecret, isSecret } from "../one_time/secret.ts";
import { limitAttempts } from "../rate_limit/sign_in_limits.ts";
import { updateUser } from "../request/user_operations.ts";
import { accountsOf } from "../storage/accounts_of.ts";
import { secretsOf } from "../storage/secrets_of.ts";
import { sentSecretsOf } from "../storage/sent_secrets_of.ts";
import { parseEmailAddress } from "../users/email_address.ts";
import type { User } from "../users/user.ts";
import { backToAccount } from "./account_actions.ts";
import { ACCOUNT_PATH, requireFreshOwner } from "./owner.ts";

/** One of the two mails about a new address. */
export interface EmailChangeParams {
  /** The address to which this mail goes. */
  to: string;
  /** Whether that is the address of now or the new one. */
  part: "old" | "new";
  /** The address that the user wants, which the mail to the old one names too. */
  newEmail: string;
  /** What to open. The address changes when both links have been opened. */
  url: string;
  /** When the links of both mails end. */
  expires: Date;
}

/** Sends one of the mails. */
export type SendEmailChange = (
  params: EmailChangeParams,
  context: { env: unknown; request: Request },
) => Awaitable<void>;

const MAX_AGE = 3_600_000;
const CHANGE = "email-change";
const CONFIRM_PATH = "/account/email/confirm";

interface Change {
  email: string;
  /** How many addresses have to agree: the new one, and that of now if there is one. */
  needed: number;
}

/** Sends the mails. Whether somebody else has the new address is told to nobody: they get no mail, that is all. */
async function sendMails(
  context: EndpointContext,
  send: SendEmailChange,
  { user, email, identity }: { user: User; email: string; identity: string },
): Promise<void> {
  const { env, request, auth: { settings, origin } } = context.store;
  const { storage, basePath, logger } = settings;
  const secrets = sentSecretsOf(storage);
  const createdAt = settings.now();
  const expiresAt = createdAt + MAX_AGE;
  const common = { identifier: user.id, userId: user.id, createdAt, expiresAt };
  const hash = await hashSecret(createSecret());
  const old = user.email ?? null;
  const change: Change = { email, needed: old === null ? 1 : 2 };
  // The newest change is the one that counts.
  const keep = { keep: 1 };
  await secrets.putNewestSecret(
    { ...common, purpose: CHANGE, hash, payload: JSON.stringify(change) },
    keep,
  );
  const taken = await accountsOf(storage).getUserByEmail(identity) !== null;

  async function sendMail(part: "old" | "new", to: string | null): Promise<void> {
    if (to === null) return;
    const token = createSecret();
    const purpose = `${CHANGE}-${part}`;
    await secrets.putNewestSecret(
      { ...common, purpose, hash: await hashSecret(token), payload: hash },
      keep,
    );
    const url = ownRedirect(basePath + CONFIRM_PATH, origin(), { part, token });
    try {
      await send({ to, part, newEmail: email, url, expires: new Date(expiresAt) }, {
        env,
        request,
      });
    } catch (cause) {
      const error = withoutSecrets(cause, { token });
      logger.error("email-not-sent", { requestId: context.requestId, error });
      throw new EmailNotSentError();
    }
  }

  // At once, so that one mail takes as long as two.
  await Promise.all([sendMail("old", old), sendMail("new", taken ? null : email)]);
}

/** `POST /account/email`: asks both addresses whether the owner's is to change. */
export function changeEmail(send: SendEmailChange): Endpoint {
  return async function startEmailChange(context) {
    const user = await requireFreshOwner(context);
    const fields = await readFields(context.store.request, { optional: false });
    const parsed = parseEmailAddress(fields.get("email") ?? "");
    if (parsed === null) throw new InvalidEmailError();
    const { address: email, identity } = parsed;
    // By who asks and by the mailbox, which somebody with many accounts could flood.
    for (const identifier of [user.id, identity]) {
      await limitAttempts(context, { of: "emailVerification", provider: "account", identifier });
    }
    const isSame = parseEmailAddress(user.email ?? "")?.identity === identity;
    if (!isSame) await sendMails(context, send, { user, email, identity });
    return backToAccount(context, "email-sent");
  };
}

/** A link that came back: which of the two it is, and its token. */
function readLink(get: (name: string) => string | null | undefined): {
  purpose: string;
  part: string;
  token: string;
} {
  const part = get("part");
  const token = get("token");
  if ((part !== "old" && part !== "new") || !isSecret(token)) throw new EmailProofError();
  return { purpose: `${CHANGE}-${part}`, part, token };
}

/**
 * Whoever agrees to be the new address of an account that is not theirs would share it with its owner, so
 * that side agrees where the change was asked for.
 *
 * @throws {EmailProofError} `OTHER_BROWSER`, when the owner is not signed in here.
 */
async function requireOwnChange(
  { store }: EndpointContext,
  { part, userId }: { part: string; userId: string | null },
): Promise<void> {
  if (part === "old") return;
  const state = await store.auth.load();
  if (state.status === "valid" && state.session.user.id === userId) return;
  throw new EmailProofError(undefined, { code: "OTHER_BROWSER" });
}

/** `GET /account/email/confirm`: where the links lead, a page with a button that changes nothing by itself. */
export async function showEmailChange(context: EndpointContext): Promise<Response> {
  const { store: { auth: { settings } }, url } = context;
  const { purpose, part, token } = readLink((name) => url.searchParams.get(name));
  const secrets = secretsOf(settings.storage);
  const now = settings.now();
  const link = await secrets.readSecret(purpose, await hashSecret(token), now);
  const stored = link === null ? null : await secrets.readSecret(CHANGE, link.payload!, now);
  if (stored === null) throw new EmailProofError();
  await requireOwnChange(context, { part, userId: stored.userId });
  const { email } = JSON.parse(stored.payload!) as Change;
  return pageResponse({
    title: "Change the address",
    body: markup`<p>The new address of the account: <strong>${email}</strong></p>
<form method="post" action="${settings.basePath}${CONFIRM_PATH}">
<input type="hidden" name="part" value="${part}">
<input type="hidden" name="token" value="${token}">
<button type="submit">Agree</button>
</form>`,
  });
}

function noted(context: EndpointContext, text: Html): Response {
  const { basePath } = context.store.auth.settings;
  return pageResponse({
    title: "Change the address",
    body: markup`<p role="status">${text}</p>
<p><a href="${basePath}${ACCOUNT_PATH}">Your account</a></p>`,
  });
}

/** `POST /account/email/confirm`: one address agrees. With the last one that must, the address changes. */
export async function confirmEmailChange(context: EndpointContext): Promise<Response> {
  const { request, report, auth: { settings } } = context.store;
  const fields = await readFields(request, { optional: false });
  const { purpose, part, token } = readLink((name) => fields.get(name));
  const secrets = secretsOf(settings.storage);
  const now = settings.now();
  const hash = await hashSecret(token);
  const known = await secrets.readSecret(purpose, hash, now);
  if (known !== null) await requireOwnChange(context, { part, userId: known.userId });
  const link = await secrets.takeSecret(purpose, hash, { now });
  // Counted in one statement: of two that agree at once, one is the second.
  const change = link === null
    ? null
    : await sentSecretsOf(settings.storage).countAttempt(CHANGE, link.payload!, { now, max: 2 });
  if (change?.userId == null) throw new EmailProofError();
  const { email, needed } = JSON.parse(change.payload!) as Change;
  if (change.attempts < needed) {
    return noted(
      context,
      markup`This address is confirmed. Now open the link that we sent to the other one.`,
    );
  }
  const { userId } = change;
  const changed = await updateUser(userId, { email, emailVerified: new Date(now) });
  if (changed === null) throw new EmailProofError();
  report({ type: "email-changed", userId });
  return noted(context, markup`Your address is changed.`);
}
