/**
 * Building blocks of the pages.
 *
 * @module
 */

import type { Look } from "../core/contracts.ts";
import { type Html, type HtmlValue, markup } from "../lib/html.ts";
import { isActedFor, say } from "./frame.ts";

/** Shapes of the icons, in the square from 0 to 24. */
const ICONS = {
  bad: '<circle cx="12" cy="12" r="9"/><path d="M12 7.5v5.5m0 3.2v.1"/>',
  good: '<circle cx="12" cy="12" r="9"/><path d="m8 12.3 2.7 2.7L16 9.5"/>',
  plain: '<circle cx="12" cy="12" r="9"/><path d="M12 11v5.5m0-8.7v.1"/>',
  key: '<circle cx="8" cy="14" r="4"/><path d="m11 11 8-8m-4 4 3 3"/>',
  mail: '<path d="M4 6h16v12H4z"/><path d="m4 7 8 6 8-6"/>',
  lock: '<path d="M5 11h14v9H5zM8 11V8a4 4 0 0 1 8 0v3"/>',
  shield: '<path d="M12 3 5 6v5c0 4.5 3 8 7 10 4-2 7-5.5 7-10V6z"/>',
  phone: '<path d="M7 3h10v18H7zM11 18h2"/>',
  computer: '<path d="M5 5h14v10H5zM2.5 19h19"/>',
  download: '<path d="M12 4v11m-4-4 4 4 4-4M5 20h14"/>',
  person: '<circle cx="12" cy="8" r="4"/><path d="M4.5 20.5c0-4 3.4-6 7.5-6s7.5 2 7.5 6"/>',
} as const;

/** An icon, which says nothing that the words beside it do not. */
export function icon(name: keyof typeof ICONS): Html {
  return {
    markup: `<svg class="i" viewBox="0 0 24 24" aria-hidden="true">${ICONS[name]}</svg>`,
  };
}

/**
 * The mark of a provider, or the first letter of its name.
 *
 * @param shapes A constant of the code: it is written into the page as it is.
 */
export function providerMark(name: string, shapes: string | undefined): Html {
  if (shapes === undefined) {
    return markup`<span class="letter" aria-hidden="true">${
      ([...name.trim()][0] ?? "?").toUpperCase()
    }</span>`;
  }
  return {
    markup:
      `<svg class="i logo" viewBox="0 0 24 24" fill-rule="evenodd" aria-hidden="true">${shapes}</svg>`,
  };
}

/** The heading of a page, with a sentence below it. */
export function heading(title: Html, lead?: Html | null): Html {
  return markup`<hgroup>
<h1>${title}</h1>
${lead && markup`<p class="quiet">${lead}</p>\n`}</hgroup>
`;
}

/** A note above what it is about. Errors are read out at once, the others when there is time. */
export function note(
  kind: "bad" | "good" | "plain",
  content: HtmlValue,
  title?: Html | null,
): Html {
  return markup`<div class="${kind === "plain" ? "note" : `note ${kind}`}" role="${
    kind === "bad" ? "alert" : "status"
  }">
${icon(kind)}
${title && markup`<b>${title}</b>\n`}<div>${content}</div>
</div>
`;
}

/** The line between ways of different ranks. */
export function orLine(look: Look): Html {
  return markup`<p class="or">${say(look, "or")}</p>\n`;
}

/** Hidden fields of a form; what is null or undefined is left out. */
export type Hidden = Readonly<Record<string, string | null | undefined>>;

/** A form of the pages. */
export interface FormOptions {
  /** Path that it is sent to. */
  action: string;
  /** Hidden fields. Default: none. */
  hidden?: Hidden;
  /** Fields and buttons. */
  content: HtmlValue;
  /** Class. Default: none. */
  kind?: string;
  /** Further attributes. Default: none. */
  attributes?: Html;
}

/** A form. The pages work without scripts, so whatever changes something is one. */
export function form({ action, hidden = {}, content, kind, attributes }: FormOptions): Html {
  const fields = Object.entries(hidden).map(([name, value]) =>
    value != null && markup`<input type="hidden" name="${name}" value="${value}">\n`
  );
  return markup`<form method="post" action="${action}"${kind && markup` class="${kind}"`}${
    attributes ?? null
  }>
${fields}${content}</form>
`;
}

/**
 * The button of a form that is what the page is for.
 *
 * @param waiting Its label while the form is on its way, where scripts run. Default: the same.
 */
export function submit(label: Html, waiting?: Html): Html {
  return markup`<button class="go"${
    waiting && markup` data-busy="${waiting}"`
  }>${label}</button>\n`;
}

