import { type Html, markup } from "./html.ts";
import type { PlainForm, SignInField, SignInForm, SignInMethod } from "./contracts.ts";

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
export function signInForm({ id, form }: SignInMethod, filled: SignInForm): Html {
  return typeof form === "function" ? form(filled) : plainForm(id, form, filled);
}
