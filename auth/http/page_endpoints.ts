import { safeCallback } from "./endpoint.ts";
import { knownErrorMessage } from "./error_messages.ts";
import { errorPage, signOutPage } from "./other_pages.ts";
import { ownRedirect, redirectResponse } from "./redirect_guard.ts";
import { showSignInPage } from "./sign_in_page.ts";
import type { EndpointContext, EndpointEntry } from "./contracts.ts";

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
export const PAGE_ENDPOINTS: readonly EndpointEntry[] = [
  { path: "/signin", method: "GET", endpoint: showSignIn },
  { path: "/signout", method: "GET", endpoint: showSignOut },
  { path: "/error", method: "GET", endpoint: showError },
];