/** A link with a text of the pages. */
export function link(href: string, label: Html): Html {
  return markup`<a href="${href}">${label}</a>`;
}

/** A link to what only the owner of the account may do, as a button; false where somebody acts for them. */
export function ownerButton(look: Look, href: string, label: Html, kind?: "bad"): Html | false {
  return !isActedFor(look) &&
    markup`<a class="button${kind && ` ${kind}`}" href="${href}">${label}</a>`;
}

/** A quiet line in the middle, for the least likely way on. */
export function aside(content: HtmlValue): Html {
  return markup`<p class="small quiet center">${content}</p>\n`;
}

/** A word beside a name. */
export function tag(label: Html, kind?: "good" | "bad"): Html {
  return markup`<span class="tag${kind && ` ${kind}`}">${label}</span>`;
}

/** The mark on the way to sign in that this browser has used last. */
export function lastUsedTag(look: Look, lastUsed: boolean | undefined): Html | null {
  return lastUsed ? tag(say(look, "Last used")) : null;
}

/** A way to sign in at another site. */
export interface Way {
  /** Name of the provider. */
  name: string;
  /** Its mark, see {@linkcode providerMark}. */
  logo?: string | undefined;
  /** Path that begins the sign-in there. */
  action: string;
  /** True when this browser has signed in with it the last time. Default false. */
  lastUsed?: boolean;
}

/** The ways to sign in at other sites, each a button of one form. */
export function waysForm(look: Look, ways: readonly Way[], hidden: Hidden = {}): Html | null {
  const [first] = ways;
  if (first === undefined) return null;
  const buttons = ways.map(({ name, logo, action, lastUsed }) =>
    markup`<button formaction="${action}">${providerMark(name, logo)}<span>${
      say(look, "Continue with {provider}", { provider: name })
    }</span>${lastUsedTag(look, lastUsed)}</button>\n`
  );
  return form({ action: first.action, hidden, kind: "ways", content: buttons });
}

/** Value that a visitor has typed into a field, and its error. */
export interface Typed {
  /** The value. Default: none. */
  value?: string | undefined;
  /** Sentence of its error. Default: none. */
  error?: Html | null | undefined;
  /** True for the field that the page is for. One with an error has the focus anyway. Default false. */
  focus?: boolean;
}

/** A field with its label. */
export interface FieldOptions extends Typed {
  /** Id on the page, and its name unless that is given. */
  id: string;
  /** Name in the form. Default: the id. */
  name?: string;
  /** Type of the input. Default "text". */
  type?: string;
  /** Its label. */
  label: Html;
  /** Sentence below it. Default: none. */
  hint?: Html | null;
  /** Value of `autocomplete`. Default: the browser chooses. */
  autocomplete?: string;
  /** True when it must be filled in. Default false. */
  required?: boolean;
  /** Further attributes. Default: none. */
  attributes?: Html;
  /** Link or button inside of the field, at its end. Default: none. */
  inside?: Html;
  /** Line below the field and what is said about it. Default: none. */
  after?: Html | null;
}

/** A field: its label, its hint and what is wrong with it are told together. */
export function field(options: FieldOptions): Html {
  const { id, name = id, type = "text", label, value = "", hint, error, inside } = options;
  const told = [hint && `${id}-hint`, error && `${id}-error`].filter((one) => one);
  const input = markup`<input id="${id}" name="${name}" type="${type}"${
    options.autocomplete && markup` autocomplete="${options.autocomplete}"`
  }${value !== "" && markup` value="${value}"`}${
    told.length > 0 && markup` aria-describedby="${told.join(" ")}"`
  }${error && markup` aria-invalid="true"`}${(error || options.focus) && markup` autofocus`}${
    type === "email" && markup` dir="ltr"`
  }${options.attributes}${options.required && markup` required`}>`;
  return markup`<div class="field">
<label for="${id}">${label}</label>
${inside === undefined ? input : markup`<div class="inside">${input}\n${inside}</div>`}
${hint && markup`<p class="hint" id="${id}-hint">${hint}</p>\n`}${
    error &&
    markup`<p class="err" id="${id}-error">${icon("bad")}<span>${error}</span></p>\n`
  }${options.after && markup`<p class="small">${options.after}</p>\n`}</div>
`;
}

/** The field for the address of somebody who makes an account or waits for a mail: no passkey is offered for it. */
export function emailField(look: Look, typed: Typed): Html {
  return field({
    ...typed,
    id: "email",
    type: "email",
    label: say(look, "Email"),
    autocomplete: "email",
    required: true,
  });
}

