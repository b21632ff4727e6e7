/**
 * Addresses of the pages of `passwords()`, the application's own or the built-in ones, and the pages behind its links.
 *
 * @module
 */

import type { Endpoint, EndpointContext, Settings } from "../../core/contracts.ts";
import { knownErrorMessage, withErrorHeaders } from "../../core/error_response.ts";
import { ownRedirect, pathBelow, redirectResponse, safeCallback } from "../../core/redirect.ts";
import type { AuthError, RateLimitedError } from "../../errors.ts";
import { wrongOption } from "../../lib/options.ts";
import { isSecret } from "../../lib/secret.ts";
import { lookOf, pageResponse, say } from "../../pages/frame.ts";
import { type Ends, expiredLinkPage, type LinkAbout, openedLinkPage } from "../../pages/mail.ts";
import { ownPage } from "../sign_in.ts";
import { type AskedPassword, type CheckedPasswords, PATHS, readAsk } from "./options.ts";
import { describeProblem } from "./new_password.ts";

/** Pages that an application may have in place of the built-in ones: the option in `pages`, and the name of its path. */
const OWN = {
  signUp: "signUp",
  confirmSignUp: "confirm",
  forgotPassword: "forgot",
  resetPassword: "reset",
} as const;

/** Name of a page of `passwords()`, as `pages` of `createAuth()` has it. */
export type PasswordPage = keyof typeof OWN;

/** Returns the path of a page: the application's own, else the built-in one. */
export function pathOf({ pages, basePath }: Settings, page: PasswordPage): string {
  return pages[page] ?? basePath + PATHS[OWN[page]];
}

function hasOwn(settings: Settings, page: PasswordPage): boolean {
  return pathOf(settings, page) !== settings.basePath + PATHS[OWN[page]];
}

/**
 * Checks the pages that take the place of built-in ones. Below `basePath` they would lead to other built-in pages, and
 * two that lead to each other would never end.
 *
 * @throws {ConfigurationError} For a page below `basePath`.
 */
export function checkOwnPages(settings: Settings): void {
  for (const page of Object.keys(OWN) as PasswordPage[]) {
    const path = pathOf(settings, page);
    if (hasOwn(settings, page) && pathBelow(path.split(/[?#]/)[0]!, settings.basePath) !== null) {
      const write =
        `a page of the application such as "/join", which is not below "${settings.basePath}"`;
      throw wrongOption(`pages.${page}`, path, write);
    }
  }
}

/** Returns the path of the account page; null in an application without one. */
export function accountPath({ modules, basePath }: Settings): string | null {
  return modules.some(({ id }) => id === "account") ? `${basePath}/account` : null;
}

/** Makes the endpoint of a built-in page, which leads to the application's own where it has one. */
export function pageEndpoint(page: PasswordPage, builtIn: Endpoint): Endpoint {
  return function showPage(context) {
    const { store: { auth: { settings, origin } }, url: { searchParams } } = context;
    if (!hasOwn(settings, page)) return builtIn(context);
    const token = searchParams.get("token");
    const error = searchParams.get("error");
    const target = ownRedirect(pathOf(settings, page), origin(), {
      token: isSecret(token) ? token : null,
      ask: readAsk(searchParams.get("ask")) === "new" ? "new" : null,
      error: knownErrorMessage(error) === null ? null : error,
      callbackUrl: safeCallback(searchParams.get("callbackUrl"), context),
    });
    return redirectResponse(target, 302);
  };
}

/** Answers a form that failed with the page that it stands on: the application's own, else the built-in one. */
export async function failedForm(
  context: EndpointContext,
  error: AuthError,
  { page, parameters, builtIn }: {
    page: PasswordPage;
    /** Typed values without passwords, and those that the form needs again. */
    parameters: Record<string, string | null>;
    builtIn: () => Response | Promise<Response>;
  },
): Promise<Response> {
  const { settings, origin } = context.store.auth;
  const limits = error.code === "RATE_LIMITED" ? (error as RateLimitedError).headers : null;
  const own = hasOwn(settings, page)
    ? await ownPage(
      // The application's page fills its form again from this address, which no browser ever sees.
      ownRedirect(pathOf(settings, page), origin(), {
        ...parameters,
        error: error.code,
        retryAfter: limits?.["retry-after"] ?? null,
      }),
      error.status,
      context,
    )
    : null;
  return withErrorHeaders(own ?? await builtIn(), error);
}

/** A link of a sign-up that was opened. */
export interface OpenedLink {
  /** Purpose of the page. */
  about: LinkAbout;
  /** Its token. */
  token: string;
  /** The address that it proves. */
  address: string | null;
  /** True in another browser than the one that signed up, where a password is asked for. */
  elsewhere: boolean;
  /** The password that is asked for. */
  ask: AskedPassword;
  /** List of what ends when the button is pressed. Default: nothing does. */
  ends?: Ends | null;
  /** Problem to show. Default: none. */
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
