/**
 * Mails about two-step sign-in.
 *
 * @module
 */

import type { RequestStore } from "../../core/contracts.ts";
import { ownRedirect } from "../../core/redirect.ts";
import { lookOf } from "../../pages/frame.ts";
import { factorResetMail, secondFactorMail, type SecondFactorNews } from "../../pages/mails.ts";
import { mailOwner } from "../owner_mail.ts";
import { accountPath, type CheckedSecondFactor, PATHS } from "./factor.ts";

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
  const url = ownRedirect(settings.basePath + PATHS.setUp, origin());
  const at = new Date(settings.now());
  const written = secondFactorMail(lookOf(store), { news, at, left, url });
  mailOwner(store, {
    userId,
    kind: news,
    url,
    written,
    mailer: "sendMail() of secondFactor()",
    send,
  });
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
    mailer: "sendMail() of secondFactor()",
    send,
  });
}
