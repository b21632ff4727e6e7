/**
 * Change of the email address.
 *
 * @module
 */

import type { Endpoint, EndpointContext } from "../core/contracts.ts";
import { jsonResponse, ownRedirect } from "../core/redirect.ts";
import { reportChange } from "../core/report.ts";
import { forgetOwn, isOf, prefersJson } from "../core/request.ts";
import {
  ConfigurationError,
  EmailNotSentError,
  EmailProofError,
  InvalidEmailError,
  UserExistsError,
} from "../errors.ts";
import { readFields } from "../lib/body.ts";
import { parseEmailAddress } from "../lib/email_address.ts";
import { createSecret, hashSecret, isSecret } from "../lib/secret.ts";
import { lookOf, pageResponse, say } from "../pages/frame.ts";
import { donePage, openedLinkPage } from "../pages/mail.ts";
import { emailChangeMail } from "../pages/mails.ts";
import type { PageText } from "../pages/texts.ts";
import { limitAttempts, mayBeMailed } from "../rate_limit/sign_in.ts";
import { updateUser } from "../session/users.ts";
import { createPace, type Pace, withoutSecrets } from "../sign_in/email/request.ts";
import { mayKeep, proveMailbox, readLeftBehind } from "../sign_in/first_proof.ts";
import { accountGroup } from "../storage/accounts.ts";
import { secretGroup, type StoredSecret } from "../storage/secrets.ts";
import { sentSecretGroup, type SentSecretRecord } from "../storage/sent_secrets.ts";
import { groupOf } from "../storage/storage.ts";
import type { AuthContext, DefaultEnv } from "../types/application.ts";
import type { Awaitable } from "../types/callbacks.ts";
import type { SessionState } from "../types/session.ts";
import type { User } from "../types/user.ts";
import { backToAccount } from "./actions.ts";
import { ACCOUNT_PATH, requireFreshOwner } from "./sections.ts";

/** One of the two mails about a new address, or the one by which an address is confirmed that the user has. */
export interface EmailChangeParams {
  /** Its kind beside other mails, for one function that sends them all. */
  kind: "email-change";
  /** The address to which this mail goes. */
  to: string;
  /**
   * Recipient: "old" for the present address, "new" for the new one or for an address that is only
   * to be confirmed.
   */
  part: "old" | "new";
  /** The address that the user wants, which the mail to the old one names too. */
  newEmail: string;
  /** Link to open. The address changes when both links have been opened, or the only one. */
  url: string;
  /** Expiry of the links in both emails. */
  expires: Date;
  /** Subject that the library has written, in the visitor's language, with the theme's name. */
  subject: string;
  /** The mail as HTML in the theme's colours, light and dark, for who writes none of their own. */
  html: string;
  /** The same as plain text. */
  text: string;
}

/** Sends one of the mails. */
export type SendEmailChange<Env = DefaultEnv> = (
  params: EmailChangeParams,
  context: AuthContext<Env>,
) => Awaitable<unknown>;

const MAX_AGE = 3_600_000;
const CHANGE = "email-change";
const CONFIRMATION = "email-confirmation";
const CONFIRM_PATH = "/account/email/confirm";

interface Change {
  email: string;
  /** Number of addresses that must agree: the new one, and the present one if there is one. */
  needed: number;
  /**
   * Preserves what is on the account, since nobody can have planted the session that requested the
   * change.
   */
  keeps: boolean;
}

/** Reports a mailbox that has passed to another user as an invalid link, to hide that the other user exists. */
async function unlessTaken<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change;
  } catch (error) {
    throw error instanceof UserExistsError ? new EmailProofError() : error;
  }
}

/** Error for a change that would have to end sessions which this application cannot revoke. */
function unendable(): ConfigurationError {
  return new ConfigurationError(
    "Cannot change the address for a session that another host of the site may have planted: it could not be " +
      "ended. Write cookies: { sessionToken: { hostOnly: true } }, or session: { …, revocation: " +
      "createSqlRevocationStore(env.DB) }.",
    { field: "cookies.sessionToken.hostOnly" },
  );
}

/** Content of one of the links. */
interface Link {
  /** Lifetime of the link, and the mailbox and session it belongs to. */
  secret: Omit<SentSecretRecord, "hash" | "purpose">;
  purpose: string;
  part: EmailChangeParams["part"];
  to: string;
  newEmail: string;
}

/** Function that sends the emails, and its time limit. */
interface Mailer {
  send: SendEmailChange<unknown>;
  pace: Pace;
}

