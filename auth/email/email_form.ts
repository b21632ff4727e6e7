import { type Html, markup } from "../http/html.ts";
import type { CheckedEmail } from "../providers/email_config.ts";
import type { SignInForm } from "../providers/provider.ts";

/** The form that asks for a link. */
export function emailForm(
  { id }: Pick<CheckedEmail, "id">,
  { basePath, callbackUrl, values }: SignInForm,
): Html {
  const callback = callbackUrl !== null &&
    markup`<input type="hidden" name="callbackUrl" value="${callbackUrl}">\n`;
  return markup`<form method="post" action="${basePath}/signin/${id}">
<label>E-mail
<input name="email" type="email" value="${values.get("email") ?? ""}" autocomplete="email" required>
</label>
${callback}<button type="submit">Send me a link</button>
</form>
`;
}
