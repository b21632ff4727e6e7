import type { AuthError } from "../errors/auth_error.ts";
import type { RateLimitedError } from "../errors/rate_limited_error.ts";
import { safeCallback } from "../http/endpoint.ts";
import { respondToError, withErrorHeaders } from "../http/respond_to_error.ts";
import { ownRedirect } from "../http/redirect_guard.ts";
import type { SafeRedirect } from "../errors/redirect_error.ts";
import type { EndpointContext } from "../http/contracts.ts";

/** A form that was sent. */
export interface FilledForm {
  /** What was typed and may be shown again, by field: no password, no secret. */
  values: ReadonlyMap<string, string>;
  /** Where the visitor asked to go. */
  callbackUrl: unknown;
}

/** The application's page, which shows this one visitor's mistake: not a success, and not to be kept. */
function withFailure(page: Response, status: number): Response {
  const headers = new Headers(page.headers);
  headers.set("cache-control", "no-store");
  return new Response(page.body, { status: page.status === 200 ? status : page.status, headers });
}

/** The application's own page at this address, for a visitor who tries again; null when it has none. */
export async function ownPage(
  address: SafeRedirect,
  status: number,
  { info }: EndpointContext,
): Promise<Response | null> {
  const page = await info.renderPage?.(new URL(address), status) ?? null;
  return page === null ? null : withFailure(page, status);
}

/**
 * Who tries again gets the page of the application, or the built-in one, with the reason and the status; the
 * reason alone where there is no page.
 */
export async function failurePage(
  error: AuthError,
  context: EndpointContext,
  form: FilledForm,
): Promise<Response> {
  const { settings: { pages }, origin } = context.store.auth;
  const callbackUrl = safeCallback(form.callbackUrl, context);
  // Nobody types so much: to send it back only makes the answer long.
  const values = new Map([...form.values].filter(([, value]) => value.length <= 1024));
  // The application's page fills its form again from this address, which no browser ever sees.
  const limited = error.code === "RATE_LIMITED" ? error as RateLimitedError : null;
  const address = ownRedirect(pages.signIn, origin(), {
    ...Object.fromEntries(values),
    error: limited?.useEmail ? "RATE_LIMITED_ACCOUNT" : error.code,
    retryAfter: limited?.headers["retry-after"] ?? null,
    callbackUrl,
  });
  const page = await ownPage(address, error.status, context) ?? await pages.theme?.signIn(context, {
    callbackUrl,
    error: error.code,
    ...limited !== null && { message: limited.message },
    values,
    status: error.status,
  });
  if (page === undefined) {
    return respondToError(error, context.store.request, { requestId: context.requestId });
  }
  return withErrorHeaders(page, error);
}
