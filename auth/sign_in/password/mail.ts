/**
 * The mails of `passwords()`: verification, known account, reset, changed password.
 *
 * @module
 */

import type { EndpointContext } from "../../core/contracts.ts";
import { ownRedirect } from "../../core/redirect.ts";
import { type EmailAddress, parseEmailAddress } from "../../lib/email_address.ts";
import { lookOf } from "../../pages/frame.ts";
import {
  knownAccountMail,
  type MailText,
  passwordChangedMail,
  resetMail,
  verificationMail,
} from "../../pages/mails.ts";
import type { User } from "../../types/user.ts";
import type { SendNotice } from "../new_device.ts";
import { deliver, deliverableAddress } from "../email/request.ts";
import { type CheckedPasswords, type PasswordMail, RESET_AGE, SIGN_UP_AGE } from "./options.ts";
import { accountPath, type PasswordPage, pathOf } from "./pages.ts";

/** Content of a mail, and the secret in it. */
interface Letter extends MailText, Pick<PasswordMail, "kind" | "to" | "url" | "passkeys"> {
  /** Lifetime of its link in seconds; null for one that does not end. */
  maxAge: number | null;
  /** Secret that its link holds; "" for none. */
  token: string;
  /** User whom it is about. Default: nobody yet. */
  userId?: string | undefined;
}

/** Sends a mail, and waits ten seconds for it at most. */
async function send(
  context: Pick<EndpointContext, "store">,
  { send: sendOwn }: CheckedPasswords,
  { maxAge, token, userId, ...letter }: Letter,
): Promise<void> {
  const { now } = context.store.auth.settings;
  const at = now();
  const mail: PasswordMail = {
    ...letter,
    expires: maxAge === null ? null : new Date(at + maxAge * 1000),
  };
  await deliver(
    {
      from: "",
      send: async (_params, { env, request }) => {
        await sendOwn(mail, { env, request });
      },
    },
    {
      identifier: mail.to,
      url: mail.url,
      token,
      expires: mail.expires ?? new Date(at),
      ends: false,
      kind: mail.kind,
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
    },
    { context, userId, mailer: "sendMail() of passwords()" },
  );
}

function address(
  { store: { auth: { settings, origin } } }: EndpointContext,
  page: PasswordPage,
  token: string | null = null,
): string {
  return ownRedirect(pathOf(settings, page), origin(), { token });
}

/** Makes what tells the owner of an account of a sign-in in a browser that is not known. */
export function noticeSender(provider: CheckedPasswords): SendNotice {
  return (store, notice) =>
    send({ store }, provider, { ...notice, kind: "new-device", token: "", maxAge: null });
}

/** Sends the link that completes a sign-up, or proves the address of a new user. */
export async function sendVerification(
  context: EndpointContext,
  provider: CheckedPasswords,
  { to, token, userId }: { to: EmailAddress; token: string; userId?: string },
): Promise<void> {
  const url = address(context, "confirmSignUp", token);
  await send(context, provider, {
    kind: "verification",
    userId,
    to: deliverableAddress(to),
    url,
    token,
    maxAge: SIGN_UP_AGE,
    ...verificationMail(lookOf(context.store), { url, seconds: SIGN_UP_AGE }),
  });
}

/** Tells the owner of an account that somebody wanted to sign up with its address. */
export async function sendKnownAccount(
  context: EndpointContext,
  provider: CheckedPasswords,
  { to, userId }: { to: EmailAddress; userId: string },
): Promise<void> {
  const { settings: { pages: { signIn } }, origin } = context.store.auth;
  const url = ownRedirect(signIn, origin());
  const reset = address(context, "forgotPassword");
  await send(context, provider, {
    kind: "known-account",
    userId,
    to: deliverableAddress(to),
    url,
    token: "",
    maxAge: null,
    ...knownAccountMail(lookOf(context.store), { signIn: url, reset }),
  });
}

/** Sends the link to choose a new password. */
export async function sendReset(
  context: EndpointContext,
  provider: CheckedPasswords,
  { to, token, userId }: { to: EmailAddress; token: string; userId: string },
): Promise<void> {
  const url = address(context, "resetPassword", token);
  await send(context, provider, {
    kind: "reset",
    userId,
    to: deliverableAddress(to),
    url,
    token,
    maxAge: RESET_AGE,
    ...resetMail(lookOf(context.store), { url, seconds: RESET_AGE }),
  });
}

/**
 * Tells the owner of an account that its password has changed. Nobody waits for it.
 *
 * @param passkeys Number of passkeys that still sign in to it.
 */
export function tellPasswordChanged(
  context: EndpointContext,
  provider: CheckedPasswords,
  { id: userId, email }: User,
  passkeys: number,
): void {
  const { store, store: { auth: { settings, origin } } } = context;
  const to = parseEmailAddress(email ?? "");
  if (to === null) return;
  const path = accountPath(settings);
  const reset = address(context, "forgotPassword");
  store.waitUntil(send(context, provider, {
    kind: "password-changed",
    userId,
    to: deliverableAddress(to),
    url: reset,
    token: "",
    maxAge: null,
    passkeys,
    ...passwordChangedMail(lookOf(store), {
      at: new Date(settings.now()),
      reset,
      passkeys,
      account: path && ownRedirect(path, origin()),
    }),
  }));
}
