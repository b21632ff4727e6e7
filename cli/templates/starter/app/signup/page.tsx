import { AuthError, createUser, getUser, hashPassword, startSession } from "@framework/auth";
import { type ActionArgs, data, type PageProps, redirect } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../env.ts";
import { Field } from "../_components/field.tsx";
import { siteName } from "../_components/site.ts";

export const metadata = { title: `Create an account · ${siteName}` };

/** Long beats complicated: a few words are easy to remember and hard to guess. */
const minimumPasswordLength = 15;

interface Answer {
  values: { name: string; email: string };
  problems: { name?: string; email?: string; password?: string };
}

/** Whoever is signed in already has nothing to do here. */
export function loader(): Response | null {
  return getUser() ? redirect("/dashboard") : null;
}

/** Creates the account with its password and signs the new user in. */
export async function action(
  { request, context }: ActionArgs<Env>,
): Promise<Response | ReturnType<typeof data<Answer>>> {
  if (getUser()) return redirect("/dashboard");
  const form = await request.formData();
  const values = { name: text(form, "name").trim(), email: text(form, "email").trim() };
  const password = text(form, "password");

  const problems: Answer["problems"] = {};
  if (values.name === "") problems.name = "Please tell us your name.";
  if ([...password].length < minimumPasswordLength) {
    problems.password = `Please use at least ${minimumPasswordLength} characters.`;
  }
  if (Object.keys(problems).length > 0) return data({ values, problems }, { status: 422 });

  const id = crypto.randomUUID();
  const hash = await hashPassword(password);
  const savePassword = context.env.DB
    .prepare("INSERT INTO passwords (user_id, hash) VALUES (?, ?)")
    .bind(id, hash);
  try {
    // One batch: there is never an account without its password.
    await createUser({ id, ...values }, { alongside: [savePassword] });
  } catch (error) {
    if (error instanceof AuthError && error.code === "USER_EXISTS") {
      return data({ values, problems: { email: "This address has an account already." } }, {
        status: 409,
      });
    }
    if (error instanceof AuthError && error.code === "INVALID_EMAIL") {
      return data({ values, problems: { email: "This is not an e-mail address." } }, {
        status: 422,
      });
    }
    throw error;
  }
  await startSession(id);
  return redirect("/dashboard");
}

/** Sign-up form; after a mistake it comes back filled in, with the problem beside its field. */
export default function SignUpPage(
  { actionData }: PageProps<typeof loader, typeof action>,
): JSX.Element {
  const { values, problems } = actionData ?? { values: undefined, problems: {} };
  return (
    <section class="panel" aria-labelledby="title">
      <h1 id="title">Create an account</h1>
      {Object.keys(problems).length > 0 && (
        <p class="alert" role="alert">Please look at the marked fields.</p>
      )}
      <form method="post">
        <Field
          name="name"
          label="Name"
          type="text"
          autocomplete="name"
          value={values?.name}
          error={problems.name}
          autofocus
        />
        <Field
          name="email"
          label="E-mail"
          type="email"
          autocomplete="username"
          value={values?.email}
          error={problems.email}
        />
        <Field
          name="password"
          label="Password"
          type="password"
          autocomplete="new-password"
          minLength={minimumPasswordLength}
          hint={`At least ${minimumPasswordLength} characters. A few words are easiest.`}
          error={problems.password}
        />
        <button type="submit" class="button wide">Create account</button>
      </form>
      <p class="aside">
        Already registered? <a href="/signin">Sign in</a>
      </p>
    </section>
  );
}

function text(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}
