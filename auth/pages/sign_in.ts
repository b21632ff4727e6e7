/**
 * The sign-in page, the page that asks for a password, and the page that creates an account.
 *
 * @module
 */

import type { Look, SignInField } from "../core/contracts.ts";
import { type Html, markup } from "../lib/html.ts";
import { type Page, say, sayNamed, sayOwn } from "./frame.ts";
import {
  aside,
  emailField,
  field,
  fixedEmail,
  form,
  heading,
  type Hidden,
  icon,
  lastUsedTag,
  link,
  note,
  orLine,
  passwordField,
  submit,
  type Typed,
  type Way,
  waysForm,
} from "./parts.ts";
import type { PageText } from "./texts.ts";

/** A form of the sign-in page: the one for an address, or one that the application has described. */
export interface EntryForm {
  /** Id of the way to sign in. */
  id: string;
  /** Path that it is sent to. */
  action: string;
  /** Its fields. */
  fields: readonly SignInField[];
  /** Label of its button. */
  submit: string;
  /** Path on which a forgotten password is reset; null for none. */
  forgot: string | null;
  /** Path that sends a link to the address in this form; null for none. */
  link: string | null;
  /** Its button that this browser has used the last time; null for neither. */
  lastUsed: "form" | "link" | null;
}

/** Data of the sign-in page. */
export interface SignInView {
  /** Ways to sign in at other sites. */
  ways: readonly Way[];
  /** Other ways without a field, such as the button of passkeys. */
  buttons: readonly Html[];
  /** The forms with fields, the first of which is what the page is for. */
  forms: readonly EntryForm[];
  /** Hidden fields of each form. */
  hidden: Hidden;
  /** Values that had been typed, by name, without secrets. */
  values: ReadonlyMap<string, string>;
  /** Error of the attempt before; null for none. */
  problem: Problem | null;
  /** True when the first form only sends a link. */
  byLinkAlone: boolean;
  /** Path of the page on which to create an account; null for none. */
  signUp: string | null;
  /** Purpose of a page that asks somebody who is signed in for a fresh proof. Default: it does not ask. */
  confirm?: Confirmation | null;
}

/** Data for somebody who is signed in and proves once more who they are. */
export interface Confirmation {
  /** Their address, which stays in its field; null where there is none. */
  email: string | null;
  /** Address or name as whom they are signed in; null where there is neither. */
  user: string | null;
  /** Path of the sign-in page for another account. */
  other: string;
  /** Path that leads away. */
  cancel: string;
}

/** Error of the attempt before. */
export interface Problem {
  /** Code of the error. */
  code: string;
  /** Its sentence. */
  message: Html;
}

// What is no fault of the visitor's, and is said in the quiet way.
const QUIET = ["SESSION_EXPIRED", "UNAUTHENTICATED", "REAUTHENTICATION_REQUIRED"];

/** Type of the field beside which an error is told; null where it is told above the forms. */
function placeOf(problem: Problem | null): SignInField["type"] | null {
  if (problem?.code === "INVALID_EMAIL") return "email";
  return problem?.code === "INVALID_CREDENTIALS" ? "password" : null;
}

function isNear({ fields }: EntryForm, problem: Problem | null): boolean {
  return fields.some(({ type }) => type === placeOf(problem));
}

function autocomplete(type: SignInField["type"]): string {
  if (type === "password") return "current-password";
  // Also where a link is sent: what password managers know the user by, and browsers offer passkeys for.
  return type === "email" ? "username" : "on";
}

function entryField(
  look: Look,
  { key, type, label, required, placeholder }: SignInField,
  { id, view, forgot }: { id: string; view: SignInView; forgot: Html | null },
): Html {
  if (view.confirm?.email && key === "email" && type === "email") {
    return fixedEmail(look, view.confirm.email, null, id);
  }
  const { values, problem } = view;
  const error = type === placeOf(problem) ? problem!.message : null;
  const own = { label: sayOwn(look, label), error, required };
  if (type === "password") {
    const options = { ...own, id, isNew: false, after: forgot };
    return passwordField(look, { ...options, name: key });
  }
  return field({
    ...own,
    id,
    name: key,
    type,
    value: values.get(key),
    autocomplete: autocomplete(type),
    ...placeholder !== undefined && {
      attributes: markup` placeholder="${sayOwn(look, placeholder)}"`,
    },
  });
}

