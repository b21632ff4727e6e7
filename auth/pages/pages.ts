/**
 * The other pages, and the default theme.
 *
 * @module
 */

import type { EndpointContext, EndpointEntry, PublicError, Theme } from "../core/contracts.ts";
import { knownErrorMessage, respondToError } from "../core/error_response.ts";
import { pageResponse } from "../core/page.ts";
import { ownRedirect, redirectResponse, safeCallback } from "../core/redirect.ts";
import type { PageTheme } from "../core/url_options.ts";
import { markup } from "../lib/html.ts";
import { showSignInPage } from "./sign_in.ts";

/** Of an `error` parameter only a known code is passed on. */
function knownError(url: URL): string | null {
  const code = url.searchParams.get("error");
  return knownErrorMessage(code) === null ? null : code;
}

function callbackOf(context: EndpointContext): string | null {
  return safeCallback(context.url.searchParams.get("callbackUrl"), context);
}

async function showSignIn(context: EndpointContext): Promise<Response> {
  const { settings: { basePath, pages }, origin } = context.store.auth;
  const callbackUrl = callbackOf(context);
  const error = knownError(context.url);
  if (pages.signIn !== `${basePath}/signin`) {
    return redirectResponse(ownRedirect(pages.signIn, origin(), { callbackUrl, error }), 302);
  }
  return await showSignInPage(context, { callbackUrl, error });
}

function showSignOut(context: EndpointContext): Response {
  const { settings, origin } = context.store.auth;
  const { basePath, pages, trustedOrigins } = settings;
  const callbackUrl = callbackOf(context);
  if (pages.signOut !== `${basePath}/signout`) {
    return redirectResponse(ownRedirect(pages.signOut, origin(), { callbackUrl }), 302);
  }
  return signOutPage({ basePath, callbackUrl, formOrigins: trustedOrigins });
}

function showError(context: EndpointContext): Response {
  const { settings, origin } = context.store.auth;
  const error = knownError(context.url);
  if (settings.pages.error !== `${settings.basePath}/error`) {
    return redirectResponse(ownRedirect(settings.pages.error, origin(), { error }), 302);
  }
  return errorPage(error, settings.pages.signIn);
}

/** The built-in pages at their addresses; a page of the application's own is redirected to. */
const PAGE_ENDPOINTS: readonly EndpointEntry[] = [
  { path: "/signin", method: "GET", endpoint: showSignIn },
  { path: "/signout", method: "GET", endpoint: showSignOut },
  { path: "/error", method: "GET", endpoint: showError },
];

/** Data of the sign-out page. */
export interface SignOutPage {
  /** Path of the endpoints. */
  basePath: string;
  /** Destination after sign-out, checked by the redirect guard. */
  callbackUrl: string | null;
  /** Origins to which the redirect afterwards may lead. */
  formOrigins: Iterable<string>;
}

/** The built-in sign-out page: a question, since a link alone must not sign anybody out. */
function signOutPage(page: SignOutPage): Response {
  return pageResponse({
    title: "Sign out",
    formOrigins: page.formOrigins,
    body: markup`<p>Do you want to sign out?</p>
<form method="post" action="${page.basePath}/signout">
${
      page.callbackUrl !== null &&
      markup`<input type="hidden" name="callbackUrl" value="${page.callbackUrl}">`
    }
<button type="submit">Sign out</button>
</form>`,
  });
}

/** The built-in error page. Of its address only a known code has an effect. */
function errorPage(code: string | null, signIn: string): Response {
  return pageResponse({
    title: "This did not work",
    body: markup`<p class="alert">${knownErrorMessage(code) ?? "Something went wrong."}</p>
<p><a href="${signIn}">Sign in</a></p>
<p><a href="/">Go to the start page</a></p>`,
  });
}

const TITLES: ReadonlyMap<number, string> = new Map([
  [401, "Sign in first"],
  [403, "Not allowed"],
  [404, "Not found"],
  [429, "Too many attempts"],
  [503, "Try again in a moment"],
]);

/** The built-in page for an error that has just happened. */
function failedPage({ status, code, message, requestId }: PublicError): Response {
  return pageResponse({
    title: TITLES.get(status) ?? (status >= 500 ? "Something went wrong" : "This did not work"),
    status,
    body: markup`<p class="alert">${status >= 500 && knownErrorMessage(code) || message}</p>
${requestId !== undefined && markup`<p class="quiet">Request ${requestId}</p>`}
<p><a href="/">Go to the start page</a></p>`,
  });
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
  return respondToError(error, request, { ...options, theme: { failure: failedPage } });
}

/** The built-in pages, in plain looks. */
export const DEFAULT_PAGES: Theme = {
  endpoints: PAGE_ENDPOINTS,
  signIn: showSignInPage,
  failure: failedPage,
};

/**
 * The built-in pages in the colours of the platform, for `pages.theme` of `createAuth()`: an application that
 * has its own pages, or none, imports no theme and bundles none. Applications by convention have this one
 * unless they name another. {@linkcode pageTheme} makes one with a name, colours and texts.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, defaultTheme } from "@framework/auth";
 * import { match } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { theme: defaultTheme } });
 * const response = await auth.handle(new Request("http://localhost/auth/signin"), {});
 * match(await response!.text(), /<title>Sign in<\/title>/);
 * ```
 */
export const defaultTheme: PageTheme = { kind: "page-theme", definition: DEFAULT_PAGES };
