import type { JSX } from "hono/jsx/jsx-runtime";
import { Field } from "./field.tsx";

/** A passkey: to sign in with one, or to add one to the account. */
const kinds = {
  "sign-in": {
    action: "/auth/signin/passkey",
    options: "/auth/passkey/options/authenticate",
    label: "Sign in with a passkey",
  },
  register: {
    action: "/auth/passkey/register",
    options: "/auth/passkey/options/register",
    label: "Add a passkey",
  },
};

/** Hidden until the library's script finds that the browser knows passkeys. */
export function PasskeyForm(
  { kind, callbackUrl }: { kind: keyof typeof kinds; callbackUrl: string },
): JSX.Element {
  const { action, options, label } = kinds[kind];
  return (
    <form method="post" action={action} data-passkey={kind} data-options={options} hidden>
      <input type="hidden" name="credential" />
      <input type="hidden" name="callbackUrl" value={callbackUrl} />
      {kind === "register" && (
        <Field
          name="passkeyName"
          label="Name of the new passkey"
          type="text"
          autocomplete="off"
          value="My device"
        />
      )}
      <button type="submit" class="button outline wide">{label}</button>
      <p class="problem" role="alert" hidden />
      <script type="module" src="/auth/passkey.js" />
    </form>
  );
}
