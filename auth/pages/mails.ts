/**
 * Mails: subject, HTML and text in the looks and the language of the pages.
 *
 * @module
 */

import type { HexColor, Look, Palette } from "../core/contracts.ts";
import { type Html, type HtmlValue, markup } from "../lib/html.ts";
import { duration, momentText, plainText, say, sayNamed } from "./frame.ts";
import type { PageText } from "./texts.ts";

/** A mail, ready to be sent. */
export interface MailText {
  /** Subject, one line. */
  subject: string;
  /** The mail as HTML, which loads nothing. */
  html: string;
  /** The same as text. */
  text: string;
}

/** The colours of mails where no theme sets any. The pages' own are in their stylesheet, which no mail can use. */
const COLORS: { light: Palette; dark: Palette; radius: number } = {
  light: {
    ground: "#f5f6f8",
    card: "#ffffff",
    soft: "#f2f4f7",
    line: "#e3e6eb",
    text: "#14171c",
    quiet: "#59616e",
    fill: "#3355e0",
    on: "#ffffff",
    link: "#3355e0",
  },
  dark: {
    ground: "#0c0e11",
    card: "#15181d",
    soft: "#1f232a",
    line: "#2a2f37",
    text: "#eceef1",
    quiet: "#a2aab6",
    fill: "#3355e0",
    on: "#ffffff",
    link: "#6e86e5",
  },
  radius: 10,
};

const FONT = "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** A part of a mail, from top to bottom. */
type Block =
  | { kind: "text" | "quiet" | "code"; content: Html; htmlOnly?: true }
  | {
    kind: "button";
    href: string;
    label: Html; /** What its text says instead of the label. */
    open?: Html;
  }
  | { kind: "facts"; facts: readonly (readonly [label: Html, value: HtmlValue])[] };

/** Content of a mail. */
interface Letter {
  /** Its subject. Default: the heading, after the name of the application. */
  subject?: Html;
  heading: Html;
  /** Preview text, which lists of mails show beside the subject. */
  preview: Html;
  blocks: readonly Block[];
  /** Reason for which somebody gets it. */
  footer: Html;
}

/** Attributes for both schemes: clients that know no media query show the light one. */
function paint(names: string, style: Record<string, string | HexColor>): Html {
  const text = Object.entries(style).map(([name, value]) => `${name}:${value}`).join(";");
  return markup` class="${names}" style="${text}"`;
}

function blockHtml(block: Block, look: Look): Html {
  const { light, radius } = look.mail ?? COLORS;
  const side = look.direction === "rtl" ? "right" : "left";
  switch (block.kind) {
    case "text":
      return markup`<p${
        paint("t", { "margin": "0 0 20px", "color": light.text })
      }>${block.content}</p>\n`;
    case "quiet":
      return markup`<p${
        paint("q", { "margin": "0 0 20px", "font-size": "14px", "color": light.quiet })
      }>${block.content}</p>\n`;
    case "code":
      return markup`<p${
        paint("t s", {
          "margin": "0 0 24px",
          "padding": "14px 0",
          "border-radius": `${radius}px`,
          "background": light.soft,
          "font": "600 28px/1.3 Menlo,Consolas,monospace",
          "letter-spacing": "4px",
          "text-align": "center",
          "color": light.text,
        })
      } dir="ltr">${block.content}</p>\n`;
    case "button":
      return markup`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px"><tr><td align="center" bgcolor="${light.fill}"${
        paint("f", { "border-radius": `${radius}px`, "background": light.fill })
      }><a href="${block.href}"${
        paint("o", {
          "display": "inline-block",
          "padding": "13px 24px",
          "font": `600 16px/1.25 ${FONT}`,
          "color": light.on,
          "text-decoration": "none",
        })
      }>${block.label}</a></td></tr></table>\n`;
    default:
      return markup`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px">\n${
        block.facts.map(([label, value]) =>
          markup`<tr><td${
            paint("q", {
              [`padding`]: side === "left" ? "6px 24px 6px 0" : "6px 0 6px 24px",
              "font-size": "14px",
              "color": light.quiet,
              "white-space": "nowrap",
              "vertical-align": "top",
            })
          }>${label}</td><td${
            paint("t", { "padding": "6px 0", "font-size": "14px", "color": light.text })
          }>${value}</td></tr>\n`
        )
      }</table>\n`;
  }
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "button":
      return `${plainText(block.open ?? markup`${block.label}:`)}\n${block.href}`;
    case "facts":
      return block.facts.map(([label, value]) =>
        `${plainText(label)}: ${plainText(markup`${value}`)}`
      ).join("\n");
    default:
      return plainText(block.content);
  }
}

