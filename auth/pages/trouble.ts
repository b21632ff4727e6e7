/**
 * Pages at the end of a session, and for errors.
 *
 * @module
 */

import type { Look, PublicError } from "../core/contracts.ts";
import { knownErrorMessage, respondToError } from "../core/error_response.ts";
import { type Html, markup } from "../lib/html.ts";
import {
  DEFAULT_LOOK,
  duration,
  momentText,
  type Page,
  pageResponse,
  say,
  sayNamed,
  sayOwn,
} from "./frame.ts";
import { aside, form, heading, type Hidden, link, submit } from "./parts.ts";

function startLink(look: Look): Html {
  return link("/", sayNamed(look, "Go to {app}", "Go to the start page"));
}

function button(href: string, label: Html, kind: "go" | null = null): Html {
  return markup`<a class="button${kind && ` ${kind}`}" href="${href}"><span>${label}</span></a>\n`;
}

/** Data of the page that asks before it signs out. */
export interface SignOutView {
  /** Path that signs out. */
  action: string;
  /** Hidden fields, such as the destination afterwards. Default: none. */
  hidden?: Hidden;
}

/** The page that asks before it signs out, since a link alone must not sign anybody out. */
export function signOutPage(look: Look, { action, hidden = {} }: SignOutView): Page {
  const title = sayNamed(look, "Sign out of {app}?", "Sign out?");
  return {
    title,
    body: markup`${heading(title)}${
      form({ action, hidden, content: submit(say(look, "Sign out")) })
    }${aside(link("/", say(look, "Stay signed in")))}`,
  };
}

/** Data of a page that asks before something is done for good. */
export interface QuestionView {
  /** The question. */
  title: Html;
  /** Its consequences, in a sentence, to which the losses belong. */
  text: Html;
  /** Names of all that is lost. */
  losses: readonly Html[];
  /** Path that does it. */
  action: string;
  /** Label of its button. */
  button: Html;
  /** The way back. */
  cancel: { href: string; label: Html };
}

/** The page that asks before something is done for good. Its button is no filled one: red text is enough. */
export function questionPage(_look: Look, view: QuestionView): Page {
  const { title, text, losses, action, button: label, cancel } = view;
  return {
    title,
    body: markup`${heading(title, text)}<ul>
${losses.map((loss) => markup`<li>${loss}</li>\n`)}</ul>
${form({ action, content: markup`<button class="bad">${label}</button>\n` })}${
      button(cancel.href, cancel.label, "go")
    }`,
  };
}

/** The page for somebody who is signed out. */
export function signedOutPage(look: Look, { signIn }: { signIn: string }): Page {
  const title = say(look, "You’re signed out");
  return {
    title,
    body: markup`${
      heading(title, say(look, "On a shared computer? Close the browser window too."))
    }${button(signIn, say(look, "Sign in again"), "go")}${aside(startLink(look))}`,
  };
}

/** The sentence for a code that an address names, in the language of the page; null for one that is not known. */
export function knownError(look: Look, code: string | null): Html | null {
  const message = knownErrorMessage(code);
  return message === null ? null : sayOwn(look, message);
}

/** Data of the error page. */
export interface ErrorView {
  /** Code that the address names; unknown ones show nothing. */
  code: string | null;
  /** Path of the sign-in page. */
  signIn: string;
}

/** The error page. Of its address only a known code has an effect. */
export function errorPage(look: Look, { code, signIn }: ErrorView): Page {
  const message = knownErrorMessage(code);
  const title = code === "FORBIDDEN"
    ? say(look, "You don’t have access to this")
    : say(look, "Sign-in didn’t finish");
  return {
    title,
    isError: true,
    body: markup`${
      heading(title, message === null ? say(look, "Something went wrong.") : sayOwn(look, message))
    }${button(signIn, say(look, "Try again"), "go")}${aside(startLink(look))}${
      message !== null && details(look, [["Error", code!]])
    }`,
  };
}

