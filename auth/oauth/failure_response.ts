import { isAuthError } from "../errors/auth_error.ts";
import { OAuthError } from "../errors/oauth_errors.ts";
import { isMissingPage } from "../http/dispatch.ts";
import { prefersJson } from "../http/negotiate.ts";
import { ownRedirect, redirectResponse } from "../http/redirect_guard.ts";
import type { OAuthClient } from "./oauth_client.ts";
import type { LinkIntent } from "./contracts.ts";
import type { EndpointContext } from "../http/contracts.ts";

/** What is known of the sign-in that failed. */
export interface FailedSignIn {
  /** The provider. */
  client: OAuthClient;
  /** Where the visitor asked to go; it has passed the redirect guard. */
  callbackUrl: string | null;
  /** For whom an account was to be linked; null for a sign-in. */
  link: LinkIntent | null;
  /** How it is logged. Default: as something to look at, since what a browser brings may be anybody's making. */
  level?: "warn" | "error";
}

/**
 * Answers a sign-in at a provider that did not work. A browser is sent to the sign-in page, or from
 * linking to the error page, with a code that it knows: what the provider wrote is not shown, and the
 * address that holds a code of the provider does not stay in the window. Where there is no such page, and for a
 * program, the error is the answer.
 */
export function failureResponse(
  error: unknown,
  { store, requestId }: EndpointContext,
  { client, callbackUrl, link, level = "warn" }: FailedSignIn,
): Response {
  const { request, auth: { settings, origin }, report } = store;
  const { logger, pages } = settings;
  const isOurs = error instanceof OAuthError;
  if (!isOurs && (!isAuthError(error) || error.status >= 500)) throw error;
  const { code, message } = error;
  const provider = client.id;
  report({ type: "sign-in-failed", code, provider, ...link && { userId: link.userId } });
  logger[level]("provider-failed", { requestId, provider, code, message });
  const page = link === null ? pages.signIn : pages.error;
  if (isMissingPage(page, settings) || prefersJson(request)) throw error;
  return redirectResponse(ownRedirect(page, origin(), { error: code, callbackUrl }), 303);
}
