/**
 * Pages and mails of two-step sign-in.
 *
 * @module
 */

import type { Look } from "../core/contracts.ts";
import { type Html, type HtmlValue, markup } from "../lib/html.ts";
import { day, duration, momentText, type Page, say } from "./frame.ts";
import {
  aside,
  codeField,
  copyButton,
  field,
  form,
  heading,
  type Hidden,
  icon,
  link,
  note,
  ownerButton,
  row,
  rowButton,
  rows,
  submit,
  tag,
} from "./parts.ts";

/** Data of the page that asks for the second factor. */
export interface StepView {
  /** Path that the form is sent to. */
  action: string;
  /** Hidden fields. */
  hidden: Hidden;
  /** True where a recovery code is asked for, false for a code of the app. */
  recovery: boolean;
  /** Path of this page that asks for the other one. */
  other: string;
  /** Seconds for which the browser can be trusted; null where it cannot. */
  trust: number | null;
  /** Forms of other second factors. Default: none. */
  ways?: readonly Html[];
  /** Page for who has lost all of them; `isOpen` where a request has taken effect. Default: there is none. */
  lost?: { href: string; isOpen: boolean } | null;
  /** Problem with the code. Default: none. */
  error?: Html | null;
  /** Problem with anything else. Default: none. */
  problem?: Html | null;
}

/** The page that asks for the second factor. */
export function stepPage(look: Look, view: StepView): Page {
  const { action, hidden, recovery, other, trust, ways = [], error = null, problem = null, lost } =
    view;
  const title = recovery ? say(look, "Use a recovery code") : say(look, "Enter your code");
  const code = recovery
    ? field({
      id: "code",
      label: say(look, "Recovery code"),
      hint: say(look, "Sixteen letters and digits. Capitals and dashes don’t matter."),
      error,
      focus: problem === null,
      autocomplete: "off",
      required: true,
      attributes:
        markup` class="code" dir="ltr" spellcheck="false" autocapitalize="none" maxlength="64"`,
    })
    : codeField(look, { error, focus: problem === null });
  return {
    title,
    isError: error !== null || problem !== null,
    body: markup`${
      heading(
        title,
        recovery
          ? say(
            look,
            "One of the codes you saved when you set up two-step sign-in. Each works once.",
          )
          : say(look, "Open your authenticator app and enter the six digits it shows."),
      )
    }${problem && note("bad", markup`<p>${problem}</p>`)}${
      form({
        action,
        hidden,
        content: [
          code,
          trust !== null &&
          markup`<label class="check"><input type="checkbox" name="trust" value="yes"> ${
            say(look, "Trust this browser for {time}", { time: duration(look, trust) })
          } <small>${say(look, "Not on a computer that other people use.")}</small></label>\n`,
          submit(say(look, "Continue")),
        ],
      })
    }${ways}${
      aside(
        link(
          other,
          recovery ? say(look, "Use your authenticator app") : say(look, "Use a recovery code"),
        ),
      )
    }${
      lost && aside(
        link(
          lost.href,
          lost.isOpen
            ? say(look, "Continue without the second step")
            : say(look, "Lost your second step?"),
        ),
      )
    }`,
  };
}

/** Data of the page that asks for a passkey of who has no app. */
export interface PasskeyStepView {
  /** Their forms. */
  ways: readonly Html[];
  /** Page on which an app is set up; null where it is not offered. */
  setUp: string | null;
  /** Path of the sign-in page, for who has waited too long. */
  signIn: string;
}

/** The page that asks for a passkey as the second factor. */
export function passkeyStepPage(look: Look, { ways, setUp, signIn }: PasskeyStepView): Page {
  const title = say(look, "Confirm it’s you");
  return {
    title,
    body: markup`${heading(title)}<p class="quiet" data-passkey="unavailable">${
      say(look, "Passkeys need a newer browser with JavaScript turned on.")
    }</p>
${ways}${
      aside(
        setUp === null
          ? link(signIn, say(look, "Back to sign in"))
          : link(setUp, say(look, "Set up two-step sign-in")),
      )
    }`,
  };
}

/** The page for a second step that is over, by its time or by its tries. */
export function stepOverPage(
  look: Look,
  { signIn, tries }: { signIn: string; tries: boolean },
): Page {
  const title = tries
    ? say(look, "Too many wrong codes ended this sign-in. Start again.")
    : say(look, "This sign-in took too long. Start again.");
  return {
    title,
    isError: true,
    body: markup`${heading(title)}<a class="button go" href="${signIn}">${
      say(look, "Back to sign in")
    }</a>\n`,
  };
}

/** Data of the page for who has lost all second factors. */
export interface RecoveryView {
  /** Path that a request is sent to. */
  action: string;
  /** Path that finishes one that has taken effect. */
  finish: string;
  /** Hidden fields. */
  hidden: Hidden;
  /** Path of the page that asks for the second factor. */
  back: string;
  /** Seconds until a request takes effect. */
  after: number;
  /** "none" without a request, "asked" before it takes effect, "open" afterwards, "cancelled" while there can be no other. */
  status: "none" | "asked" | "open" | "cancelled";
  /** Time from which it holds. */
  from: Date;
  /** Time until which it holds, or until which there can be no other. */
  until: Date;
  /** Refusal. Default: none. */
  problem?: Html | null;
}