function entryForm(look: Look, entry: EntryForm, view: SignInView, index: number): Html {
  const isFirst = index === 0;
  const ids = new Set(
    view.forms.slice(0, index).flatMap(({ fields }) => fields.map((one) => one.key)),
  );
  const fields = entry.fields.map((one) => {
    const id = ids.has(one.key) ? `${entry.id}-${one.key}` : one.key;
    const forgot = entry.forgot !== null && one.type === "password"
      ? link(entry.forgot, say(look, "Forgot password?"))
      : null;
    return entryField(look, one, { id, view, forgot });
  });
  const label = sayOwn(look, entry.submit);
  // Beside the button, whose name stays what it does.
  const mark = entry.lastUsed === "form" &&
    markup`<p class="center">${lastUsedTag(look, true)}</p>\n`;
  const button = isFirst ? submit(label) : markup`<button>${label}</button>\n`;
  const byLink = entry.link !== null &&
    markup`<button formaction="${entry.link}" formnovalidate>${icon("mail")}${
      say(look, "Sign in by email instead")
    }${entry.lastUsed === "link" && [" ", lastUsedTag(look, true)]}</button>\n`;
  return form({
    action: entry.action,
    hidden: view.hidden,
    content: [fields, button, mark, byLink],
  });
}

function problemNote(look: Look, { forms, problem, confirm }: SignInView): Html | null {
  if (confirm || problem === null || forms.some((one) => isNear(one, problem))) return null;
  if (QUIET.includes(problem.code)) return note("plain", markup`<p>${problem.message}</p>`);
  const title = problem.code === "RATE_LIMITED" ? say(look, "Too many tries") : null;
  return note("bad", markup`<p>${problem.message}</p>`, title);
}

function confirmLead(look: Look, { user }: Confirmation, problem: Problem | null): Html {
  const who = user !== null && say(look, "You’re signed in as {address}.", {
    address: markup`<b><bdi>${user}</bdi></b>`,
  });
  return markup`${who} ${problem?.message}`;
}

/** The sign-in page: other sites first, then passkeys, then the one field for who somebody is. */
export function signInPage(look: Look, view: SignInView): Page {
  const { ways, buttons, forms, problem, byLinkAlone, signUp, confirm = null } = view;
  const title = confirm
    ? say(look, "Confirm it’s you")
    : sayNamed(look, "Sign in to {app}", "Sign in");
  const isEmpty = ways.length + buttons.length + forms.length === 0;
  const lead = isEmpty
    ? say(look, "No way to sign in has been set up yet.")
    : confirm
    ? confirmLead(look, confirm, problem)
    : byLinkAlone && ways.length === 0 && buttons.length === 0
    ? say(look, "We’ll email you a link. No password needed.")
    : null;
  const quick = waysForm(look, ways, view.hidden);
  const above = [quick, buttons].flat().filter((one) => one !== null);
  const below = forms.map((one, index) => entryForm(look, one, view, index));
  const parts = [...above.length > 0 ? [above] : [], ...below.map((one) => [one])];
  const isError = problem !== null && !QUIET.includes(problem.code);
  return {
    title,
    isError,
    hasScript: forms.some(({ fields }) => fields.some(({ type }) => type === "password")),
    body: markup`${heading(title, lead)}${problemNote(look, view)}${
      parts.map((part, index) => [index > 0 && orLine(look), part])
    }${
      confirm &&
      aside(
        markup`${link(confirm.other, say(look, "Use another account"))} · ${
          link(confirm.cancel, say(look, "Cancel"))
        }`,
      )
    }${
      confirm === null && signUp !== null &&
      aside(
        markup`${sayNamed(look, "New to {app}?", "New here?")} ${
          link(signUp, say(look, "Create an account"))
        }`,
      )
    }`,
  };
}

/** Data of the page that asks for a password, after that for the address. */
export interface PasswordView {
  /** Path that the password is sent to. */
  action: string;
  /** The address, as it was typed. */
  email: string;
  /** Path of the page before, for another address. */
  change: string;
  /** Hidden fields. Default: none. */
  hidden?: Hidden;
  /** Path on which a forgotten password is reset; null for none. */
  forgot: string | null;
  /** Path that sends a link instead, with its hidden fields beside the address; null where links are not sent. */
  emailLink: { action: string; hidden?: Hidden } | null;
  /** Error at the password: the same for an address that nobody has. */
  error?: Html | null;
  /** Error of no field. Default: none. */
  trouble?: Html | null;
}

