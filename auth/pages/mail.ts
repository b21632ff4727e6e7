/**
 * Pages on which a visitor waits for a mail, and those behind the links in it.
 *
 * @module
 */

import type { Look } from "../core/contracts.ts";
import { type Html, type HtmlValue, markup } from "../lib/html.ts";
import { duration, type Page, say, sayNamed } from "./frame.ts";
import {
  aside,
  codeField,
  emailField,
  fixedEmail,
  form,
  heading,
  type Hidden,
  link,
  note,
  passwordField,
  submit,
  type Typed,
} from "./parts.ts";

/** Mailboxes on the web, by the domains of their addresses. */
const WEBMAIL: readonly [name: string, href: string, domains: string][] = [
  ["Gmail", "https://mail.google.com/mail/", "gmail.com googlemail.com"],
  [
    "Outlook",
    "https://outlook.live.com/mail/",
    "outlook.com hotmail.com live.com msn.com hotmail.co.uk hotmail.fr outlook.de outlook.fr outlook.es",
  ],
  [
    "Yahoo Mail",
    "https://mail.yahoo.com/",
    "yahoo.com ymail.com yahoo.co.uk yahoo.fr yahoo.de yahoo.es",
  ],
  ["iCloud Mail", "https://www.icloud.com/mail/", "icloud.com me.com mac.com"],
  ["Proton Mail", "https://mail.proton.me/", "proton.me protonmail.com pm.me"],
  ["GMX", "https://www.gmx.net/", "gmx.de gmx.net gmx.at gmx.ch"],
  ["WEB.DE", "https://web.de/", "web.de"],
  ["Fastmail", "https://app.fastmail.com/", "fastmail.com fastmail.fm"],
];

/**
 * A link to the mailbox of an address, where its provider is known. It follows from what was typed and tells nothing.
 */
export function webmailButton(look: Look, address: string | null): Html | null {
  const domain = address?.slice(address.lastIndexOf("@") + 1).toLowerCase();
  const known = WEBMAIL.find(([, , domains]) => domains.split(" ").includes(domain ?? ""));
  if (known === undefined) return null;
  const [name, href] = known;
  return markup`<a class="button" href="${href}" rel="noreferrer">${
    say(look, "Open {mailbox}", { mailbox: name })
  }</a>\n`;
}

/** The way to another mail. */
export function resendForm(
  look: Look,
  { action, hidden = {} }: { action: string; hidden?: Hidden },
): Html {
  const again = markup`<button class="link">${say(look, "send it again")}</button>`;
  return form({
    action,
    hidden,
    kind: "small quiet center",
    content: markup`<p>${
      say(look, "Nothing after a minute? Look in your spam folder, or {again}.", { again })
    }</p>\n`,
  });
}

/** Data of the page on which a visitor waits for a mail. */
export interface CheckMailView {
  /** The address, as it was typed; null where the page does not know it. */
  address: string | null;
  /** Path that takes the code, with its hidden fields; null where the mail has none. */
  code: Typed & { action: string; hidden?: Hidden } | null;
  /** Path that sends another mail, with its hidden fields; null where it is sent from the page before. */
  resend: { action: string; hidden?: Hidden } | null;
  /** True when another mail has just been sent. Default false. */
  resent?: boolean;
  /** Path of the page before, for another address. */
  change: string;
  /** Error other than one of the code. Default: none. */
  error?: Html | null;
}

/** The page on which a visitor waits for a mail, the same for every address. */
export function checkMailPage(look: Look, view: CheckMailView): Page {
  const { address, code, resend, resent = false, change, error } = view;
  const title = say(look, "Check your email");
  const to = { address: markup`<b><bdi>${address}</bdi></b>` };
  const lead = address === null
    ? say(look, "If the address can sign in here, we have sent a link to it.")
    : code === null
    ? say(look, "We sent a link to {address}. Open it in this browser.", to)
    : say(
      look,
      "We sent a code and a link to {address}. Enter the code here, or open the link in this browser.",
      to,
    );
  const other = link(change, say(look, "Use a different address"));
  return {
    title,
    isError: Boolean(error || code?.error),
    body: markup`${heading(title, lead)}${error && note("bad", markup`<p>${error}</p>`)}${
      resent &&
      note(
        "good",
        markup`<p>${
          code === null
            ? say(look, "Sent again.")
            : say(look, "Sent again. Only the newest code works.")
        }</p>`,
      )
    }${
      code && form({
        action: code.action,
        hidden: code.hidden ?? {},
        content: [
          codeField(look, { ...code, focus: !error && !resent }),
          submit(say(look, "Continue")),
        ],
      })
    }${webmailButton(look, address)}${
      resend ? [resendForm(look, resend), aside(other)] : aside(
        say(look, "Nothing after a minute? Look in your spam folder, or {again}.", {
          again: link(change, say(look, "ask for another one")),
        }),
      )
    }`,
  };
}

/** Credentials of an account that end with the first proof of its address. */
export interface Ends {
  /** True when there may be a password. */
  password: boolean;
  /** Number of passkeys. */
  passkeys: number;
  /** Names of the providers with a connected account. */
  accounts: readonly string[];
}

/** Says what ends when the button of the page is pressed. */
export function endsNote(look: Look, { password, passkeys, accounts }: Ends): Html {
  const items = [
    password && say(look, "The password"),
    passkeys > 0 && say(look, "Passkeys: {n}", { n: passkeys }),
    accounts.length > 0 && say(look, "Connected: {names}", { names: accounts.join(", ") }),
    say(look, "All sessions and memberships"),
  ].filter((item) => item !== false);
  return note(
    "bad",
    markup`<p>${
      say(
        look,
        "This account was set up before anybody confirmed this address, perhaps not by you. What is on it ends when you go on:",
      )
    }</p>
<ul>
${items.map((item) => markup`<li>${item}</li>\n`)}</ul>
<p>${say(look, "Afterwards you set a new password, or sign in by email.")}</p>`,
  );
}