/** The dark scheme, for clients that know it; the others keep the colours of each element. */
function darkStyle({ ground, card, line, text, quiet, link, soft, fill, on }: Palette): string {
  return `.page{background:${ground}!important}.box{background:${card}!important;border-color:${line}!important}` +
    `.t{color:${text}!important}.q{color:${quiet}!important}.l{color:${link}!important}.s{background:${soft}!important}` +
    `.f{background:${fill}!important}.o{color:${on}!important}`;
}

function htmlOf(
  look: Look,
  { subject, heading, preview, blocks, footer }: Letter & { subject: Html },
): string {
  const { light, dark, radius } = look.mail ?? COLORS;
  const side = look.direction === "rtl" ? "right" : "left";
  const style =
    `:root{color-scheme:light dark;supported-color-schemes:light dark}a:hover{text-decoration:underline}` +
    `@media (max-width:480px){.pad{padding:24px 20px!important}.out{padding:0!important}.foot{padding:16px 20px!important}}` +
    `@media (prefers-color-scheme:dark){${darkStyle(dark)}}`;
  return markup`<!doctype html>
<html lang="${look.language}" dir="${look.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${plainText(subject)}</title>
<style>${{ markup: style }}</style>
</head>
<body${paint("page", { "margin": "0", "padding": "0", "background": light.ground })}>
<div role="main">
<div style="display:none;max-height:0;overflow:hidden">${preview}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"${
    paint("page", { "background": light.ground })
  }>
<tr><td class="out" align="center" style="padding:32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"${
    paint("box", {
      "max-width": "480px",
      "background": light.card,
      "border": `1px solid ${light.line}`,
      "border-radius": `${Math.round(radius * 1.6)}px`,
    })
  }>
<tr><td${
    paint("pad t", {
      "padding": "36px",
      "font": `16px/1.55 ${FONT}`,
      "color": light.text,
      "text-align": side,
    })
  }>
${
    look.name !== null &&
    markup`<p${
      paint("t", { "margin": "0 0 24px", "font-weight": "600", "color": light.text })
    }>${look.name}</p>\n`
  }<h1${
    paint("t", {
      "margin": "0 0 12px",
      "font-size": "22px",
      "line-height": "1.3",
      "font-weight": "600",
      "color": light.text,
    })
  }>${heading}</h1>
${blocks.map((block) => blockHtml(block, look))}</td></tr>
</table>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:480px">
<tr><td${
    paint("q foot", {
      "padding": "20px 36px",
      "font": `13px/1.5 ${FONT}`,
      "color": light.quiet,
      "text-align": side,
    })
  }>${footer}</td></tr>
</table>
</td></tr>
</table>
</div>
</body>
</html>
`.markup;
}

function write(look: Look, letter: Letter): MailText {
  const { heading, blocks, footer } = letter;
  const { name } = look;
  const subject = letter.subject ?? markup`${name !== null && `${name}: `}${heading}`;
  const inText = blocks.filter((block) => !("htmlOnly" in block));
  const parts = [plainText(heading), ...inText.map(blockText), plainText(footer)];
  return {
    // A line end in a subject would begin another header (CWE-93).
    subject: plainText(subject).replace(/\s+/g, " "),
    html: htmlOf(look, { ...letter, subject }),
    text: `${[...name === null ? [] : [name], ...parts].join("\n\n")}\n`,
  };
}

