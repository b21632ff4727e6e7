/**
 * The sign-in page.
 *
 * @module
 */

import type {
  EndpointContext,
  PlainForm,
  SignInField,
  SignInForm,
  SignInMethod,
  SignInPage,
} from "../core/contracts.ts";
import { knownErrorMessage } from "../core/error_response.ts";
import { pageResponse } from "../core/page.ts";
import { type Html, markup } from "../lib/html.ts";
import { formOriginsOf } from "../sign_in/oauth/provider.ts";

/** Origins to which a redirect in answer to one of the forms may lead. */
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
${forms.length > 0 ? forms : markup`<p>No way to sign in has been set up yet.</p>`}`,
  });
}

function autocomplete({ type }: SignInField, fields: readonly SignInField[]): string {
  if (type === "password") return "current-password";
  if (type === "text") return "on";
  // Beside a password an address is what password managers know the user by.
  return fields.length > 1 ? "username" : "email";
}

function fieldMarkup(
  field: SignInField,
  fields: readonly SignInField[],
  values: SignInForm["values"],
): Html {
  const value = field.type === "password" ? "" : values.get(field.key) ?? "";
  const placeholder = field.placeholder !== undefined &&
    markup` placeholder="${field.placeholder}"`;
  return markup`<label>${field.label}
<input name="${field.key}" type="${field.type}" value="${value}"${placeholder} autocomplete="${
    autocomplete(field, fields)
  }"${field.required && markup` required`}>
</label>
`;
}

function plainForm(
  id: string,
  { fields = [], submit }: PlainForm,
  { basePath, callbackUrl, values }: SignInForm,
): Html {
  const callback = callbackUrl !== null &&
    markup`<input type="hidden" name="callbackUrl" value="${callbackUrl}">\n`;
  return markup`<form method="post" action="${basePath}/signin/${id}">
${
    fields.map((field) => fieldMarkup(field, fields, values))
  }${callback}<button type="submit">${submit}</button>
</form>
`;
}

/** The form of a way to sign in, with what had been typed except passwords. */
function signInForm({ id, form }: SignInMethod, filled: SignInForm): Html {
  return typeof form === "function" ? form(filled) : plainForm(id, form, filled);
}
