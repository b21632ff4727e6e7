/**
 * Mails in development: in the terminal, and on a page of the machine itself.
 *
 * @module
 */

import type { EndpointContext, EndpointEntry } from "../core/contracts.ts";
import { ConfigurationError, RequestError } from "../errors.ts";
import { markup } from "../lib/html.ts";
import { isLoopbackHost } from "../lib/ip_address.ts";
import { readFunction } from "../lib/options.ts";
import { isWorkerPlatform } from "../lib/runtime.ts";
import { DEFAULT_LOOK, pageResponse } from "../pages/frame.ts";
import type { Mail } from "../types/application.ts";

/** Content of a mail to show: one of the library's, or one that an application has written itself. */
export type ShownMail = Pick<Mail, "to" | "subject" | "text"> & Partial<Mail>;

const KEPT = 20;

// Of the process, as its terminal is: all ways to sign in, and the application itself, show their mails there.
const mails: ShownMail[] = [];

// Whatever a proxy adds: behind one everybody comes from this machine.
const FORWARDED = /^(?:forwarded|via|cdn-loop|x-forwarded.*|x-real-ip|true-client-ip|cf-.*)$/;

// What the emulator of a worker writes itself: the address of the connection.
const OF_EMULATOR = "cf-connecting-ip";

/**
 * Tests whether mails may be shown. The mode comes from the environment of the process or from its build, never from a
 * request: behind a proxy on the same machine every request looks local.
 */
export function showsMails(): boolean {
  // In these words: bundlers write the value there, and drop what a production build has no use for.
  // deno-lint-ignore no-process-global
  if (typeof process === "object") {
    // deno-lint-ignore no-process-global
    if (process.env.NODE_ENV === "development") return true;
    // deno-lint-ignore no-process-global
    if (process.env.NODE_ENV !== "production") return !isWorkerPlatform();
  }
  return false;
}

/**
 * Shows a mail to the developer, in place of a mail service: in the terminal, and where `NODE_ENV` is "development" at
 * `/auth/dev/mail`, which {@linkcode passwords} and {@linkcode email} bring along for requests of this machine alone.
 * It is what mails go to that an application has no `sendMail` for, and takes an application's own mails too.
 *
 * @param mail What is shown; of a mail that an application writes itself, recipient, subject and text are enough.
 * @throws {ConfigurationError} In production, and in a worker of which nothing is said: the mail is not sent, and what
 * asked for it fails.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, email, passwords, type SendMail, showMail } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const sendMail: SendMail<{ MAIL_URL?: string }> = async (mail, { env }) => {
 *   if (env.MAIL_URL === undefined) return showMail(mail);
 *   await fetch(env.MAIL_URL, { method: "POST", body: JSON.stringify(mail) });
 * };
 * const auth = createAuth<{ MAIL_URL?: string }>({
 *   database: createMemoryStorage(),
 *   providers: [passwords({ sendMail }), email({ sendMail })],
 * });
 * const asked = new Request("http://localhost/auth/signin/email", {
 *   method: "POST",
 *   headers: { "content-type": "application/json", "accept": "application/json" },
 *   body: JSON.stringify({ email: "ada@example.com" }),
 * });
 * equal((await auth.handle(asked, {}))?.status, 200); // and the link is in the terminal
 * ```
 */
export function showMail(mail: ShownMail): void {
  if (!showsMails()) {
    throw new ConfigurationError(
      `The mail "${mail.subject}" was not sent: showMail() shows mails in development, and in production a mail service ` +
        "must send them. Call it in the application's sendMail().",
      { field: "sendMail" },
    );
  }
  mails.unshift(mail);
  mails.splice(KEPT);
  // deno-lint-ignore no-console -- the terminal is the mailbox of development
  console.info(`\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}\n`);
}

/**
 * Reads an option `sendMail`; without it, what shows the mails to the developer.
 *
 * @param provider Name of the provider in the error, such as `passwords()`.
 * @param reason What nobody can do without mails.
 * @throws {ConfigurationError} When it is no function, and in production without one.
 */
export function readSendMail(
  sendMail: unknown,
  { provider, reason }: { provider: string; reason: string },
): (mail: ShownMail, context: never) => unknown {
  readFunction(sendMail, "sendMail", "a function that is given the mail");
  if (sendMail !== undefined) return sendMail as (mail: ShownMail, context: never) => unknown;
  if (showsMails()) return showMail;
  throw new ConfigurationError(
    `${provider} has no "sendMail", ${reason}: write ${
      provider.slice(0, -1)
    }{ sendMail: (mail) => … }), ` +
      "which is given { to, subject, text, html }. With NODE_ENV=development mails are shown in the terminal.",
    { field: "sendMail" },
  );
}

/**
 * Tells whether a request was made on this machine and for it. The page exists in development alone, which the request
 * has no say in; this keeps the others on the developer's network from reading along. They choose the host that they
 * name, so an address that is not known is not this machine's.
 */
function isOfThisMachine({ store, url }: EndpointContext): boolean {
  const address = store.address();
  if (address === null || !isLoopbackHost(url.hostname)) return false;
  const isForwarded = [...store.request.headers.keys()].some((name) =>
    FORWARDED.test(name) && !(name === OF_EMULATOR && isWorkerPlatform())
  );
  return (address === "::1" || address.startsWith("127.")) && !isForwarded;
}

/** `GET /dev/mail`: the newest mails. Whoever is not on this machine finds nothing. */
function showMails(context: EndpointContext): Response {
  if (!isOfThisMachine(context)) {
    throw new RequestError("There is nothing at this address", { code: "NOT_FOUND" });
  }
  const items = mails.map(({ to, subject, text, url }) =>
    markup`<section>
<h2>${subject}</h2>
<p class="quiet">To ${to}</p>
<p class="quiet" dir="auto">${text.trim().split("\n").map((line) => markup`${line}<br>\n`)}</p>
${url !== undefined && markup`<p><a href="${url}">Open the link</a></p>\n`}</section>
`
  );
  return pageResponse(DEFAULT_LOOK, {
    title: markup`Mails`,
    body: markup`<h1>Mails</h1>
<p class="quiet">In development mails are shown here and in the terminal. They are sent with <code>sendMail</code>.</p>
${items.length > 0 ? items : markup`<p>There are no mails yet.</p>\n`}`,
  });
}

/**
 * The page of the mails where `NODE_ENV` is "development"; nothing elsewhere, and a production build has no code of it.
 */
export function developmentMailEndpoints(): readonly EndpointEntry[] {
  // deno-lint-ignore no-process-global
  if (typeof process === "object") {
    // deno-lint-ignore no-process-global
    if (process.env.NODE_ENV === "development") {
      return [{ path: "/dev/mail", method: "GET", endpoint: showMails }];
    }
  }
  return [];
}