/** The button of a mail for one link, below the sentence that leads to it; the text has a sentence and an address instead. */
function linkBlocks(
  look: Look,
  { href, label, press, open }: { href: string; label: PageText; press: PageText; open: PageText },
): Block[] {
  return [
    { kind: "text", content: say(look, press), htmlOnly: true },
    { kind: "button", href, label: say(look, label), open: say(look, open) },
  ];
}

/** The link of the button once more, for who cannot press it. */
function linkAgain(look: Look, url: string): Block {
  const { light } = look.mail ?? COLORS;
  const address = markup`<br><a href="${url}"${
    paint("l", { "color": light.link, "word-break": "break-all" })
  }>${url}</a>`;
  return {
    kind: "quiet",
    content: say(look, "Button doesn’t work? Copy this address into your browser: {address}", {
      address,
    }),
    htmlOnly: true,
  };
}

function onceFor(look: Look, seconds: number): Block {
  return {
    kind: "quiet",
    content: say(look, "It works once, for {time}.", { time: duration(look, seconds) }),
  };
}

/** A code as it stands in a mail: in two groups, which are easier to read and to type. */
export function inGroups(code: string): string {
  return `${code.slice(0, 3)} ${code.slice(3)}`;
}

/** Warning before the first proof of an address that an account has already. */
function endsText(look: Look): Html {
  return say(
    look,
    "Nobody has confirmed this address on its account yet. Whatever was set up there before, such as a password, ends when you sign in.",
  );
}

/** The mail with a link to sign in, and a code where there are codes. */
export function signInMail(
  look: Look,
  { url, code, seconds, ends = false }: {
    url: string;
    code?: string | undefined;
    seconds: number;
    ends?: boolean;
  },
): MailText {
  const heading = sayNamed(look, "Sign in to {app}", "Sign in");
  const parts = code === undefined ? null : inGroups(code);
  const link = linkBlocks(look, {
    href: url,
    label: "Sign in",
    press: "Press the button in the browser you started in:",
    open: "Open this link in the browser you started in:",
  });
  const footer = say(
    look,
    "Didn’t ask? You can ignore this email; nobody gets in without it.",
  );
  const warning: Block[] = ends ? [{ kind: "text", content: endsText(look) }] : [];
  if (parts === null) {
    const preview = say(look, "It works once, for {time}.", { time: duration(look, seconds) });
    const blocks = [...warning, ...link, onceFor(look, seconds), linkAgain(look, url)];
    return write(look, { subject: heading, heading, preview, blocks, footer });
  }
  return write(look, {
    subject: sayNamed(look, "{code} is your {app} code", "{code} is your code", { code: parts }),
    heading,
    preview: say(look, "Or press the button in this email."),
    blocks: [
      ...warning,
      ...link,
      { kind: "text", content: say(look, "Or enter this code:") },
      { kind: "code", content: markup`${parts}` },
      {
        kind: "quiet",
        content: say(
          look,
          "Both work once, for {time}. We will never ask you for this code on the phone or in a chat.",
          { time: duration(look, seconds) },
        ),
      },
      linkAgain(look, url),
    ],
    footer,
  });
}

/** The mail that proves the address of somebody who signs up. */
export function verificationMail(
  look: Look,
  { url, seconds }: { url: string; seconds: number },
): MailText {
  const heading = say(look, "Confirm your email address");
  return write(look, {
    heading,
    preview: sayNamed(look, "One step to your {app} account.", "One step to your account."),
    blocks: [
      ...linkBlocks(look, {
        href: url,
        label: "Confirm this address",
        press: "Press the button to confirm that this address is yours:",
        open: "Open this link to confirm that this address is yours:",
      }),
      onceFor(look, seconds),
      linkAgain(look, url),
    ],
    footer: say(
      look,
      "Didn’t create an account? You can ignore this email; nothing happens without the link.",
    ),
  });
}

