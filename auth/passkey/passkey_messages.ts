import { type Html, markup } from "../http/html.ts";

/** What the script can have to say, by the name of what the browser throws or the code that the server answers. */
const MESSAGES: Readonly<Record<string, string>> = {
  NotAllowedError: "That was cancelled, or took too long. Try again.",
  InvalidStateError: "This device has a passkey for this account already.",
  SecurityError: "Passkeys do not work at this address.",
  RATE_LIMITED: "There have been too many attempts. Try again in {minutes} minutes.",
  RATE_LIMITED_SOON: "There have been too many attempts. Try again in a minute.",
  REAUTHENTICATION_REQUIRED: "Sign in once more to continue.",
  UNAUTHENTICATED: "Sign in to continue.",
  BAD_REQUEST: "Fill in every required field and try again.",
  other: "Something went wrong. Try again in a moment.",
};

/**
 * The place for what went wrong in a form of the script, and the texts for it. They stand in the page, so that a
 * theme translates them as it does all others, and are shown by nothing else.
 */
export function passkeyMessages(): Html {
  return markup`<p class="alert" role="alert" hidden></p>
<template>${
    Object.entries(MESSAGES).map(([name, text]) =>
      markup`<span data-message="${name}">${text}</span>`
    )
  }</template>
`;
}
