/**
 * Page and section of sessions that are bound to a device.
 *
 * @module
 */

import type { Look } from "../core/contracts.ts";
import { type Html, markup } from "../lib/html.ts";
import { type Page, say } from "./frame.ts";
import { aside, heading, icon, link, row, rows, tag } from "./parts.ts";

/** The page for a request without the proof of its device. The browser tries again by itself. */
export function checkingPage(look: Look, { signOut }: { signOut: string }): Page {
  const title = say(look, "Checking this device");
  return {
    title,
    body: markup`${
      heading(title, say(look, "You are signed in on this device. This takes a moment."))
    }<p class="hint">${
      say(look, "Does this page stay? Then sign out here, and sign in again.")
    }</p>\n${aside(link(signOut, say(look, "Sign out")))}`,
  };
}

/** Writes the section of the account page. */
export function deviceSection(look: Look, { bound }: { bound: boolean }): Html {
  return rows([row({
    mark: icon("phone"),
    title: bound
      ? markup`${say(look, "This session")} ${tag(say(look, "On"), "good")}`
      : say(look, "This session"),
    detail: bound
      ? say(look, "Bound to this device: a copy of its cookies soon opens nothing.")
      : say(
        look,
        "Not bound: this browser cannot bind sessions to its device, or has not done it.",
      ),
  })]);
}
