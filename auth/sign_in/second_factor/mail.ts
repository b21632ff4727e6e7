/**
 * Mails about two-step sign-in.
 *
 * @module
 */

import type { RequestStore } from "../../core/contracts.ts";
import { ownRedirect } from "../../core/redirect.ts";
import { parseEmailAddress } from "../../lib/email_address.ts";
import { lookOf } from "../../pages/frame.ts";
import { secondFactorMail, type SecondFactorNews } from "../../pages/mails.ts";
import { deliver, deliverableAddress } from "../email/request.ts";
import { type CheckedSecondFactor, PATHS, type SecondFactorMail } from "./factor.ts";

/** Tells the owner of an account what happened to its second factor. Nobody waits for it. */
export function tellOwner(
  store: RequestStore,
  provider: CheckedSecondFactor,
  { userId, news, left = 0 }: { userId: string; news: SecondFactorNews; left?: number },
): void {
  const { auth: { settings, origin }, env, request } = store;
  const url = ownRedirect(settings.basePath + PATHS.setUp, origin());
  const at = new Date(settings.now());
  const look = lookOf(store);
  async function send(): Promise<void> {
    const to = parseEmailAddress((await settings.storage.getUser(userId))?.email ?? "");
    if (to === null) return;
    const written = secondFactorMail(look, { news, at, left, url });
    const mail: SecondFactorMail = {
      kind: news,
      to: deliverableAddress(to),
      url,
      expires: null,
      ...written,
    };
    await deliver(
      {
        from: "",
        send: async () => void await provider.send(mail, { env, request }),
      },
      {
        identifier: mail.to,
        url,
        token: "",
        expires: at,
        ends: false,
        kind: news,
        ...written,
      },
      { context: { store }, mailer: "sendMail() of secondFactor()" },
    );
  }
  store.waitUntil(send());
}