/** The mail with a link to choose a new password. */
export function resetMail(
  look: Look,
  { url, seconds }: { url: string; seconds: number },
): MailText {
  const heading = say(look, "Choose a new password");
  return write(look, {
    heading,
    preview: say(look, "It works once, for {time}.", { time: duration(look, seconds) }),
    blocks: [
      ...linkBlocks(look, {
        href: url,
        label: "Choose a new password",
        press: "Press the button to choose a new password:",
        open: "Open this link to choose a new password:",
      }),
      onceFor(look, seconds),
      linkAgain(look, url),
    ],
    footer: say(look, "Didn’t ask? You can ignore this email; your password stays as it is."),
  });
}

/** The mail to somebody who signs up although they have an account. */
export function knownAccountMail(
  look: Look,
  { signIn, reset }: { signIn: string; reset: string },
): MailText {
  const heading = say(look, "You have an account already");
  return write(look, {
    heading,
    preview: say(look, "Sign in, or choose a new password."),
    blocks: [
      {
        kind: "text",
        content: say(
          look,
          "Somebody, probably you, wanted to create an account with this address. It has one:",
        ),
      },
      { kind: "button", href: signIn, label: say(look, "Sign in") },
      {
        kind: "quiet",
        content: say(look, "Forgot your password? Choose a new one: {address}", {
          address: address(look, reset),
        }),
      },
    ],
    footer: say(look, "Wasn’t you? You can ignore this email; nothing has changed."),
  });
}

/** A team, as the sentence of an invitation names it: with the name of the application, where it has one. */
function teamOf(look: Look, team: string): Html {
  const own = markup`<bdi>${team}</bdi>`;
  const { name } = look;
  return name === null ? own : say(look, "{team} on {app}", { team: own, app: name });
}

/** Sentence of an invitation; `inviter` is null for a person without a name. */
export function invitationText(
  look: Look,
  { team, inviter }: { team: string; inviter: string | null },
): Html {
  const to = { team: teamOf(look, team) };
  return inviter === null
    ? say(look, "You are invited to join {team}.", to)
    : say(look, "{inviter} invites you to join {team}.", {
      ...to,
      inviter: markup`<b><bdi>${inviter}</bdi></b>`,
    });
}

/** The mail that invites into a team. Both names are a stranger's text: see `strangersName()`. */
export function writeInvitation(
  look: Look,
  { team, inviter, address, url, seconds }: {
    team: string;
    inviter: string | null;
    address: string;
    url: string;
    seconds: number;
  },
): MailText {
  const heading = say(look, "Join {team}", { team: teamOf(look, team) });
  const text = invitationText(look, { team, inviter });
  return write(look, {
    subject: heading,
    heading,
    preview: text,
    blocks: [
      { kind: "text", content: text },
      { kind: "button", href: url, label: say(look, "See the invitation") },
      onceFor(look, seconds),
      linkAgain(look, url),
    ],
    footer: say(
      look,
      "You get this email because {address} was invited. Don’t know this team? You can ignore it; nobody joins without the link.",
      { address },
    ),
  });
}

function address(look: Look, url: string): Html {
  const { light } = look.mail ?? COLORS;
  return markup`<a href="${url}"${
    paint("l", { "color": light.link, "word-break": "break-all" })
  }>${url}</a>`;
}

/**
 * Number of passkeys that still sign in after a new password, which ends none of them.
 *
 * @param account Where to remove them; null where there is no such page.
 */
export function passkeysText(look: Look, passkeys: number, account: Html | null): Html {
  const left = say(look, "Passkeys that still sign in to your account: {n}.", { n: passkeys });
  return account === null
    ? left
    : markup`${left} ${say(look, "Remove those that you don’t know: {account}", { account })}`;
}

