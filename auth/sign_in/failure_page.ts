import type { AuthError } from "../errors/auth_error.ts";
import { type EndpointContext, safeCallback } from "../http/endpoint.ts";
import { ownRedirect } from "../http/redirect_guard.ts";
import { signInPage } from "../http/sign_in_page.ts";
import type { CredentialsProvider } from "../providers/provider.ts";

/** A form that was sent. */
export interface FilledForm {
  /** The provider whose form it is. */
  provider: CredentialsProvider;
  /** What was typed, by field. */
  values: ReadonlyMap<string, string>;
  /** Where the visitor asked to go. */
  callbackUrl: unknown;
}

/** What may be shown again: no password. */
function visibleValues({ provider, values }: FilledForm): [string, string][] {
  return provider.fields.filter(({ type }) => type !== "password")
    .map(({ key }) => [key, values.get(key) ?? ""]);
}

/** The application's page, which shows this one visitor's mistake: not a success, and not to be kept. */
function withFailure(page: Response, status: number): Response {
  const headers = new Headers(page.headers);
  headers.set("cache-control", "no-store");
  return new Response(page.body, { status: page.status === 200 ? status : page.status, headers });
}

/** Who tries again gets the page of the application, or the built-in one, with the reason and the status. */
export async function failurePage(
  error: AuthError,
  context: EndpointContext,
  form: FilledForm,
): Promise<Response> {
  const { settings, origin } = context.store.auth;
  const callbackUrl = safeCallback(form.callbackUrl, context);
  // The application's page fills its form again from this address, which no browser ever sees.
  const address = ownRedirect(settings.pages.signIn, origin(), {
    ...Object.fromEntries(visibleValues(form)),
    error: error.code,
    callbackUrl,
  });
  const own = await context.info.renderPage?.(new URL(address), error.status);
  if (own !== null && own !== undefined) return withFailure(own, error.status);
  return signInPage({
    basePath: settings.basePath,
    providers: settings.providers.values(),
    callbackUrl,
    error: error.code,
    values: form.values,
    status: error.status,
    formOrigins: settings.trustedOrigins,
  });
}
