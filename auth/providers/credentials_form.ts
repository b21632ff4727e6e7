import { type Html, markup } from "../http/html.ts";
import type { CheckedCredentials } from "./credentials_config.ts";
import type { SignInForm } from "./provider.ts";

type Field = CheckedCredentials["fields"][number];

function autocomplete(field: Field): string {
  if (field.type === "password") return "current-password";
  return field.type === "email" ? "username" : "on";
}

function fieldMarkup(field: Field, values: SignInForm["values"]): Html {
  const value = field.type === "password" ? "" : values.get(field.key) ?? "";
  const required = field.required && markup` required`;
  return markup`<label>${field.label}
<input name="${field.key}" type="${field.type}" value="${value}" placeholder="${
    field.placeholder ?? ""
  }" autocomplete="${autocomplete(field)}"${required}>
</label>
`;
}

/** The form of a credentials provider, with what had been typed except passwords. */
export function credentialsForm(
  { id, fields }: CheckedCredentials,
  { basePath, callbackUrl, values }: SignInForm,
): Html {
  const callback = callbackUrl !== null &&
    markup`<input type="hidden" name="callbackUrl" value="${callbackUrl}">\n`;
  return markup`<form method="post" action="${basePath}/signin/${id}">
${
    fields.map((field) => fieldMarkup(field, values))
  }${callback}<button type="submit">Sign in</button>
</form>
`;
}
