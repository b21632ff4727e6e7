import {
  createUser,
  type EmailAddress,
  getUser,
  ownUrl,
  parseEmailAddress,
  transaction,
} from "@framework/auth";
import { createRateLimiter, createSqlRateLimitStorage } from "@framework/auth/rate-limit";
import {
  type ActionArgs,
  data,
  type PageProps,
  redirect,
  type RequestContext,
} from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../env.ts";
import { Field } from "../_components/field.tsx";
import { PasswordField } from "../_components/password_field.tsx";
import { minimumPasswordLength, siteName } from "../_components/site.ts";
import { codeOf } from "../_server/code_of.ts";
import { passwordProblem, passwordStatement } from "../_server/passwords.ts";
import { readForm } from "../_server/read_form.ts";
import { sendMail } from "../_server/send_mail.ts";

export const metadata = { title: `Create an account · ${siteName}` };

interface Answer {
  values: { name: string; email: string };
  problems: { name?: string; email?: string; password?: string };
}

/** Twenty accounts from one address in an hour. */
const limit = { name: "sign-up", limit: 20, window: 3600, by: "address" } as const;
/** Three mails to one mailbox that somebody tried it. */
const noticeLimit = { name: "sign-up-notice", limit: 3, window: 3600, by: "identifier" } as const;

/** Whoever is signed in already has nothing to do here. */
export function loader(): Response | null {
  return getUser() ? redirect("/dashboard") : null;
}

/**
 * Creates the account with its password. The answer is the same for an address that has one already, whose owner
 * hears of it by mail.
 */
export async function action(
  { request, context }: ActionArgs<Env>,
): Promise<Response | ReturnType<typeof data<Answer>>> {
  if (getUser()) return redirect("/dashboard");
  const { name, email, password } = await readForm(request, ["name", "email", "password"]);
  const values = { name, email };
  const problems: Answer["problems"] = {};
  if (name === "") problems.name = "Please tell us your name.";
  const to = parseEmailAddress(email);
  if (to === null) problems.email = "This is not an email address.";
  const weak = await passwordProblem(password);
  if (weak) problems.password = weak;
  if (to === null || Object.keys(problems).length > 0) {
    return data({ values, problems }, { status: 422 });
  }

  // Before the password is hashed, which is what costs.
  const limiter = createRateLimiter(createSqlRateLimitStorage(context.env.DB), limit);
  const result = await limiter.check(request);
  if (!result.success) {
    const problems = { email: "There have been many sign-ups from here. Please try again later." };
    return data({ values, problems }, { status: 429, headers: limiter.headers(result) });
  }
  const id = crypto.randomUUID();
  const savePassword = await passwordStatement(context.env.DB, { userId: id, password });
  try {
    // One batch: there is never an account without its password.
    await createUser({ id, name, email }, { within: transaction([savePassword]) });
  } catch (error) {
    if (codeOf(error) === "INVALID_NAME") {
      return data({ values, problems: { name: "Please take a shorter name." } }, { status: 422 });
    }
    if (codeOf(error) !== "USER_EXISTS") throw error;
    context.waitUntil(sendNotice(context, { request, to }));
  }
  return redirect("/signin?done=signup");
}

/** Tells the owner of an account that somebody tried to make another one with its address. */
async function sendNotice(
  { env }: RequestContext<Env>,
  { request, to }: { request: Request; to: EmailAddress },
): Promise<void> {
  const limiter = createRateLimiter(createSqlRateLimitStorage(env.DB), noticeLimit);
  if (!(await limiter.check(request, { identifier: to.identity })).success) return;
  await sendMail(env, {
    from: `${siteName} <hello@example.com>`,
    to: to.address,
    subject: "You have an account already",
    text: `Somebody, perhaps you, wanted to create an account with this address. You have one:\n` +
      `${ownUrl("/signin")}\n\nForgot the password? Set another one:\n${ownUrl("/reset")}`,
  });
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
          label="Email"
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