/** The page that asks for a password. It is the same for an address that nobody has. */
export function passwordPage(look: Look, view: PasswordView): Page {
  const { action, email, change, hidden = {}, forgot, emailLink, error, trouble } = view;
  const title = say(look, "Enter your password");
  return {
    title,
    isError: Boolean(error || trouble),
    hasScript: true,
    body: markup`${heading(title)}${trouble && note("bad", markup`<p>${trouble}</p>`)}${
      form({
        action,
        hidden,
        content: [
          fixedEmail(look, email, change),
          passwordField(look, {
            label: say(look, "Password"),
            isNew: false,
            error,
            focus: !trouble,
            after: forgot === null ? null : link(forgot, say(look, "Forgot password?")),
          }),
          submit(say(look, "Sign in"), say(look, "Signing in…")),
        ],
      })
    }${
      emailLink !== null && [
        orLine(look),
        form({
          action: emailLink.action,
          hidden: { email, ...emailLink.hidden },
          kind: "ways",
          content: markup`<button>${icon("mail")}<span>${
            say(look, "Sign in by email instead")
          }</span></button>\n`,
        }),
      ]
    }`,
  };
}

/** Data of the page that creates an account. */
export interface SignUpView {
  /** Path that the form is sent to. */
  action: string;
  /** Path of the sign-in page. */
  signIn: string;
  /** Hidden fields. Default: none. */
  hidden?: Hidden;
  /** Ways to sign in at other sites, which create an account too. Default: none. */
  ways?: readonly Way[];
  /** The name; null where the application asks for none. Default null. */
  name?: Typed | null;
  /** The address. */
  email: Typed;
  /** The password: the fewest characters, and what is wrong with it. */
  password: { min: number; error?: Html | null };
  /** Error of no field. Default: none. */
  error?: Html | null;
}

/** The page that creates an account. */
export function signUpPage(look: Look, view: SignUpView): Page {
  const { action, signIn, hidden = {}, ways = [], name = null, email, password, error } = view;
  const title = say(look, "Create your account");
  const quick = waysForm(look, ways, hidden);
  const wrong: [id: string, error: Html | null | undefined][] = [
    ["name", name?.error],
    ["email", email.error],
    ["password", password.error],
  ];
  const faults = wrong.filter(([, fault]) => fault);
  const summary = faults.length > 1
    ? note(
      "bad",
      markup`<ul>${
        faults.map(([id, fault]) => markup`<li><a href="#${id}">${fault}</a></li>\n`)
      }</ul>`,
      say(look, "More than one thing to put right"),
    )
    : null;
  return {
    title,
    isError: faults.length > 0 || Boolean(error),
    hasScript: true,
    body: markup`${heading(title)}${error && note("bad", markup`<p>${error}</p>`)}${summary}${
      agreement(look)
    }${quick && [quick, orLine(look)]}${
      form({
        action,
        hidden,
        ...faults.length > 0 && { attributes: markup` novalidate` },
        content: [
          name &&
          field({
            ...name,
            id: "name",
            label: say(look, "Name"),
            autocomplete: "name",
            required: true,
          }),
          emailField(look, email),
          passwordField(look, { label: say(look, "Password"), isNew: true, ...password }),
          submit(say(look, "Create account")),
        ],
      })
    }${
      aside(markup`${say(look, "Already have an account?")} ${link(signIn, say(look, "Sign in"))}`)
    }`,
  };
}

/** Sentence with the terms that a new user agrees to, of those that the theme links to. */
function agreement(look: Look): Html | null {
  const hrefOf = (wanted: PageText) => look.links.find(({ label }) => label === wanted)?.href;
  const [terms, privacy] = [hrefOf("Terms"), hrefOf("Privacy")];
  if (terms === undefined) return null;
  const values = {
    terms: link(terms, say(look, "Terms")),
    ...privacy !== undefined && { privacy: link(privacy, say(look, "Privacy Policy")) },
  };
  return markup`<p class="hint">${
    privacy === undefined
      ? say(look, "By creating an account you agree to the {terms}.", values)
      : say(look, "By creating an account you agree to the {terms} and the {privacy}.", values)
  }</p>\n`;
}
