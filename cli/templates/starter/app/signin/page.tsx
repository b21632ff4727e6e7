import { getUser } from "@framework/auth";
import { type PageProps, redirect } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import { Field } from "../_components/field.tsx";
import { siteName } from "../_components/site.ts";

export const metadata = { title: `Sign in · ${siteName}` };

const messages: Record<string, string> = {
  INVALID_CREDENTIALS: "The e-mail address or the password is not right.",
};

/** Whoever is signed in already has nothing to do here. */
export function loader(): Response | null {
  return getUser() ? redirect("/dashboard") : null;
}

/** Sign-in form. It posts to the `credentials` provider, which needs no script in the browser. */
export default function SignInPage({ searchParams }: PageProps): JSX.Element {
  const error = one(searchParams.error);
  return (
    <section class="panel" aria-labelledby="title">
      <h1 id="title">Sign in</h1>
      {error && (
        <p class="alert" role="alert">
          {messages[error] ?? "Signing in did not work. Please try again."}
        </p>
      )}
      <form method="post" action="/auth/signin/credentials">
        <input
          type="hidden"
          name="callbackUrl"
          value={one(searchParams.callbackUrl) ?? "/dashboard"}
        />
        <Field
          name="email"
          label="E-mail"
          type="email"
          autocomplete="username"
          value={one(searchParams.email)}
          autofocus
        />
        <Field name="password" label="Password" type="password" autocomplete="current-password" />
        <button type="submit" class="button wide">Sign in</button>
      </form>
      <p class="aside">
        No account yet? <a href="/signup">Create one</a>
      </p>
    </section>
  );
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