/** The address that was chosen on a page before: password managers save it with the password. */
export function fixedEmail(
  look: Look,
  address: string,
  change: string | null,
  id: string = "email",
): Html {
  return field({
    id,
    name: "email",
    type: "email",
    label: say(look, "Email"),
    value: address,
    autocomplete: "username",
    attributes: markup` readonly`,
    ...change !== null && { inside: link(change, say(look, "Change")) },
  });
}

/** A field for a password. */
export interface PasswordFieldOptions {
  /** Its label. */
  label: Html;
  /** True for a password that is to be set. */
  isNew: boolean;
  /** Fewest characters of one that is to be set. Default: nothing is said of them. */
  min?: number;
  /** Sentence of its error. */
  error?: Html | null | undefined;
  /** True for the field that the page is for. Default false. */
  focus?: boolean;
  /** Line below it. */
  after?: Html | null;
  /** Id on the page. Default "password". */
  id?: string;
  /** Name in the form. Default: the id. */
  name?: string;
  /** True when it must be filled in. Default true. */
  required?: boolean;
}

/**
 * A field for a password. The button that shows it is hidden until the script runs: browsers would store a text field
 * that only looks like a password.
 */
export function passwordField(look: Look, options: PasswordFieldOptions): Html {
  const { label, isNew, min, error, focus = false, after = null, id = "password", name = id } =
    options;
  return field({
    id,
    name,
    type: "password",
    label,
    error,
    after,
    focus,
    autocomplete: isNew ? "new-password" : "current-password",
    required: options.required ?? true,
    ...min !== undefined && {
      attributes: markup` minlength="${min}"`,
      hint: say(
        look,
        "At least {n} characters. Three or four words in a row make a good one.",
        { n: min },
      ),
    },
    inside: markup`<button class="link" type="button" data-show="${id}" data-other="${
      say(look, "Hide")
    }" aria-label="${say(look, "Show password")}" data-other-label="${
      say(look, "Hide password")
    }" hidden>${say(look, "Show")}</button>`,
  });
}

/** The field for a code from a mail or an app. */
export function codeField(look: Look, typed: Typed): Html {
  return field({
    ...typed,
    id: "code",
    label: say(look, "Six-digit code"),
    autocomplete: "one-time-code",
    required: true,
    attributes: markup` class="digits" inputmode="numeric" maxlength="12" dir="ltr"`,
  });
}

/** The button that copies the text of an element, shown where the script of the pages runs. */
export function copyButton(look: Look, id: string): Html {
  return markup`<button type="button" data-copy="${id}" data-done="${
    say(look, "Copied")
  }" aria-live="polite" hidden>${say(look, "Copy")}</button>`;
}

/** A list of rows in a frame. */
export function rows(items: readonly HtmlValue[]): Html {
  return markup`<ul class="rows">\n${items}</ul>\n`;
}

/** A row of a list. */
export interface RowOptions {
  /** Icon, mark or face at its start. */
  mark: Html;
  /** Its title. */
  title: HtmlValue;
  /** Quiet line below. Default: none. */
  detail?: HtmlValue;
  /** Buttons at its end, each in a form of its own. Default: none. */
  actions?: readonly HtmlValue[];
  /** Part that opens below it. Default: none. */
  more?: HtmlValue;
}

/** A row. */
export function row({ mark, title, detail, actions = [], more }: RowOptions): Html {
  const shown = actions.filter((action) => action);
  return markup`<li>${mark}<div><span><b>${title}</b></span>${
    detail && markup`<span class="small quiet">${detail}</span>`
  }</div>${shown.length > 0 && markup`<div class="line">${shown}</div>`}${more}</li>
`;
}

/** A button in a row: its label names what it acts on, for those who hear it without the row. */
export function rowButton(
  label: Html,
  options: { object: string; kind?: "bad" },
): Html {
  return markup`<button${
    options.kind && markup` class="${options.kind}"`
  } aria-label="${label} ${options.object}">${label}</button>`;
}

/** A section of a page with a bar. */
export function section(
  id: string,
  title: Html,
  { lead, content }: { lead?: Html | null | undefined; content: HtmlValue },
): Html {
  return markup`<section id="${id}" aria-labelledby="${id}-h">
<div><h2 id="${id}-h">${title}</h2>
${lead && markup`<p class="small quiet">${lead}</p>\n`}</div>
${content}</section>
`;
}