/** Purpose of the link in a mail. */
export type LinkAbout = "sign-in" | "sign-up" | "change-email" | "confirm-email";

/** Data of the page behind the link in a mail. */
export interface OpenedLinkView {
  /** Path that the form is sent to. */
  action: string;
  /** Hidden fields, such as the token. */
  hidden: Hidden;
  /** The address that the link is about; null where only the link names it. */
  address: string | null;
  /** Purpose of the link. */
  about: LinkAbout;
  /** True in another browser than the one that asked for the mail. Default false. */
  elsewhere?: boolean;
  /** Credentials that end when the button is pressed. Default: none. */
  ends?: Ends | null;
  /**
   * The password to give before going on: the one just chosen, or a new one. Default: none. The path of a page that
   * chooses a new one instead stands in `other`.
   */
  password?:
    | { ask: "chosen" | "new"; min: number; error?: Html | null; other?: string | null }
    | null;
  /** Error of the attempt before. Default: none. */
  error?: Html | null;
}

function wordsOf(
  look: Look,
  about: LinkAbout,
  address: Html,
): { title: Html; lead: Html; button: Html } {
  const to = { address };
  switch (about) {
    case "sign-up":
      return {
        title: say(look, "Create your account?"),
        lead: say(look, "You opened a link to create an account for {address}.", to),
        button: say(look, "Create account"),
      };
    case "change-email":
      return {
        title: say(look, "Change your email address?"),
        lead: say(look, "The new email address of your account will be {address}.", to),
        button: say(look, "Confirm this address"),
      };
    case "confirm-email":
      return {
        title: say(look, "Confirm your email address?"),
        lead: say(look, "The email address of your account is {address}.", to),
        button: say(look, "Confirm this address"),
      };
    default:
      return {
        title: sayNamed(look, "Sign in to {app}?", "Sign in?"),
        lead: say(look, "You opened a sign-in link for {address}.", to),
        button: say(look, "Sign in"),
      };
  }
}

/**
 * The page behind the link in a mail. It changes nothing until its button is pressed, however often mail scanners and
 * previews follow the link.
 */
export function openedLinkPage(look: Look, view: OpenedLinkView): Page {
  const { action, hidden, address, about, elsewhere = false, ends, password, error } = view;
  const { title, lead, button } = wordsOf(look, about, markup`<b><bdi>${address}</bdi></b>`);
  const isNew = password?.ask === "new";
  return {
    title,
    isError: Boolean(error || password?.error),
    hasScript: Boolean(password),
    body: markup`${heading(title, address === null ? null : lead)}${
      error && note("bad", markup`<p>${error}</p>`)
    }${
      elsewhere &&
      note(
        "plain",
        markup`<p>${
          password
            ? say(
              look,
              "This link was not requested in this browser. If you did not choose the password yourself, choose a new one.",
            )
            : say(
              look,
              "This link was not requested in this browser. Go on only if you asked for it.",
            )
        }</p>`,
      )
    }${ends && endsNote(look, ends)}${
      form({
        action,
        hidden,
        content: [
          password && address !== null && fixedEmail(look, address, null),
          password && passwordField(look, {
            label: isNew ? say(look, "New password") : say(look, "The password you just chose"),
            isNew,
            ...isNew && { min: password.min },
            error: password.error,
            focus: !error && !elsewhere && !ends,
            after: password.other == null
              ? null
              : link(password.other, say(look, "Choose a new password")),
          }),
          submit(button),
        ],
      })
    }<p class="hint">${
      say(look, "Didn’t ask for this? Close this page. Nothing happens until you press the button.")
    }</p>
`,
  };
}

/** Data of the page for a link that no longer works. */
export interface ExpiredLinkView {
  /** Path that sends a new link. */
  action: string;
  /** Hidden fields. Default: none. */
  hidden?: Hidden;
  /** The address that the link names; null where it names none, and it is asked for. */
  email: string | null;
  /** Seconds for which a link works; null where that is not said. */
  seconds: number | null;
  /** Path of the sign-in page. */
  signIn: string;
}

/** The page for a link that no longer works. */
export function expiredLinkPage(look: Look, view: ExpiredLinkView): Page {
  const { action, hidden = {}, email, seconds, signIn } = view;
  const title = say(look, "This link no longer works");
  return {
    title,
    isError: true,
    body: markup`${
      heading(
        title,
        seconds === null
          ? say(look, "A link works once, and not for long.")
          : say(look, "A link works once, for {time}.", {
            time: duration(look, seconds),
          }),
      )
    }${
      form({
        action,
        hidden,
        content: [
          email === null ? emailField(look, {}) : fixedEmail(look, email, signIn),
          submit(say(look, "Send a new link")),
        ],
      })
    }${aside(link(signIn, say(look, "Sign in another way")))}`,
  };
}

/** The page after something was done by a link; `warning` stands below what went well. */
export function donePage(
  _look: Look,
  { title, text, warning, next }: {
    title: Html;
    text: HtmlValue;
    warning?: Html;
    next: { href: string; label: Html };
  },
): Page {
  return {
    title,
    body: markup`${heading(title)}${note("good", markup`<p>${text}</p>`)}${
      warning && markup`<p>${warning}</p>\n`
    }<a class="button go" href="${next.href}">${next.label}</a>
`,
  };
}
