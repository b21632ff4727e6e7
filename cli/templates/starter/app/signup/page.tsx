import { createUser, getUser, startSession } from "@framework/auth";
import { type ActionArgs, data, type PageProps, redirect } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../env.ts";
import { Field } from "../_components/field.tsx";
import { PasswordField } from "../_components/password_field.tsx";
import { minimumPasswordLength, siteName } from "../_components/site.ts";
import { codeOf } from "../_server/code_of.ts";
import { passwordProblem, passwordStatement } from "../_server/passwords.ts";
import { readForm } from "../_server/read_form.ts";

export const metadata = { title: `Create an account · ${siteName}` };

interface Answer {
  values: { name: string; email: string };
  problems: { name?: string; email?: string; password?: string };
}

/** What can be wrong with an address, and the status that says it. */
const addressProblems: Record<string, [message: string, status: number]> = {
  USER_EXISTS: ["This address has an account already.", 409],
  INVALID_EMAIL: ["This is not an e-mail address.", 422],
};

/** Whoever is signed in already has nothing to do here. */
export function loader(): Response | null {
  return getUser() ? redirect("/dashboard") : null;
}

/** Creates the account with its password and signs the new user in. */
export async function action(
  { request, context }: ActionArgs<Env>,
): Promise<Response | ReturnType<typeof data<Answer>>> {
  if (getUser()) return redirect("/dashboard");
  const { name, email, password } = await readForm(request, ["name", "email", "password"]);
  const values = { name, email };
  const problems: Answer["problems"] = {};
  if (name === "") problems.name = "Please tell us your name.";
  const weak = await passwordProblem(password);
  if (weak) problems.password = weak;
  if (Object.keys(problems).length > 0) return data({ values, problems }, { status: 422 });

  const id = crypto.randomUUID();
  const savePassword = await passwordStatement(context.env.DB, { userId: id, password });
  try {
    // One batch: there is never an account without its password.
    await createUser({ id, name, email }, { alongside: [savePassword] });
  } catch (error) {
    const [message, status] = addressProblems[codeOf(error)] ?? [];
    if (message === undefined || status === undefined) throw error;
    return data({ values, problems: { email: message } }, { status });
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
        <PasswordField minLength={minimumPasswordLength} error={problems.password} />
        <button type="submit" class="button wide">Create account</button>
      </form>
      <p class="aside">
        Already registered? <a href="/signin">Sign in</a>
      </p>
    </section>
  );
}