/** Details for support, folded. */
function details(
  look: Look,
  facts: readonly (readonly [label: "Error" | "Reference", text: string])[],
): Html {
  return markup`<details><summary>${say(look, "Details for support")}</summary>
<dl>${
    facts.map(([label, text]) =>
      markup`<dt>${say(look, label)}</dt><dd><code dir="ltr">${text}</code></dd>`
    )
  }</dl>
</details>
`;
}

/** Data of the page for too many attempts. */
export interface LimitedView {
  /** Seconds until the next attempt is allowed; null where that is not known. */
  seconds: number | null;
  /** The present moment. Default: the moment of the next attempt is not named. */
  now?: number;
  /** Text before the time to wait, such as what works at once. Default: none. */
  reason?: Html | null;
  /** Path that sends a link instead, with its hidden fields. Default: none. */
  emailLink?: { action: string; hidden?: Hidden } | null;
  /** Path on which a new password is chosen. Default: none. */
  forgot?: string | null;
  /** Path of the sign-in page, with the ways that are not limited. Default: no link to it. */
  signIn?: string | null;
}

/** Words for the time to wait. */
export function waitText(look: Look, seconds: number | null, now?: number): Html {
  if (seconds === null) return say(look, "There have been too many attempts. Try again later.");
  const time = markup`<b>${duration(look, seconds)}</b>`;
  if (now === undefined) return say(look, "You can try again in {time}.", { time });
  const at = momentText(look, new Date(now + seconds * 1000), null);
  return say(look, "You can try again in {time}, at {at}.", { time, at });
}

/** The page for too many attempts. */
export function limitedPage(look: Look, view: LimitedView): Page {
  const { seconds, now, reason = null, emailLink = null, forgot = null, signIn = null } = view;
  const title = say(look, "Too many tries");
  const wait = waitText(look, seconds, now);
  return {
    title,
    isError: true,
    body: markup`${heading(title, reason === null ? wait : markup`${reason} ${wait}`)}${
      emailLink &&
      form({
        action: emailLink.action,
        hidden: emailLink.hidden ?? {},
        content: submit(say(look, "Sign in by email instead")),
      })
    }${
      signIn !== null &&
      button(signIn, say(look, "Sign in another way"), emailLink === null ? "go" : null)
    }${
      forgot !== null &&
      markup`<p class="hint">${
        say(look, "Wasn’t you? {choose} to be sure.", {
          choose: link(forgot, say(look, "Choose a new password")),
        })
      }</p>\n`
    }${emailLink === null && signIn === null && aside(startLink(look))}`,
  };
}

/** Data of the page for what somebody may not do. */
export interface NoAccessView {
  /** Sentence on what they may not do. Default: none. */
  reason?: Html | null;
  /** Name of the user who is signed in; null where it is not shown. */
  user: string | null;
  /** Path of the page on which to sign out; null where that is not offered. */
  signOut: string | null;
}

/** The page for what somebody may not do. */
export function noAccessPage(look: Look, { reason = null, user, signOut }: NoAccessView): Page {
  const title = say(look, "You don’t have access to this");
  const who = user === null ? null : say(look, "You’re signed in as {address}.", {
    address: markup`<b><bdi>${user}</bdi></b>`,
  });
  return {
    title,
    isError: true,
    body: markup`${
      heading(title, reason === null || who === null ? reason ?? who : markup`${reason} ${who}`)
    }${button("/", sayNamed(look, "Go to {app}", "Go to the start page"), "go")}${
      signOut !== null && button(signOut, say(look, "Use another account"))
    }`,
  };
}

/** Headings of errors by status. */
function titleOf(look: Look, status: number): Html {
  switch (status) {
    case 401:
      return say(look, "Sign in first");
    case 403:
      return say(look, "You don’t have access to this");
    case 404:
      return say(look, "Not found");
    case 429:
      return say(look, "Too many tries");
    case 503:
      return say(look, "Try again in a moment");
    default:
      return status >= 500 ? say(look, "Something went wrong") : say(look, "This did not work");
  }
}

