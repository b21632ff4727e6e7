/**
 * Mails in development: in the terminal, and on a page of the machine itself.
 *
 * @module
 */

import { isLoopbackHost } from "../../core/origin.ts";
import type { EndpointContext } from "../../core/contracts.ts";
import { RequestError } from "../../errors.ts";
import { markup } from "../../lib/html.ts";
import { isWorkerPlatform } from "../../lib/runtime.ts";
import { DEFAULT_LOOK, pageResponse } from "../../pages/frame.ts";
import type { PasswordMail } from "./config.ts";

/** Mails that are shown to the developer. */
export interface DevelopmentMail {
  /** Writes a mail to the terminal, and keeps it for the page. */
  show(mail: PasswordMail): void;
  /** `GET /dev/mail`: the newest mails. Whoever is not on this machine finds nothing. */
  endpoint(context: EndpointContext): Response;
}

const KEPT = 20;

// Whatever a proxy adds: behind one everybody comes from this machine.
const FORWARDED = /^(?:forwarded|via|cdn-loop|x-forwarded.*|x-real-ip|true-client-ip|cf-.*)$/;

// What the emulator of a worker writes itself: the address of the connection.
const OF_EMULATOR = "cf-connecting-ip";

/**
 * Tells whether a request was made on this machine and for it. The page exists in development alone, which the request has no
 * say in; this keeps the others on the developer's network from reading along. They choose the host that they name, so an
 * address that is not known is not this machine's.
 */
function isOfThisMachine({ store, url }: EndpointContext): boolean {
  const address = store.address();
  if (address === null || !isLoopbackHost(url.hostname)) return false;
  const isForwarded = [...store.request.headers.keys()].some((name) =>
    FORWARDED.test(name) && !(name === OF_EMULATOR && isWorkerPlatform())
  );
  return (address === "::1" || address.startsWith("127.")) && !isForwarded;
}

/** Makes what shows mails to the developer. */
export function createDevelopmentMail(): DevelopmentMail {
  const mails: PasswordMail[] = [];
  return {
    show(mail) {
      mails.unshift(mail);
      mails.splice(KEPT);
      // deno-lint-ignore no-console -- the terminal is the mailbox of development
      console.info(`\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}\n`);
    },
    endpoint(context) {
      if (!isOfThisMachine(context)) {
        throw new RequestError("There is nothing at this address", { code: "NOT_FOUND" });
      }
      const items = mails.map(({ to, subject, text, url }) =>
        markup`<section>
<h2>${subject}</h2>
<p class="quiet">To ${to}</p>
<p class="quiet" dir="ltr">${text}</p>
<p><a href="${url}">Open the link</a></p>
</section>
`
      );
      return pageResponse(DEFAULT_LOOK, {
        title: markup`Mails`,
        body: markup`<h1>Mails</h1>
<p class="quiet">In development mails are shown here and in the terminal. They are sent with <code>passwords({ sendMail })</code>.</p>
${items.length > 0 ? items : markup`<p>There are no mails yet.</p>\n`}`,
      });
    },
  };
}
