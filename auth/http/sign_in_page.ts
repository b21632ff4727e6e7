import { formOriginsOf } from "../oauth/form_origins.ts";
import { knownErrorMessage } from "./error_messages.ts";
import { markup } from "./html.ts";
import { pageResponse } from "./page.ts";
import { signInForm } from "./sign_in_form.ts";
import type { EndpointContext, SignInMethod, SignInPage } from "./contracts.ts";

/** Where a redirect that answers one of the forms may lead. */
export async function findFormOrigins(
  methods: readonly SignInMethod[],
  context: EndpointContext,
): Promise<Set<string>> {
  const { settings } = context.store.auth;
  const found = await Promise.all(methods.map((method) => formOriginsOf(method, settings)));
  return new Set([...settings.trustedOrigins, ...found.flat()]);
}

function takesPassword({ form }: SignInMethod): boolean {
  return typeof form !== "function" &&
    form.fields?.some(({ type }) => type === "password") === true;
}

/** The built-in sign-in page. */
export async function showSignInPage(
  context: EndpointContext,
  { callbackUrl, error, message: said, values = new Map(), status = 200 }: SignInPage,
): Promise<Response> {
  const { basePath, providers, pages: { forgotPassword } } = context.store.auth.settings;
  const methods = [...providers.values()];
  const message = said ?? knownErrorMessage(error);
  const forms = methods.map((method) => {
    // At a provider the name is on the button.
    const heading = methods.length > 1 && !("oauth" in method) && markup`<h2>${method.name}</h2>\n`;
    const forgot = forgotPassword !== null && takesPassword(method) &&
      markup`<p class="quiet"><a href="${forgotPassword}">Forgot password?</a></p>\n`;
    return markup`${heading}${signInForm(method, { basePath, callbackUrl, values })}${forgot}`;
  });
  return pageResponse({
    title: "Sign in",
    status,
    formOrigins: await findFormOrigins(methods, context),
    scripts: methods.flatMap(({ scripts = [] }) => scripts.map((path) => `${basePath}${path}`)),
    body: markup`${message !== null && markup`<p class="alert" role="alert">${message}</p>`}
${forms.length > 0 ? forms : markup`<p>There is no way to sign in yet.</p>`}`,
  });
}