/** A password that has changed. */
export interface PasswordChangedMail {
  /** Moment of the change. */
  at: Date;
  /** Link to choose another password. */
  reset: string;
  /** Number of passkeys that still sign in. Default 0. */
  passkeys?: number;
  /** Link to the page on which to remove them; null for none. Default null. */
  account?: string | null;
}

/** Data of a mail that tells its reader of a change that they may not have made. */
interface ChangeNotice {
  /** Its subject and heading. */
  heading: Html;
  /** Moment of the change. */
  at: Date;
  /** Text before the sentence for who has made it; null for none. */
  before: Html | null;
  /** Sentence for who has made it. Default: that there is nothing to do. */
  you?: Html | undefined;
  /** Text after that sentence; null for none. */
  after: Html | null;
  /** Sentence for who has not made it. */
  notYou: Html;
  /** Its button. */
  button: { href: string; label: Html };
  /** Sentence at its end. */
  footer: Html;
}

/** Writes a mail about a change: the moment, what else is to be known, and the way out for who has not made it. */
function writeChange(
  look: Look,
  {
    heading,
    at,
    before,
    you = say(look, "Was it you? Then there is nothing to do."),
    after,
    notYou,
    button,
    footer,
  }: ChangeNotice,
): MailText {
  const text = (content: Html | null) =>
    content === null ? [] : [{ kind: "text", content } as const];
  return write(look, {
    heading,
    preview: before ?? notYou,
    blocks: [
      { kind: "facts", facts: [[say(look, "When"), momentText(look, at, "long")]] },
      ...text(before),
      { kind: "text", content: you },
      ...text(after),
      { kind: "text", content: notYou },
      { kind: "button", ...button },
    ],
    footer,
  });
}

/** The mail to somebody whose password has changed. */
export function passwordChangedMail(
  look: Look,
  { at, reset, passkeys = 0, account = null }: PasswordChangedMail,
): MailText {
  return writeChange(look, {
    heading: say(look, "Your password has changed"),
    at,
    before: null,
    after: passkeys === 0
      ? null
      : passkeysText(look, passkeys, account === null ? null : address(look, account)),
    notYou: say(look, "Not you? Choose a new password now."),
    button: { href: reset, label: say(look, "Choose a new password") },
    footer: say(look, "You get this email whenever your password changes. It can’t be turned off."),
  });
}

/** A sign-in in a browser that was not known. */
export interface NewDeviceMail {
  /** Address of the account. */
  address: string;
  /** Moment of the sign-in. */
  at: Date;
  /** Name of the browser. */
  browser: string;
  /** Place of the sign-in, as far as it is known. Default: none is named. */
  place?: string | undefined;
  /** Link to the list of devices; null for none. */
  account: string | null;
}

/** The mail about a sign-in in a browser that was not known. */
export function newDeviceMail(look: Look, mail: NewDeviceMail): MailText {
  const { browser, place, at, account } = mail;
  const heading = say(look, "New sign-in to your account");
  const text = say(look, "Someone signed in as {address} in a browser we haven’t seen before.", {
    address: mail.address,
  });
  return write(look, {
    heading,
    preview: text,
    blocks: [
      { kind: "text", content: text },
      {
        kind: "facts",
        facts: [
          [say(look, "When"), momentText(look, at, "long")],
          [say(look, "Browser"), browser],
          ...place === undefined ? [] : [[say(look, "Where"), place] as const],
        ],
      },
      { kind: "text", content: say(look, "Was it you? Then there is nothing to do.") },
      {
        kind: "text",
        content: account === null
          ? say(look, "Not you? Change how you sign in now.")
          : say(look, "Not you? Sign it out, then change how you sign in."),
      },
      ...account === null
        ? []
        : [{ kind: "button", href: account, label: say(look, "Check your devices") } as const],
    ],
    footer: say(
      look,
      "You get this email whenever your account is used in a new browser. It can’t be turned off.",
    ),
  });
}

