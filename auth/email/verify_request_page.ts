import type { AuthError } from "../errors/auth_error.ts";
import { knownErrorMessage } from "../http/error_messages.ts";
import { markup } from "../http/html.ts";
import { pageResponse } from "../http/page.ts";
import { ownRedirect, redirectResponse } from "../http/redirect_guard.ts";
import type { CheckedEmail } from "../providers/email_config.ts";
import { ownPage } from "../sign_in/failure_page.ts";
import type { Endpoint, EndpointContext } from "../http/contracts.ts";

/** The built-in page on which a visitor waits for the e-mail, with a form for the code if there are codes. */
function waitPage(
  context: EndpointContext,
  { id, code }: CheckedEmail,
  { error = null, status = 200 }: { error?: string | null; status?: number } = {},
): Response {
  const { basePath, pages, trustedOrigins } = context.store.auth.settings;
  const message = knownErrorMessage(error);
  const form = code && markup`<form method="post" action="${basePath}/callback/${id}/code">
<label>Or type the code from it here
<input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="12" required>
</label>
<button type="submit">Sign in</button>
</form>`;
  return pageResponse({
    title: "Check your e-mail",
    status,
    formOrigins: trustedOrigins,
    body: markup`${message !== null && markup`<p class="alert" role="alert">${message}</p>`}
<p>If the address can sign in here, we have sent a link to it.</p>
${form}
<p class="quiet">Nothing there? Look into the spam folder, or <a href="${pages.signIn}">ask again</a>.</p>`,
  });
}

/** `GET /verify-request`: the built-in page, or the way to the application's own. */
export function verifyRequestEndpoint(provider: CheckedEmail): Endpoint {
  return function showVerifyRequest(context) {
    const { settings: { basePath, pages }, origin } = context.store.auth;
    if (pages.verifyRequest !== `${basePath}/verify-request`) {
      return redirectResponse(ownRedirect(pages.verifyRequest, origin()), 302);
    }
    return waitPage(context, provider);
  };
}

/** Who tries again gets the same page with the reason and the status. */
export async function codeFailurePage(
  error: AuthError,
  context: EndpointContext,
  provider: CheckedEmail,
): Promise<Response> {
  const { settings: { pages }, origin } = context.store.auth;
  const address = ownRedirect(pages.verifyRequest, origin(), { error: error.code });
  return await ownPage(address, error.status, context) ??
    waitPage(context, provider, { error: error.code, status: error.status });
}
