/**
 * Pages behind the links in the mails of `passwords()`.
 *
 * @module
 */

import type { EndpointContext } from "../../core/contracts.ts";
import type { AuthError } from "../../errors.ts";
import { lookOf, pageResponse, say } from "../../pages/frame.ts";
import { type Ends, expiredLinkPage, type LinkAbout, openedLinkPage } from "../../pages/mail.ts";
import { type AskedPassword, type CheckedPasswords, PATHS } from "./config.ts";
import { describeProblem } from "./new_password.ts";

/** A link of a sign-up that was opened. */
export interface OpenedLink {
  /** What it is for. */
  about: LinkAbout;
  /** Its token. */
  token: string;
  /** The address that it proves. */
  address: string | null;
  /** True in another browser than the one that signed up, where a password is asked for. */
  elsewhere: boolean;
  /** The password that is asked for. */
  ask: AskedPassword;
  /** What ends when the button is pressed. Default: nothing. */
  ends?: Ends | null;
  /** What went wrong. Default: nothing. */
  error?: AuthError | null;
}

/** Shows the page behind the link of a sign-up, with what is wrong with the password that was given on it. */
export function openedLinkResponse(
  { store }: EndpointContext,
  { policy: { minLength } }: CheckedPasswords,
  { about, token, address, elsewhere, ask, ends = null, error = null }: OpenedLink,
): Response {
  const { basePath, trustedOrigins } = store.auth.settings;
  const look = lookOf(store);
  const action = basePath + PATHS.confirm;
  const said = error?.code === "INVALID_CREDENTIALS"
    ? say(look, "That password is wrong.")
    : describeProblem(look, error);
  const page = openedLinkPage(look, {
    action,
    hidden: { token, ask },
    address,
    about,
    elsewhere,
    ends,
    password: !elsewhere ? null : {
      ask,
      min: minLength,
      error: said,
      other: ask === "chosen" ? `${action}?${new URLSearchParams({ token, ask: "new" })}` : null,
    },
    error: elsewhere ? null : said,
  });
  const status = error?.status ?? 200;
  return pageResponse(look, page, { status, formOrigins: trustedOrigins });
}

/** Shows the page of a link that does not hold, with the way to another one. */
export function expiredLinkResponse(
  { store }: EndpointContext,
  { path, seconds, status = 200 }: { path: string; seconds: number; status?: number },
): Response {
  const { basePath, pages, trustedOrigins } = store.auth.settings;
  const look = lookOf(store);
  const action = basePath + path;
  const page = expiredLinkPage(look, { action, email: null, seconds, signIn: pages.signIn });
  return pageResponse(look, page, { status, formOrigins: trustedOrigins });
}