function isTranslated(look: Look, text: string): boolean {
  return look.translate(text) !== undefined;
}

/** Seconds that an error asks to wait; null where it does not say. */
export function retryAfterOf(error: unknown): number | null {
  const { headers } = Object(error) as { headers?: Record<string, unknown> };
  const seconds = Number(headers?.["retry-after"]);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}

/** Words of an error: its own, or those of its code where the language of the page knows only these. */
export function errorText(
  look: Look,
  { status, code, message }: Pick<PublicError, "status" | "code" | "message">,
): Html {
  const known = knownErrorMessage(code);
  // What a message adds to the sentence of its code is for developers.
  const isKnown = known !== null &&
    (status >= 500 || message.startsWith(known) ||
      !isTranslated(look, message) && isTranslated(look, known));
  const text = sayOwn(look, isKnown ? known : message);
  // Others may follow: the messages of errors are for programs, too, and end without a full stop.
  return /[\p{L}\p{N})]$/u.test(text.markup) ? markup`${text}.` : text;
}

/**
 * The page for an error that has just happened.
 *
 * @param cause What was thrown, for what stands in no message.
 * @param signIn Path or URL of the sign-in page, for who must sign in first; null for none.
 */
export function failedPage(
  look: Look,
  error: PublicError,
  cause: unknown,
  signIn: string | null = null,
): Page {
  const { status, code, requestId } = error;
  const seconds = status === 429 ? retryAfterOf(cause) : null;
  if (seconds !== null) return limitedPage(look, { seconds });
  const title = titleOf(look, status);
  return {
    title,
    isError: true,
    body: markup`${heading(title, errorText(look, error))}${
      signIn !== null && button(signIn, say(look, "Sign in"), "go")
    }${
      button(
        "/",
        sayNamed(look, "Go to {app}", "Go to the start page"),
        signIn === null ? "go" : null,
      )
    }${requestId !== undefined && details(look, [["Reference", requestId], ["Error", code]])}`,
  };
}

/** Options for {@linkcode errorResponse}. */
export interface ErrorResponseOptions {
  /** Names the request in the response of a server error, as the log does. Default: a random UUID. */
  requestId?: string;
}

/**
 * The response to an error: `{ code, message }` as JSON when the client prefers that, else a page. From
 * status 500 on it holds a `requestId` and nothing of what went wrong; whatever is no error of this
 * library is a 500. A `RedirectError` becomes its redirect. Nothing is logged here.
 *
 * @param error What was thrown.
 * @param request Its Accept header decides the form.
 * @param options `requestId`: names the request as the log does. Default: a random UUID.
 *
 * @example
 * ```ts
 * import { errorResponse, ForbiddenError } from "@framework/auth";
 * import { deepEqual, equal } from "node:assert/strict";
 *
 * const request = new Request("https://app.example/", { headers: { accept: "application/json" } });
 * const response = errorResponse(new ForbiddenError(), request);
 * equal(response.status, 403);
 * deepEqual(await response.json(), {
 *   code: "FORBIDDEN",
 *   message: "You are not allowed to do this",
 * });
 * ```
 */
export function errorResponse(
  error: unknown,
  request: Request,
  options: ErrorResponseOptions = {},
): Response {
  return respondToError(error, request, { ...options, theme: { failure: plainFailure } });
}

/** The response with the page for an error that has just happened. */
export function failureResponse(
  look: Look,
  error: PublicError,
  cause: unknown,
  signIn: string | null = null,
): Response {
  return pageResponse(look, failedPage(look, error, cause, signIn), { status: error.status });
}

/** The same without a theme. */
function plainFailure(error: PublicError, _request: Request, cause: unknown): Response {
  return failureResponse(DEFAULT_LOOK, error, cause);
}
