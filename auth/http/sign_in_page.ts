import type { CredentialsProvider } from "../providers/provider.ts";
import { knownErrorMessage } from "./error_messages.ts";
import { type Html, markup } from "./html.ts";
import { pageResponse } from "./page.ts";

/** What the sign-in page shows. */
export interface SignInPage {
  /** Where the endpoints are. */
  basePath: string;
  /** The ways to sign in, in order. */
  providers: Iterable<CredentialsProvider>;
  /** Where to go after sign-in; it has passed the redirect guard. */
  callbackUrl: string | null;
  /** The code of what went wrong before; null, or unknown, shows nothing. */
  error: string | null;
  /** What the visitor had typed, without passwords. */
  values?: ReadonlyMap<string, string>;
  /** The status of the response. */
  status?: number;
  /** Origins to which the redirect after sign-in may lead. */
  formOrigins: Iterable<string>;
}

type Field = CredentialsProvider["fields"][number];

function autocomplete(field: Field): string {
  if (field.type === "password") return "current-password";
  return field.type === "email" ? "username" : "on";
}

function fieldMarkup(field: Field, page: SignInPage): Html {
  const value = field.type === "password" ? "" : page.values?.get(field.key) ?? "";
  const required = field.required && markup` required`;
  return markup`<label>${field.label}
<input name="${field.key}" type="${field.type}" value="${value}" placeholder="${
    field.placeholder ?? ""
  }" autocomplete="${autocomplete(field)}"${required}>
</label>
`;
}

function formMarkup(provider: CredentialsProvider, page: SignInPage): Html {
  const callback = page.callbackUrl !== null &&
    markup`<input type="hidden" name="callbackUrl" value="${page.callbackUrl}">\n`;
  return markup`<form method="post" action="${page.basePath}/signin/${provider.id}">
${
    provider.fields.map((field) => fieldMarkup(field, page))
  }${callback}<button type="submit">Sign in</button>
</form>
`;
}

/** The built-in sign-in page. It works without scripts. */
export function signInPage(page: SignInPage): Response {
  const providers = [...page.providers];
  const message = knownErrorMessage(page.error);
  const forms = providers.map((provider) =>
    markup`${providers.length > 1 && markup`<h2>${provider.name}</h2>`}
${formMarkup(provider, page)}`
  );
  return pageResponse({
    title: "Sign in",
    status: page.status ?? 200,
    formOrigins: page.formOrigins,
    body: markup`${message !== null && markup`<p class="alert" role="alert">${message}</p>`}
${forms.length > 0 ? forms : markup`<p>There is no way to sign in yet.</p>`}`,
  });
}
