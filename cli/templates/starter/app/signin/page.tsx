import { getUser, listProviders, type ProviderInfo } from "@framework/auth";
import { type LoaderArgs, type PageProps, redirect } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import { Field } from "../_components/field.tsx";
import { PasskeyForm } from "../_components/passkey_form.tsx";
import { PostButton } from "../_components/post_button.tsx";
import { doneMessage, signInMessage } from "../_components/sign_in_messages.ts";
import { one, siteName } from "../_components/site.ts";

export const metadata = { title: `Sign in · ${siteName}` };

/** Whoever is signed in has nothing to do here, unless asked to prove it once more. */
export function loader({ request }: LoaderArgs): Response | { elsewhere: ProviderInfo[] } {
  const isAsked = new URL(request.url).searchParams.has("error");
  if (getUser() && !isAsked) return redirect("/dashboard");
  return { elsewhere: listProviders().filter(({ type }) => type === "oauth" || type === "oidc") };
}

/** Four ways in. All but the passkey work without JavaScript. */
export default function SignInPage({ data, searchParams }: PageProps<typeof loader>): JSX.Element {
  const error = one(searchParams.error);
  const callbackUrl = one(searchParams.callbackUrl) ?? "/dashboard";
  const note = doneMessage(one(searchParams.done));
  return (
    <section class="panel" aria-labelledby="title">
      <h1 id="title">Sign in</h1>
      {error && <p class="alert" role="alert">{signInMessage(error)}</p>}
      {note && <p class="done" role="status">{note}</p>}
      <div class="stack">
        {data.elsewhere.map(({ id, name }) => (
          <PostButton
            key={id}
            label={`Continue with ${name}`}
            action={`/auth/signin/${id}`}
            fields={{ callbackUrl }}
            class="button outline wide"
          />
        ))}
        <PasskeyForm kind="sign-in" callbackUrl={callbackUrl} />
      </div>
      <p class="divider">or</p>
      <form method="post" action="/auth/signin/credentials">
        <input type="hidden" name="callbackUrl" value={callbackUrl} />
        <Field
          name="email"
          label="Email"
          type="email"
          autocomplete="username"
          value={one(searchParams.email)}
          autofocus
        />
        <Field name="password" label="Password" type="password" autocomplete="current-password" />
        <div class="stack">
          <button type="submit" class="button wide">Sign in</button>
          <button
            type="submit"
            class="button outline wide"
            formaction="/auth/signin/email"
            formnovalidate
          >
            Email me a link instead
          </button>
        </div>
      </form>
      <p class="aside">
        <a href="/reset">Forgot password?</a> · <a href="/signup">Create an account</a>
      </p>
    </section>
  );
}