/** One of the mails about a new address. */
export interface EmailChangeMail {
  /** "old" to the present address, "new" to the new one, "own" to the present one that is only to be confirmed. */
  part: "old" | "new" | "own";
  /** The new address, or the one to be confirmed. */
  newEmail: string;
  /** Link to open. */
  url: string;
  /** Seconds for which it works. */
  seconds: number;
}

/** The mail about a new address, to the present one or to the new one. */
export function emailChangeMail(
  look: Look,
  { part, newEmail, url, seconds }: EmailChangeMail,
): MailText {
  const isOwn = part === "own";
  const heading = isOwn
    ? say(look, "Confirm your email address")
    : say(look, "Confirm your new email address");
  const address = markup`<b>${newEmail}</b>`;
  return write(look, {
    heading,
    preview: say(look, "It works once, for {time}.", { time: duration(look, seconds) }),
    blocks: [
      {
        kind: "text",
        content: isOwn
          ? say(look, "The email address of your account is {address}.", { address })
          : say(look, "The new email address of your account will be {address}.", { address }),
      },
      { kind: "button", href: url, label: say(look, "Confirm this address") },
      onceFor(look, seconds),
      linkAgain(look, url),
    ],
    footer: part === "old"
      ? say(
        look,
        "Wasn’t you? Don’t confirm it, and change how you sign in: somebody is in your account.",
      )
      : say(look, "Didn’t ask? You can ignore this email; nothing changes without it."),
  });
}

/** Subject of a mail about two-step sign-in. */
export type SecondFactorNews =
  | "added"
  | "removed"
  | "codes"
  | "recovery"
  | "closed"
  | "reset"
  | "recovery-requested"
  | "recovery-cancelled";

/** The mail to somebody whose second factor the application has removed, which was not their own doing. */
export function factorResetMail(look: Look, { at, url }: { at: Date; url: string }): MailText {
  const heading = say(look, "Support removed your two-step sign-in");
  const signIn = say(look, "You are signed out everywhere. Sign in, then turn it on again.");
  return write(look, {
    heading,
    preview: signIn,
    blocks: [
      { kind: "facts", facts: [[say(look, "When"), momentText(look, at, "long")]] },
      { kind: "text", content: signIn },
      {
        kind: "text",
        content: say(
          look,
          "You didn’t ask for it? Tell support at once, and change how you sign in: somebody may have pretended to be you.",
        ),
      },
      { kind: "button", href: url, label: say(look, "Sign in") },
    ],
    footer: say(
      look,
      "You get this email whenever two-step sign-in changes. It can’t be turned off.",
    ),
  });
}

/** Sentence about a cancelled request, for who has not asked for it. */
export const NOT_ASKED: PageText =
  "If you did not ask for it, somebody knows your password: choose a new one.";

/** Consequence of a request to do without the second factor, for a mail. */
function requestText(look: Look, from: Date): Html {
  return say(
    look,
    "From {date} on, whoever knows your password can sign in without it and remove it.",
    { date: momentText(look, from, "long") },
  );
}

