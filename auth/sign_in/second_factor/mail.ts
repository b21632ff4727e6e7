/**
 * Mails about two-step sign-in.
 *
 * @module
 */

import type { RequestStore } from "../../core/contracts.ts";
import { ownRedirect } from "../../core/redirect.ts";
import { lookOf } from "../../pages/frame.ts";
import { factorResetMail, secondFactorMail, type SecondFactorNews } from "../../pages/mails.ts";
import { mailOwner, writeToOwner } from "../owner_mail.ts";
import { accountPath, type CheckedSecondFactor, PATHS } from "./factor.ts";

const MAILER = "sendMail() of secondFactor()";

/** Tells the owner of an account what happened to its second factor. Nobody waits for it. */
export function tellOwner(
  store: RequestStore,
  { send }: CheckedSecondFactor,
  { userId, news, left = 0 }: {
    userId: string;
    news: Exclude<SecondFactorNews, "reset">;
    left?: number;
  },
): void {
  const { settings, origin } = store.auth;
  const account = accountPath(store);
  // Without an account page, the factor is looked after on its own.
  const url = ownRedirect(account === "/" ? settings.basePath + PATHS.setUp : account, origin());
  const at = new Date(settings.now());
  const written = secondFactorMail(lookOf(store), { news, at, left, url });
  mailOwner(store, { userId, kind: news, url, written, mailer: MAILER, send });
}

/**
 * Tells the owner that somebody asks to do without the second factor, by a mail whose link cancels it.
 *
 * @returns False when there is no proved address.
 * @throws {EmailNotSentError} When the mail could not be sent.
 */
export async function tellOfRequest(
  store: RequestStore,
  { send }: CheckedSecondFactor,
  { userId, hash, token, from, until }: {
    userId: string;
    /** Name of the request. */
    hash: string;
    /** Secret of the link. */
    token: string;
    from: Date;
    until: Date;
  },
): Promise<boolean> {
  const { settings, origin } = store.auth;
  const path = settings.basePath + PATHS.recoveryCancel;
  const url = ownRedirect(path, origin(), { request: hash, token });
  const news = "recovery-requested";
  const at = new Date(settings.now());
  const written = secondFactorMail(lookOf(store), { news, at, left: 0, url, from });
  const mail = { kind: news, url, token, expires: until, written, mailer: MAILER, send } as const;
  return await writeToOwner(store, { userId, ...mail });
}

/** Tells the owner of an account that the application has removed its second factor, and with it ended their sessions. */
export function tellReset(
  store: RequestStore,
  { send }: CheckedSecondFactor,
  userId: string,
): void {
  const { settings, origin } = store.auth;
  const url = ownRedirect(settings.pages.signIn, origin(), { callbackUrl: accountPath(store) });
  mailOwner(store, {
    userId,
    kind: "reset",
    url,
    written: factorResetMail(lookOf(store), { at: new Date(settings.now()), url }),
    mailer: MAILER,
    send,
  });
}