/** Stores a link, of which the newest is the one that counts, and sends it. */
async function sendLink(
  context: EndpointContext,
  send: SendEmailChange<unknown>,
  { secret, purpose, part, to, newEmail }: Link,
): Promise<void> {
  const { env, request, auth: { settings, origin } } = context.store;
  const { storage, basePath, logger } = settings;
  const token = createSecret();
  const stored = { ...secret, purpose, hash: await hashSecret(token) };
  await groupOf(storage, sentSecretGroup).putNewestSecret(stored, { keep: 1 });
  const of = purpose === CONFIRMATION ? "own" : part;
  const url = ownRedirect(basePath + CONFIRM_PATH, origin(), { part: of, token });
  const expires = new Date(secret.expiresAt);
  const seconds = MAX_AGE / 1000;
  const mail = emailChangeMail(lookOf(context.store), { part: of, newEmail, url, seconds });
  const { userId } = secret;
  const about = { requestId: context.store.requestId(), kind: "email-change", userId };
  try {
    await send(
      { kind: "email-change", to, part, newEmail, url, expires, ...mail },
      { env, request },
    );
    logger.info("email-sent", about);
  } catch (cause) {
    logger.error("email-not-sent", { ...about, error: withoutSecrets(cause, { token }) });
    throw new EmailNotSentError();
  }
}

function secretOf(
  { store: { auth: { settings } } }: EndpointContext,
  { user: { id }, state }: { user: User; state: SessionState },
) {
  const createdAt = settings.now();
  const sessionId = state.status === "valid" ? state.id : null;
  const times = { createdAt, expiresAt: createdAt + MAX_AGE };
  return { identifier: id, userId: id, payload: null, sessionId, ...times };
}

/**
 * Sends the emails. An address that another user has gets none, so that the answer reveals no account.
 *
 * @returns Whether there was one to send.
 */
async function sendMails(
  context: EndpointContext,
  { send, pace }: Mailer,
  { user, email, identity }: { user: User; email: string; identity: string },
): Promise<boolean> {
  const { auth } = context.store;
  const { storage, strategy } = auth.settings;
  const state = await auth.load();
  const keeps = state.status === "valid" && state.hostOnly;
  if (!keeps && !strategy.revocable) throw unendable();
  const accounts = groupOf(storage, accountGroup);
  const common = secretOf(context, { user, state });
  const hash = await hashSecret(createSecret());
  const present = parseEmailAddress(user.email ?? "")?.identity;
  // An address that was kept without its identity is nobody's: it agrees to nothing, and gets no mail.
  const holder = present === undefined ? null : await accounts.getUserByEmail(present);
  const old = holder?.id === user.id ? user.email ?? null : null;
  const change: Change = { email, needed: old === null ? 1 : 2, keeps };
  // The newest change is the one that counts.
  const stored = { ...common, purpose: CHANGE, hash, payload: JSON.stringify(change) };
  await groupOf(storage, sentSecretGroup).putNewestSecret(stored, { keep: 1 });
  const taken = await accounts.getUserByEmail(identity) !== null;
  const links: [part: Link["part"], to: string][] = [];
  if (old !== null) links.push(["old", old]);
  if (!taken) links.push(["new", email]);
  if (links.length === 0) return false;
  const secret = { ...common, payload: hash };
  // At once, so that one mail takes as long as two.
  await pace.measure(() =>
    Promise.all(
      links.map(([part, to]) =>
        sendLink(context, send, { secret, purpose: `${CHANGE}-${part}`, part, to, newEmail: email })
      ),
    )
  );
  return true;
}

/**
 * Sends the mail by which the owner proves the address that they have already, as the account has it, unless it is
 * somebody else's: whether it is, is told to nobody.
 *
 * @returns Whether there was one to send.
 */
async function sendConfirmation(
  context: EndpointContext,
  { send, pace }: Mailer,
  { user, identity }: { user: User; identity: string },
): Promise<boolean> {
  const { auth } = context.store;
  const email = user.email!;
  const holder = await groupOf(auth.settings.storage, accountGroup).getUserByEmail(identity);
  if (holder !== null && holder.id !== user.id) return false;
  const state = await auth.load();
  await pace.measure(() =>
    sendLink(context, send, {
      secret: { ...secretOf(context, { user, state }), sentTo: identity },
      purpose: CONFIRMATION,
      part: "new",
      to: email,
      newEmail: email,
    })
  );
  return true;
}

/**
 * Tests if the owner can confirm the present address. The first proof ends what was there before,
 * unless it returns to the very session that requested it; tokens that cannot be revoked would
 * survive.
 */
export async function canConfirm(
  { store: { auth } }: EndpointContext,
  user: User,
): Promise<boolean> {
  if (!user.email || user.emailVerified) return false;
  const state = await auth.load();
  return auth.settings.strategy.revocable || state.status === "valid" && state.hostOnly;
}