/** The page for who has lost all second factors. */
export function recoveryPage(look: Look, view: RecoveryView): Page {
  const { action, finish, hidden, back, after, status, from, until, problem = null } = view;
  const button = (to: string, label: Html) => form({ action: to, hidden, content: submit(label) });
  const at = (date: Date) => momentText(look, date, "medium");
  const { title, lead, content } = {
    none: () => ({
      title: say(look, "Ask to sign in without the second step"),
      lead: say(
        look,
        "It takes effect after {time}. We tell you at once by email and wherever you are signed in; from there it can be cancelled.",
        { time: duration(look, after) },
      ),
      content: button(action, say(look, "Send the request")),
    }),
    asked: () => ({
      title: say(look, "We have your request"),
      lead: say(
        look,
        "Sign in again between {from} and {until}, then you can continue without the second step. A new password ends the request.",
        { from: at(from), until: at(until) },
      ),
      content: null,
    }),
    open: () => ({
      title: say(look, "Continue without the second step?"),
      lead: say(
        look,
        "Your authenticator app, recovery codes and trusted browsers are removed, and your other sessions end. Then set up two-step sign-in again.",
      ),
      content: button(finish, say(look, "Remove and continue")),
    }),
    cancelled: () => ({
      title: say(look, "The request was cancelled"),
      lead: say(look, "You can ask again from {date} on.", { date: at(until) }),
      content: null,
    }),
  }[status]();
  return {
    title,
    isError: problem !== null,
    body: markup`${heading(title, lead)}${problem && note("bad", markup`<p>${problem}</p>`)}${
      problem === null && content
    }${aside(link(back, say(look, "Back to the second step")))}`,
  };
}

/** Consequence of a request, and what to do against it. */
function requestWarning(look: Look, from: Date): Html {
  return markup`<p>${
    say(look, "From {date} on, whoever knows your password can sign in without it and remove it.", {
      date: momentText(look, from, "medium"),
    })
  } ${say(look, "Not you? Cancel it, then choose a new password: somebody knows yours.")}</p>
`;
}

/** The page behind the link of the mail about a request. It changes nothing until its button is pressed. */
export function cancelRecoveryPage(
  look: Look,
  { action, hidden, from }: { action: string; hidden: Hidden; from: Date },
): Page {
  const title = say(look, "Somebody asked to sign in without your second step");
  return {
    title,
    body: markup`${heading(title)}${requestWarning(look, from)}${
      form({ action, hidden, content: submit(say(look, "Cancel the request")) })
    }`,
  };
}

/** The note about a request above the account page. */
export function recoveryNotice(
  look: Look,
  { action, from }: { action: string; from: Date },
): Html {
  return note(
    "bad",
    markup`${requestWarning(look, from)}${
      form({
        action,
        content: markup`<button>${say(look, "Cancel the request")}</button>
`,
      })
    }`,
    say(look, "Somebody asked to sign in without your second step"),
  );
}

/** Data of the page on which an authenticator app is set up. */
export interface SetUpView {
  /** Path that the form is sent to. */
  action: string;
  /** Hidden fields. */
  hidden: Hidden;
  /** The shared secret, base32. */
  secret: string;
  /** Address that brings it into an app on the same device. */
  uri: string;
  /** Modules of the QR code, row by row. */
  modules: readonly (readonly boolean[])[];
  /** Path of the account page. */
  account: string;
  /** Problem with the code. Default: none. */
  error?: Html | null;
}

/** The QR code as one path, dark on the white ground that its class has in both schemes. */
function qrCode(look: Look, modules: SetUpView["modules"]): Html {
  const path = modules.flatMap((line, y) =>
    line.flatMap((isDark, x) => isDark ? [`M${x} ${y}h1v1h-1z`] : [])
  ).join("");
  return markup`<svg class="qr" viewBox="0 0 ${modules.length} ${modules.length}" role="img" aria-label="${
    say(look, "QR code for your authenticator app")
  }" shape-rendering="crispEdges"><path d="${path}"/></svg>`;
}

