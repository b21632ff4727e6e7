/**
 * Pages for a forgotten, a new or a changed password.
 *
 * @module
 */

import type { Look } from "../core/contracts.ts";
import { type Html, markup } from "../lib/html.ts";
import { duration, type Page, say } from "./frame.ts";
import {
  aside,
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
import { resendForm, webmailButton } from "./mail.ts";

/** Data of the page on which a link for a new password is asked for. */
export interface ForgotView {
  /** Path that the form is sent to. */
  action: string;
  /** Path of the sign-in page. */
  signIn: string;
  /** Hidden fields. Default: none. */
  hidden?: Hidden;
  /** The address. */
  email: Typed;
  /** Error of no field. Default: none. */
  error?: Html | null;
}

/** The page on which a link for a new password is asked for. */
export function forgotPage(look: Look, view: ForgotView): Page {
  const { action, signIn, hidden = {}, email, error } = view;
  const title = say(look, "Forgot your password?");
  return {
    title,
    isError: Boolean(error || email.error),
    body: markup`${
      heading(
        title,
        say(look, "Enter your email address. We’ll send you a link to choose a new one."),
      )
    }${error && note("bad", markup`<p>${error}</p>`)}${
      form({
        action,
        hidden,
        content: [emailField(look, email), submit(say(look, "Send the link"))],
      })
    }${aside(link(signIn, say(look, "Back to sign in")))}`,
  };
}

/** Data of the page after {@linkcode forgotPage}. */
export interface ForgotSentView {
  /** The address, as it was typed. */
  address: string;
  /** Seconds for which the link works. */
  seconds: number;
  /** Path of the sign-in page. */
  signIn: string;
  /** Path that sends another link, with its hidden fields; null where it is sent from the page before. */
  resend: { action: string; hidden?: Hidden } | null;
  /** True when another link has just been sent. Default false. */
  resent?: boolean;
}

/** The page after {@linkcode forgotPage}, the same for every address. */
export function forgotSentPage(look: Look, view: ForgotSentView): Page {
  const { address, seconds, signIn, resend, resent = false } = view;
  const title = say(look, "Check your email");
  return {
    title,
    body: markup`${
      heading(
        title,
        say(
          look,
          "If {address} has an account, a link to choose a new password is on its way. It works for {time}.",
          { address: markup`<b><bdi>${address}</bdi></b>`, time: duration(look, seconds) },
        ),
      )
    }${resent && note("good", markup`<p>${say(look, "Sent again.")}</p>`)}${
      webmailButton(look, address)
    }${resend && resendForm(look, resend)}<a class="button" href="${signIn}">${
      say(look, "Back to sign in")
    }</a>
`,
  };
}

/** Data of the page on which a new password is chosen. */
export interface NewPasswordView {
  /** Path that the form is sent to. */
  action: string;
  /** Hidden fields, such as the token of the mail. */
  hidden: Hidden;
  /** Address of the account, for password managers; null where it has none. */
  email: string | null;
  /** Path on which another account is named. Default: none. */
  change?: string | null;
  /** The new password: the fewest characters, and what is wrong with it. */
  password: { min: number; error?: Html | null };
  /** The present password, where it must be given too. Default: it need not. */
  current?: { error?: Html | null } | null;
  /** True when saving signs in. */
  signsIn: boolean;
  /** Passkeys that were added since the last password. Default: none. */
  added?: Html | null;
  /** Error of no field. Default: none. */
  error?: Html | null;
}

/** The page on which a new password is chosen. */
export function newPasswordPage(look: Look, view: NewPasswordView): Page {
  const {
    action,
    hidden,
    email,
    change = null,
    password,
    current = null,
    signsIn,
    added,
    error,
  } = view;
  const title = say(look, "Choose a new password");
  return {
    title,
    isError: Boolean(error || password.error || current?.error),
    hasScript: true,
    body: markup`${
      heading(title, say(look, "Other browsers and phones have to use the new password."))
    }${error && note("bad", markup`<p>${error}</p>`)}${
      form({
        action,
        hidden,
        content: [
          email !== null && fixedEmail(look, email, change),
          current && passwordField(look, {
            id: "current",
            label: say(look, "Current password"),
            isNew: false,
            error: current.error,
          }),
          passwordField(look, { label: say(look, "New password"), isNew: true, ...password }),
          added,
          submit(signsIn ? say(look, "Save and sign in") : say(look, "Save")),
        ],
      })
    }`,
  };
}