/** The mail to somebody whose two-step sign-in has changed, or was used in a way that they must know of. */
export function secondFactorMail(
  look: Look,
  { news, at, left, url, from }: {
    news: Exclude<SecondFactorNews, "reset">;
    at: Date;
    left: number;
    url: string;
    /** Time from which a request holds, in the mail about one. Default: that of the news. */
    from?: Date | undefined;
  },
): MailText {
  const isRequest = news === "recovery-requested";
  const isCancelled = news === "recovery-cancelled";
  const heading = {
    added: () => say(look, "Two-step sign-in is on"),
    removed: () => say(look, "Two-step sign-in is off"),
    codes: () => say(look, "Your recovery codes have been replaced"),
    recovery: () => say(look, "A recovery code was used to sign in"),
    closed: () => say(look, "Too many wrong codes for your account"),
    "recovery-requested": () => say(look, "Somebody asked to sign in without your second step"),
    "recovery-cancelled": () =>
      say(look, "The request to sign in without your second step was cancelled"),
  }[news]();
  return writeChange(look, {
    heading,
    at,
    before: news === "closed"
      ? say(
        look,
        "Somebody who got past the first step has typed too many wrong codes. For a day only recovery codes and passkeys are accepted.",
      )
      : news === "recovery"
      ? say(look, "Recovery codes left: {n}", { n: left })
      : isRequest
      ? requestText(look, from ?? at)
      : isCancelled
      ? say(look, "Signing in still takes your second step.")
      : null,
    you: isCancelled ? say(look, NOT_ASKED) : undefined,
    after: null,
    notYou: isRequest
      ? say(look, "Not you? Cancel it, then choose a new password: somebody knows yours.")
      : isCancelled
      ? say(
        look,
        "If you asked for it and somebody else cancelled it, sign out everywhere else, then change how you sign in.",
      )
      : say(look, "Not you? Sign out everywhere else, then change how you sign in."),
    button: {
      href: url,
      label: isRequest ? say(look, "Cancel the request") : say(look, "Go to your account"),
    },
    footer: say(
      look,
      "You get this email whenever two-step sign-in changes. It can’t be turned off.",
    ),
  });
}

/** The mail to somebody whose account has a passkey more, or one less. */
export function passkeyMail(
  look: Look,
  { isAdded, at, url }: { isAdded: boolean; at: Date; url: string },
): MailText {
  return writeChange(look, {
    heading: isAdded
      ? say(look, "A passkey was added to your account")
      : say(look, "A passkey was removed from your account"),
    at,
    before: null,
    after: null,
    notYou: isAdded
      ? say(look, "Not you? Remove the passkey, then choose a new password.")
      : say(look, "Not you? Sign out everywhere else, then change how you sign in."),
    button: { href: url, label: say(look, "Go to your account") },
    footer: say(
      look,
      "You get this email whenever a passkey is added or removed. It can’t be turned off.",
    ),
  });
}

/** The mail to somebody whose password manager has made a passkey by itself. */
export function automaticPasskeyMail(
  look: Look,
  { at, name, url, seconds }: { at: Date; name: string | null; url: string; seconds: number },
): MailText {
  const heading = say(look, "A passkey was added to your account");
  const text = say(
    look,
    "After a sign-in with your password, the password manager of that browser has made a passkey. It signs in to your account from now on.",
  );
  return write(look, {
    heading,
    preview: text,
    blocks: [
      { kind: "text", content: text },
      {
        kind: "facts",
        facts: [
          [say(look, "When"), momentText(look, at, "long")],
          ...name === null ? [] : [[say(look, "Passkey name"), name] as const],
        ],
      },
      { kind: "text", content: say(look, "Was it you? Then there is nothing to do.") },
      {
        kind: "text",
        content: say(look, "Not you? Remove the passkey, then choose a new password."),
      },
      { kind: "button", href: url, label: say(look, "Remove this passkey") },
      onceFor(look, seconds),
      linkAgain(look, url),
    ],
    footer: say(
      look,
      "You get this email whenever a passkey is added by itself. It can’t be turned off.",
    ),
  });
}

/** The mail to somebody whose session wrong proofs of its device have ended. */
export function deviceProofMail(
  look: Look,
  { at, url }: { at: Date; url: string },
): MailText {
  const heading = say(look, "A session of yours was copied");
  return write(look, {
    heading,
    preview: say(look, "It has ended. Sign in again."),
    blocks: [
      { kind: "facts", facts: [[say(look, "When"), momentText(look, at, "long")]] },
      {
        kind: "text",
        content: say(
          look,
          "Somebody had its cookie and tried to use it without your device. The session has ended.",
        ),
      },
      {
        kind: "text",
        content: say(look, "Look for malware on your device, then change how you sign in."),
      },
      { kind: "button", href: url, label: say(look, "Sign in again") },
    ],
    footer: say(look, "You get this email whenever that happens. It can’t be turned off."),
  });
}
