/**
 * Pages and parts about passkeys: the removal by a link, those that were added of late, the offer of the first one, and what
 * the script says when something goes wrong.
 *
 * @module
 */

import type { Look } from "../core/contracts.ts";
import { type Html, markup } from "../lib/html.ts";
import { day, type Page, say } from "./frame.ts";
import { donePage } from "./mail.ts";
import { aside, form, heading, type Hidden, icon, note, submit } from "./parts.ts";
import type { PageText } from "./texts.ts";

/** Name of a passkey for its owner. */
export function passkeyName(look: Look, name: string | null): Html {
  return markup`<bdi>${name ?? look.translate("Passkey") ?? "Passkey"}</bdi>`;
}

/** The page behind the link that removes a passkey. It changes nothing until its button is pressed. */
export function removalPage(
  look: Look,
  { action, hidden, name, at }: { action: string; hidden: Hidden; name: string | null; at: Date },
): Page {
  const title = say(look, "Remove this passkey?");
  return {
    title,
    body: markup`${
      heading(
        title,
        say(look, "{name}, added on {date}, will no longer sign in to your account.", {
          name: markup`<b>${passkeyName(look, name)}</b>`,
          date: day(look, at),
        }),
      )
    }${form({ action, hidden, content: submit(say(look, "Remove this passkey")) })}${
      aside(say(look, "Was it you? Then there is nothing to do."))
    }`,
  };
}

/** The page after the removal by the link. */
export function passkeyRemovedPage(look: Look, { reset }: { reset: string }): Page {
  return donePage(look, {
    title: say(look, "The passkey is removed."),
    text: say(
      look,
      "It no longer signs in to your account. If it wasn’t you who signed in, somebody knows your password: choose a new one.",
    ),
    next: { href: reset, label: say(look, "Choose a new password") },
  });
}

/** The page for a link that removes nothing any more. */
export function removalOverPage(look: Look, { next }: { next: string }): Page {
  const title = say(look, "This link no longer works");
  return {
    title,
    isError: true,
    body: markup`${
      heading(
        title,
        say(look, "The passkey has been removed already, or the link is older than a week."),
      )
    }<a class="button go" href="${next}">${say(look, "Go to your account")}</a>\n`,
  };
}

/** A passkey in the list of those that were added of late. */
export interface AddedPasskey {
  /** Its id. */
  id: string;
  /** Name given by its owner; null for none. */
  name: string | null;
  /** Moment at which it was added. */
  at: Date;
}

/**
 * Part of a form: the passkeys that were added since the last new password.
 *
 * @param options `ticks`: each can be ticked for removal. Else the form proves too little for it.
 */
export function addedPasskeys(
  look: Look,
  passkeys: readonly AddedPasskey[],
  { ticks }: { ticks: boolean },
): Html | null {
  if (passkeys.length === 0) return null;
  const words = ({ name, at }: AddedPasskey) =>
    markup`${passkeyName(look, name)}${ticks ? " " : markup`<br>`}<small>${
      say(look, "Added {date}", { date: day(look, at) })
    }</small>`;
  return note(
    "plain",
    ticks
      ? markup`<p>${
        say(
          look,
          "Passkeys added since you last chose a password. Tick those that you don’t know, and they are removed.",
        )
      }</p>
${
        passkeys.map((passkey, index) =>
          markup`<label class="check"><input type="checkbox" name="remove-passkey-${index}" value="${passkey.id}"> ${
            words(passkey)
          }</label>\n`
        )
      }`
      : markup`<p>${
        say(
          look,
          "Passkeys added since you last chose a password. Sign in afterwards to remove those that you don’t know.",
        )
      }</p>
<ul>
${passkeys.map((passkey) => markup`<li>${words(passkey)}</li>\n`)}</ul>`,
  );
}

/**
 * The offer of a passkey for the next time, which the script shows once after a sign-in with a password, where the browser
 * makes none by itself. Without the script it stays hidden.
 */
export function nextTimePart(
  look: Look,
  { action, options, callbackUrl, messages }: {
    action: string;
    options: string;
    callbackUrl: string;
    messages: Html;
  },
): Html {
  return markup`<section data-passkey="next-time" hidden>
${
    note(
      "plain",
      [
        markup`<p>${
          say(
            look,
            "Your fingerprint, face or screen lock takes the place of the password. It takes a moment.",
          )
        }</p>\n`,
        form({
          action,
          hidden: { credential: "", callbackUrl },
          attributes: markup` data-passkey="register" data-options="${options}"`,
          content: [
            markup`<button>${icon("key")}${say(look, "Use a passkey next time")}</button>\n`,
            markup`<button type="button" class="link" data-passkey="dismiss" hidden>${
              say(look, "Not now")
            }</button>\n`,
            messages,
          ],
        }),
      ],
    )
  }</section>
`;
}

type Messages = Readonly<Record<string, PageText>>;

/** Messages of the script, by the name of the browser's exception or the server's error code. */
const MESSAGES: Messages = {
  AbortError: "That was cancelled, or took too long. Try again.",
  ConstraintError:
    "This device cannot check that it is you. Set up a PIN, fingerprint or face on it, or use another one.",
  SecurityError: "Passkeys do not work at this address.",
  TypeError: "We could not be reached. Check your connection and try again.",
  SECOND_FACTOR_REQUIRED: "Confirm the second step to continue",
  RATE_LIMITED: "There have been too many attempts. Try again in {minutes} minutes.",
  RATE_LIMITED_SOON: "There have been too many attempts. Try again in a minute.",
  REAUTHENTICATION_REQUIRED: "Sign in again to continue.",
  UNAUTHENTICATED: "Sign in to continue.",
  PASSKEY_UNVERIFIED:
    "This device cannot check that it is you. Set up a PIN, fingerprint or face on it, or use another one.",
  PASSKEY_EXPIRED: "That took too long. Try again.",
  USER_UNAVAILABLE: "This account cannot sign in.",
  ACCESS_DENIED: "You are not allowed to sign in.",
  BAD_REQUEST: "Fill in every required field and try again.",
  other: "Something went wrong. Try again in a moment.",
};

const REFUSED = "This passkey does not work here. Try another one.";

const SIGN_IN_MESSAGES: Messages = {
  NotAllowedError:
    "That was cancelled, took too long, or this device has no passkey that is known here. Try again.",
  InvalidStateError: REFUSED,
  NotSupportedError: REFUSED,
  PASSKEY_REFUSED: REFUSED,
  PASSKEY_UNKNOWN: REFUSED,
};

const REGISTRATION_MESSAGES: Messages = {
  NotAllowedError: "That was cancelled, or took too long. Try again.",
  InvalidStateError: "This device already has a passkey for this account.",
  NotSupportedError: "This device cannot make a passkey that works here. Use another one.",
  PASSKEY_NOT_ADDED: "This passkey could not be added. Try again.",
};

/**
 * The place for what went wrong in a form of the script, and the texts for it. They stand in the page, so that a
 * theme translates them as it does all others, and are shown by nothing else.
 *
 * @param purpose What the form is for, as its `data-passkey` says.
 */
export function passkeyMessages(look: Look, purpose: "sign-in" | "register"): Html {
  const own = purpose === "register" ? REGISTRATION_MESSAGES : SIGN_IN_MESSAGES;
  return markup`<p class="err" role="alert" hidden></p>
<template>${
    Object.entries({ ...own, ...MESSAGES }).map(([name, text]) =>
      markup`<span data-message="${name}">${say(look, text)}</span>`
    )
  }</template>
`;
}
