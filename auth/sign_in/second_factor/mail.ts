/**
 * Mails about two-step sign-in.
 *
 * @module
 */

import type { RequestStore } from "../../core/contracts.ts";
import { ownRedirect } from "../../core/redirect.ts";
import { lookOf } from "../../pages/frame.ts";
import { secondFactorMail, type SecondFactorNews } from "../../pages/mails.ts";
import { mailOwner } from "../owner_mail.ts";
import { type CheckedSecondFactor, PATHS } from "./factor.ts";

/** Tells the owner of an account what happened to its second factor. Nobody waits for it. */
export function tellOwner(
  store: RequestStore,
  { send }: CheckedSecondFactor,
  { userId, news, left = 0 }: { userId: string; news: SecondFactorNews; left?: number },
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
