import { type Html, markup } from "../http/html.ts";
import type { CheckedPasskey } from "../providers/passkey_config.ts";
import { passkeyMessages } from "./passkey_messages.ts";
import type { SignInForm } from "../http/contracts.ts";

/** Where the script of the forms is, below `basePath`. */
export const SCRIPT_PATH = "/passkey.js";

/**
 * The forms of a passkey provider, hidden until the script has found out that the browser knows passkeys. What
 * a form says in `data-passkey` is what the script does when it is sent.
 */
export function passkeyForm(
  { id, signUp }: CheckedPasskey,
  { basePath, callbackUrl }: SignInForm,
): Html {
  const hidden = markup`<input type="hidden" name="credential">
${callbackUrl !== null && markup`<input type="hidden" name="callbackUrl" value="${callbackUrl}">`}`;
  return markup`<p class="quiet" data-passkey="unavailable">Passkeys need a newer browser, with scripts.</p>
<div data-passkey="available" hidden>
<form method="post" action="${basePath}/signin/${id}" data-passkey="sign-in" data-options="${basePath}/passkey/options/authenticate">
${hidden}
<button type="submit">Sign in with a passkey</button>
${passkeyMessages()}</form>
${
    signUp &&
    markup`<form method="post" action="${basePath}/passkey/register" data-passkey="register" data-options="${basePath}/passkey/options/register">
<label>Your name
<input name="name" type="text" maxlength="64" autocomplete="name" required>
</label>
${hidden}
<button type="submit">Sign up with a passkey</button>
${passkeyMessages()}</form>
`
  }</div>
`;
}