/** `POST /account/email`: asks both addresses whether the owner's is to change, or the one whether it is theirs. */
export function changeEmail(send: SendEmailChange<unknown>): Endpoint {
  const mailer: Mailer = { send, pace: createPace() };
  return async function startEmailChange(context) {
    const user = await requireFreshOwner(context);
    const fields = await readFields(context.store.request, { optional: false });
    const parsed = parseEmailAddress(fields.get("email") ?? "");
    if (parsed === null) throw new InvalidEmailError();
    const { address: email, identity } = parsed;
    // By who asks and by the mailbox, which somebody with many accounts could flood.
    const isSame = parseEmailAddress(user.email ?? "")?.identity === identity;
    const apart = isSame ? "confirm" : "change";
    const attempt = { of: "emailVerification", provider: "account", apart } as const;
    await limitAttempts(context, { ...attempt, identifier: user.id });
    const within = await mayBeMailed(context, { ...attempt, identifier: identity });
    const ask = isSame ? sendConfirmation : sendMails;
    if (!isSame || await canConfirm(context, user)) {
      const sent = within && await ask(context, mailer, { user, email, identity });
      // Who gets no mail must not be told by how soon the answer comes.
      if (!sent) await mailer.pace.wait();
    }
    const sentTo = [user.email, isSame ? null : email].filter((one) => one);
    return backToAccount(context, isSame ? "email-asked" : "email-sent", {
      changed: false,
      sentTo,
    });
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
  if (!isSecret(token)) throw new EmailProofError();
  if (part === "own") return { purpose: CONFIRMATION, part, token };
  if (part !== "old" && part !== "new") throw new EmailProofError();
  return { purpose: `${CHANGE}-${part}`, part, token };
}

/**
 * Whoever agrees to be the new address of an account that is not theirs would share it with its owner, so
 * that side agrees in the very session that asked for the change.
 *
 * @throws {EmailProofError} `OTHER_BROWSER`, when that session is not here.
 */
async function requireOwnChange(
  { store }: EndpointContext,
  { part, link: { userId, sessionId } }: { part: string; link: StoredSecret },
): Promise<void> {
  if (part === "old") return;
  const state = await store.auth.load();
  if (state.status === "valid" && state.session.user.id === userId && state.id === sessionId) {
    return;
  }
  throw new EmailProofError(undefined, { code: "OTHER_BROWSER" });
}

/** `GET /account/email/confirm`: where the links lead, a page with a button that changes nothing by itself. */
export async function showEmailChange(context: EndpointContext): Promise<Response> {
  const { store: { auth: { settings } }, url } = context;
  const { purpose, part, token } = readLink((name) => url.searchParams.get(name));
  const secrets = groupOf(settings.storage, secretGroup);
  const now = settings.now();
  const link = await secrets.readSecret(purpose, await hashSecret(token), now);
  if (part === "own") return await showConfirmation(context, link, token);
  const stored = link === null ? null : await secrets.readSecret(CHANGE, link.payload!, now);
  if (link === null || stored?.userId == null) throw new EmailProofError();
  await requireOwnChange(context, { part, link });
  const { email, keeps } = JSON.parse(stored.payload!) as Change;
  const ends = !keeps && part === "new" ? await readLeftBehind(context.store, stored.userId) : null;
  const look = lookOf(context.store);
  const page = openedLinkPage(look, {
    action: settings.basePath + CONFIRM_PATH,
    hidden: { part, token },
    address: email,
    about: "change-email",
    ends,
  });
  return pageResponse(look, page);
}

/** Of a confirmation that may take place here: its owner, and whether what is on the account stays. */
async function readConfirmation(
  context: EndpointContext,
  secret: StoredSecret | null,
): Promise<{ user: User; secret: StoredSecret; keepOwn: boolean }> {
  const { auth } = context.store;
  if (secret?.userId == null) throw new EmailProofError();
  const user = await auth.settings.storage.getActiveUser(secret.userId);
  if (user === null) throw new EmailProofError();
  const state = await auth.load();
  const keepOwn = mayKeep(state, { userId: user.id, askedIn: secret.sessionId });
  // Where nothing can be ended it holds in that session only.
  const ends = !keepOwn && !user.emailVerified;
  if (ends && !auth.settings.strategy.revocable) {
    throw new EmailProofError(undefined, { code: "OTHER_BROWSER" });
  }
  return { user, secret, keepOwn };
}

async function showConfirmation(
  context: EndpointContext,
  link: StoredSecret | null,
  token: string,
): Promise<Response> {
  const { store } = context;
  const { user, keepOwn } = await readConfirmation(context, link);
  const ends = !keepOwn && !user.emailVerified;
  const look = lookOf(store);
  const page = openedLinkPage(look, {
    action: store.auth.settings.basePath + CONFIRM_PATH,
    hidden: { part: "own", token },
    address: user.email ?? "",
    about: "confirm-email",
    ends: ends ? await readLeftBehind(store, user.id) : null,
  });
  return pageResponse(look, page);
}

/** Takes the link of a confirmation, and proves the address with it, unless it is somebody else's by now. */
async function confirmAddress(
  context: EndpointContext,
  { known, hash }: { known: StoredSecret | null; hash: string },
): Promise<Response> {
  const { store, store: { auth: { settings } } } = context;
  const { user, secret, keepOwn } = await readConfirmation(context, known);
  const userId = user.id;
  const about = { purpose: CONFIRMATION, hash, identifier: userId };
  const proof = { now: settings.now(), userId, emailIdentity: secret.sentTo, keepOwn, ends: [] };
  const outcome = await proveMailbox(store, {
    userId,
    keepOwn,
    first: !user.emailVerified,
    write: () => unlessTaken(groupOf(settings.storage, sentSecretGroup).redeemSecret(about, proof)),
  });
  if (outcome !== "proved" && outcome !== "already") throw new EmailProofError();
  if (outcome === "already" || keepOwn) return noted(context, "Your address is confirmed.");
  await forgetEnded(context, userId);
  return noted(context, "Your address is confirmed.", { ended: true });
}

/** The session of this request has ended with the others of its user. */
async function forgetEnded({ store: { auth } }: EndpointContext, userId: string): Promise<void> {
  if (isOf(await auth.load(), userId)) await forgetOwn(auth);
}

/** Outcome of a link. */
interface Outcome {
  /** True once the account has the new address. Default false. */
  changed?: boolean;
  /** True while the other address has yet to agree. Default false. */
  waiting?: boolean;
  /** True when what was on the account before has ended. Default false. */
  ended?: boolean;
}

/** Says what was done, and what ended with it. */
function noted(
  { store }: EndpointContext,
  text: PageText,
  { changed = false, waiting = false, ended = false }: Outcome = {},
): Response {
  if (prefersJson(store.request)) return jsonResponse({ changed, waiting, ended });
  const look = lookOf(store);
  const page = donePage(look, {
    title: say(look, "Your email address"),
    text: [
      say(look, text),
      ended && [
        " ",
        say(
          look,
          "What was on your account before no longer works, the old password too. Sign in by email, or set a new password.",
        ),
      ],
    ],
    next: {
      href: store.auth.settings.basePath + ACCOUNT_PATH,
      label: say(look, "Go to your account"),
    },
  });
  return pageResponse(look, page);
}

/** `POST /account/email/confirm`: one address agrees. With the last one that must, the address changes. */
export async function confirmEmailChange(context: EndpointContext): Promise<Response> {
  const { request, auth: { settings } } = context.store;
  const fields = await readFields(request, { optional: false });
  const { purpose, part, token } = readLink((name) => fields.get(name));
  const secrets = groupOf(settings.storage, secretGroup);
  const now = settings.now();
  const hash = await hashSecret(token);
  const known = await secrets.readSecret(purpose, hash, now);
  if (part === "own") return await confirmAddress(context, { known, hash });
  if (known !== null) await requireOwnChange(context, { part, link: known });
  const link = await secrets.takeSecret(purpose, hash, { now });
  // Counted in one statement: of two that agree at once, one is the second.
  const change = link === null
    ? null
    : await groupOf(settings.storage, sentSecretGroup).countAttempt(CHANGE, link.payload!, {
      now,
      max: 2,
    });
  if (change?.userId == null) throw new EmailProofError();
  const { email, needed, keeps } = JSON.parse(change.payload!) as Change;
  if (change.attempts < needed) {
    return noted(
      context,
      "This address is confirmed. Now open the link that we sent to your other address.",
      { waiting: true },
    );
  }
  const { userId } = change;
  const emailVerified = keeps ? new Date(now) : null;
  const changed = await reportChange(
    context.store,
    {
      events: [{ type: "email-changed", userId }],
      subject: email,
      happened: (user) => user !== null,
    },
    () => unlessTaken(updateUser(userId, { email, emailVerified })),
  );
  if (changed === null) throw new EmailProofError();
  if (keeps) return noted(context, "Your address is changed.", { changed: true });
  const emailIdentity = parseEmailAddress(email)!.identity;
  await proveMailbox(context.store, {
    userId,
    keepOwn: false,
    first: true,
    write: () =>
      groupOf(settings.storage, accountGroup)
        .proveEmail(userId, { emailIdentity, at: settings.now() }),
  });
  await forgetEnded(context, userId);
  return noted(context, "Your address is changed.", { changed: true, ended: true });
}
