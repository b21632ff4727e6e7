import { passwordChanged, requireRecentAuth } from "@framework/auth";
import { type ActionArgs, data, type PageProps, redirect } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../../env.ts";
import { PasswordField } from "../../_components/password_field.tsx";
import { minimumPasswordLength, siteName } from "../../_components/site.ts";
import { sendPasswordNotice } from "../../_server/password_notice.ts";
import { passwordProblem, passwordStatement } from "../../_server/passwords.ts";
import { readForm } from "../../_server/read_form.ts";

export const metadata = { title: `Change your password · ${siteName}` };

/** Only who signed in of late gets the form; everybody else is asked to, and then brought back. */
export function loader(): null {
  requireRecentAuth();
  return null;
}

/** Stores the new password and ends all sessions but this one. */
export async function action({ request, context }: ActionArgs<Env>) {
  const { id } = requireRecentAuth();
  const { password } = await readForm(request, ["password"]);
  const problem = await passwordProblem(password);
  if (problem) return data({ problem }, { status: 422 });
  await (await passwordStatement(context.env.DB, { userId: id, password })).run();
  await passwordChanged(id, { except: "current" });
  context.waitUntil(sendPasswordNotice(context, id));
  return redirect("/account");
}

/** Asks for the new password. */
export default function ChangePasswordPage(
  { actionData }: PageProps<typeof loader, typeof action>,
): JSX.Element {
  return (
    <section class="panel" aria-labelledby="title">
      <h1 id="title">Change your password</h1>
      <form method="post">
        <PasswordField minLength={minimumPasswordLength} error={actionData?.problem} />
        <button type="submit" class="button wide">Change the password</button>
      </form>
      <p class="aside">You stay signed in here, and nowhere else.</p>
    </section>
  );
}
