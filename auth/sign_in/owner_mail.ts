/**
 * Mails to the owner of an account about what happened to it.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import type { SafeRedirect } from "../errors.ts";
import { parseEmailAddress } from "../lib/email_address.ts";
import type { MailText } from "../pages/mails.ts";
import type { AuthContext } from "../types/application.ts";
import { verifiedEmail } from "../types/user.ts";
import { deliver, deliverableAddress } from "./email/request.ts";

/** A mail to the owner of an account, ready to be sent. */
export interface OwnerMail<Kind extends string> extends MailText {
  /** Its subject, for mails that an application writes itself. */
  kind: Kind;
  /** The recipient. */
  to: string;
  /** The link in it. */
  url: string;
  /** End of the link; null for one that does not end. */
  expires: Date | null;
}

/** Options for `mailOwner()`. */
export interface MailOwnerOptions<Kind extends string> {
  /** Id of the user. */
  userId: string;
  /** Subject of the mail. */
  kind: Kind;
  /** The link in it. */
  url: SafeRedirect;
  /** End of the link. Default: it does not end. */
  expires?: Date;
  /** Secret that the link holds, which no log shows. Default: none. */
  token?: string;
  /** Its text. */
  written: MailText;
  /** Name of the application's function in the log. */
  mailer: string;
  /** Sends it. */
  send(mail: OwnerMail<Kind>, context: AuthContext<unknown>): unknown;
}

/**
 * Writes to the owner, at an address that they have proved: any other may be a stranger's.
 *
 * @returns False when there is none.
 * @throws {EmailNotSentError} When that failed or did not end.
 */
export async function writeToOwner<Kind extends string>(
  store: RequestStore,
  { userId, kind, url, token = "", expires, written, mailer, send }: MailOwnerOptions<Kind>,
): Promise<boolean> {
  const { auth: { settings }, env, request } = store;
  const user = await settings.storage.getUser(userId);
  const address = parseEmailAddress((user && verifiedEmail(user)) ?? "");
  if (address === null) return false;
  const to = deliverableAddress(address);
  const mail: OwnerMail<Kind> = { kind, to, url, expires: expires ?? null, ...written };
  await deliver(
    { from: "", send: async () => void await send(mail, { env, request }) },
    {
      identifier: to,
      url,
      token,
      expires: expires ?? new Date(settings.now()),
      ends: false,
      kind,
      ...written,
    },
    { context: { store }, userId, mailer },
  );
  return true;
}

/** The same, which nobody waits for. */
export function mailOwner<Kind extends string>(
  store: RequestStore,
  options: MailOwnerOptions<Kind>,
): void {
  store.waitUntil(writeToOwner(store, options));
}