/** The page on which an authenticator app is set up. */
export function setUpPage(look: Look, view: SetUpView): Page {
  const { action, hidden, secret, uri, modules, account, error = null } = view;
  const title = say(look, "Set up two-step sign-in");
  const content = markup`<ol class="steps">
<li><p><b>${say(look, "Get an authenticator app.")}</b> <span class="quiet">${
    say(look, "Your phone or password manager may have one built in.")
  }</span></p></li>
<li><section><p><b>${say(look, "Scan this with it.")}</b></p>
${qrCode(look, modules)}
<p class="small quiet">${
    say(look, "Is the app on this device? Open it, or enter this key in it.")
  }</p>
<a class="button" href="${uri}">${say(look, "Open in an authenticator app")}</a>
<p><code id="key" dir="ltr">${secret.match(/.{1,4}/g)!.join(" ")}</code></p>
${copyButton(look, "key")}</section></li>
<li>${
    field({
      id: "code",
      label: say(look, "Enter the six digits it shows"),
      error,
      autocomplete: "one-time-code",
      required: true,
      attributes: markup` class="digits" inputmode="numeric" maxlength="12" dir="ltr"`,
    })
  }</li>
</ol>
${submit(say(look, "Turn on"))}`;
  return {
    title,
    isError: error !== null,
    hasScript: true,
    hasLists: true,
    body: markup`${
      heading(title, say(look, "After this, signing in takes a code from your phone as well."))
    }${form({ action, hidden, content })}${aside(link(account, say(look, "Not now")))}`,
  };
}

/** The page that shows recovery codes, once. */
export function recoveryCodesPage(
  look: Look,
  { codes, next }: { codes: readonly string[]; next: string },
): Page {
  const title = say(look, "Save your recovery codes");
  return {
    title,
    hasScript: true,
    hasLists: true,
    body: markup`${
      heading(
        title,
        say(
          look,
          "If you lose your phone, one of these gets you in. Each works once. They are shown only now.",
        ),
      )
    }${
      note("good", markup`<p>${say(look, "Two-step sign-in is on.")}</p>`)
    }<ul class="codes" id="codes" dir="ltr" aria-label="${say(look, "Recovery codes")}">
${codes.map((code) => markup`<li>${code}</li>\n`)}</ul>
<div><a class="button" download="${say(look, "Recovery codes")}.txt" href="data:text/plain,${
      encodeURIComponent(`${codes.join("\n")}\n`)
    }">${say(look, "Download")}</a>
${copyButton(look, "codes")}</div>
<a class="button go" href="${next}">${say(look, "Continue")}</a>
`,
  };
}

/** Data of the page on which two-step sign-in is looked after. */
export interface ManageView {
  /** Path of the page; its forms are sent to paths below it. */
  path: string;
  /** Date on which it was turned on. */
  since: Date;
  /** Number of recovery codes that are left. */
  codes: number;
  /** Trusted browsers. */
  browsers: readonly { id: string; name: string; until: Date }[];
  /** Path of the account page. */
  account: string;
}

/** The page on which two-step sign-in is looked after. */
export function managePage(look: Look, view: ManageView): Page {
  const { path, since, codes, browsers, account } = view;
  const title = say(look, "Two-step sign-in");
  const action = (to: string, content: HtmlValue, hidden: Hidden = {}) =>
    form({ action: `${path}/${to}`, hidden, content });
  const asked = (to: string, { label, consequence, answer }: Record<string, Html>) =>
    markup`<details><summary>${label}</summary>
${action(to, [markup`<p class="small quiet">${consequence}</p>\n`, answer])}</details>`;
  return {
    title,
    hasLists: true,
    body: markup`${heading(title)}${
      rows([
        row({
          mark: icon("phone"),
          title: markup`${say(look, "Authenticator app")} ${tag(say(look, "On"), "good")}`,
          detail: say(look, "Since {date}", { date: day(look, since) }),
          more: asked("off", {
            label: say(look, "Turn off"),
            consequence: say(
              look,
              "Signing in then takes one step. Your recovery codes and trusted browsers no longer count, and your other sessions end.",
            ),
            answer: markup`<button class="bad">${say(look, "Yes, turn off")}</button>`,
          }),
        }),
        row({
          mark: icon("key"),
          title: say(look, "Recovery codes"),
          detail: say(look, "Recovery codes left: {n}", { n: codes }),
          more: asked("codes", {
            label: say(look, "Make new codes"),
            consequence: say(
              look,
              "The codes that you have no longer work then, and your other sessions end.",
            ),
            answer: markup`<button>${say(look, "Yes, make new codes")}</button>`,
          }),
        }),
        ...browsers.map(({ id, name, until }) =>
          row({
            mark: icon("computer"),
            title: name,
            detail: say(look, "Trusted until {date}", { date: day(look, until) }),
            actions: [
              action("browsers", rowButton(say(look, "Remove"), { object: name }), { id }),
            ],
          })
        ),
      ])
    }${aside(link(account, say(look, "Go to your account")))}`,
  };
}

/** Writes the section of the account page. */
export function secondFactorSection(
  look: Look,
  { path, since }: { path: string; since: Date | null },
): Html {
  const label = since === null ? say(look, "Set up") : say(look, "Manage");
  return rows([row({
    mark: icon("phone"),
    title: since === null
      ? say(look, "Authenticator app")
      : markup`${say(look, "Authenticator app")} ${tag(say(look, "On"), "good")}`,
    detail: since === null
      ? say(look, "Not set up yet.")
      : say(look, "Since {date}", { date: day(look, since) }),
    actions: [ownerButton(look, path, label)],
  })]);
}
