/**
 * Mails to the owner of an account whose passkeys have changed.
 *
 * @module
 */

import type { EndpointEntry, RequestStore } from "../../core/contracts.ts";
import { ownRedirect } from "../../core/redirect.ts";
import { findRequest } from "../../core/request.ts";
import { optionsOf } from "../../lib/options.ts";
import { lookOf } from "../../pages/frame.ts";
import { passkeyMail } from "../../pages/mails.ts";
import type { AuthContext, DefaultEnv, Mail } from "../../types/application.ts";
import type { Awaitable } from "../../types/callbacks.ts";
import type { AuthEvent } from "../../types/events.ts";
import { developmentMailEndpoints, readSendMail } from "../development_mail.ts";
import { mailOwner } from "../owner_mail.ts";
import { accountPath } from "../password/pages.ts";

/** The mail about a passkey that was added or removed. */
export interface PasskeyMail extends Mail {
  /** Tells it from the other mails. */
  kind: "passkey-added" | "passkey-removed";
}

/** Options for `passkeyMails()`. */
export interface PasskeyMailsConfig<Env = DefaultEnv> {
  /**
   * Sends the mail to the owner of the account. What it throws is logged, and fails nothing. Default: in development the
   * mails go to the terminal and to `/auth/dev/mail`; in production it must be given.
   */
  sendMail?(mail: PasskeyMail, context: AuthContext<Env>): Awaitable<unknown>;
}

/** Mails about passkeys, as a value: applications bundle them only when they import them. */
export interface PasskeyMails {
  /** Tells it from other values. */
  readonly kind: "passkey-mails";
  /**
   * Endpoints of the mails, which only the library makes.
   *
   * @internal
   */
  readonly endpoints: readonly EndpointEntry[];
  /**
   * Tells the owner of a passkey that was added in a session.
   *
   * @internal
   */
  tellAdded(store: RequestStore, userId: string): void;
  /**
   * Tells the owner of a passkey that was removed.
   *
   * @internal
   */
  hear(event: AuthEvent): Promise<void>;
}

/**
 * Mails that tell the owner of an account when a passkey was added to it or removed, for `passkey({ mails })`. A passkey is a
 * way in that stays, and counts as two factors: who has found an open session for a moment would add one in silence. They go
 * to an address that is proved; the first passkey of who signs up by it, and one that a password manager makes by itself, of
 * which `automaticPasskeys()` tells, have none, nor have those that `endEverything()` takes away.
 *
 * @param config How they are sent. Default: mails are shown to the developer.
 * @throws {ConfigurationError} When the configuration is wrong, or in production without `sendMail`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, passkey, passkeyMails, type SendMail } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const sendMail: SendMail = async ({ to, subject, text, html }) => {
 *   // your mailer
 * };
 * const auth = createAuth({
 *   baseUrl: "https://app.example",
 *   database: createMemoryStorage(),
 *   providers: [passkey({ mails: passkeyMails({ sendMail }) })],
 * });
 * const response = await auth.handle(new Request("https://app.example/auth/passkeys"), {});
 * equal(response!.status, 401);
 * ```
 */
export function passkeyMails<Env = DefaultEnv>(config: PasskeyMailsConfig<Env> = {}): PasskeyMails {
  const { sendMail } = optionsOf(config, "passkeyMails()", ["sendMail"]);
  const send = readSendMail(sendMail, {
    provider: "passkeyMails()",
    reason: "by which owners learn of passkeys that were added or removed",
  }) as (mail: PasskeyMail, context: AuthContext<unknown>) => unknown;

  function tell(store: RequestStore, userId: string, kind: PasskeyMail["kind"]): void {
    const { settings, origin } = store.auth;
    const url = ownRedirect(accountPath(settings) ?? "/", origin());
    const at = new Date(settings.now());
    const written = passkeyMail(lookOf(store), { isAdded: kind === "passkey-added", at, url });
    mailOwner(store, { userId, kind, url, written, mailer: "sendMail() of passkeyMails()", send });
  }

  return {
    kind: "passkey-mails",
    endpoints: developmentMailEndpoints(),
    tellAdded: (store, userId) => tell(store, userId, "passkey-added"),
    hear(event) {
      const store = event.type === "passkey-removed" ? findRequest() : undefined;
      if (store !== undefined) tell(store, event.userId!, "passkey-removed");
      return Promise.resolve();
    },
  };
}
