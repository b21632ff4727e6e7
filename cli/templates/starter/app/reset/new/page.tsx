import { passwordChanged, readOneTimeToken, redeemOneTimeToken } from "@framework/auth";
import {
  type ActionArgs,
  data,
  type LoaderArgs,
  type PageProps,
  redirect,
} from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../../env.ts";
import { EndingNotice } from "../../_components/ending_notice.tsx";
import { PasswordField } from "../../_components/password_field.tsx";
import { minimumPasswordLength, one, siteName } from "../../_components/site.ts";
import { sendPasswordNotice } from "../../_server/password_notice.ts";
import { passwordProblem, passwordStatement } from "../../_server/passwords.ts";
import { readForm } from "../../_server/read_form.ts";

export const metadata = { title: `Set a new password · ${siteName}` };
/** The token in the address goes to nobody else. */
export const headers = { "referrer-policy": "same-origin" };

/** Loads what ends with the new password if nobody has confirmed the account's address before. */
export async function loader({ request }: LoaderArgs) {
  const token = new URL(request.url).searchParams.get("token");
  return { ends: (await readOneTimeToken("reset-password", token))?.ends ?? null };
}

/**
 * Stores the new password. Every session of the account ends, and its owner is told. The link proves the address
 * and no more, so whoever has opened it signs in like everybody else.
 */
export async function action({ request, context }: ActionArgs<Env>) {
  const { token, password } = await readForm(request, ["token", "password"]);
  const problem = await passwordProblem(password);
  if (problem) return data({ token, problem }, { status: 422 });
  const redeemed = await redeemOneTimeToken("reset-password", token);
  if (redeemed === null) {
    return data({ token: "", problem: "This link does not hold any more." }, { status: 422 });
  }
  const { userId } = redeemed;
  await (await passwordStatement(context.env.DB, { userId, password })).run();
  await passwordChanged(userId);
  context.waitUntil(sendPasswordNotice(context, userId));
  return redirect("/signin?done=password");
}

/** Asks for the new password. */
export default function NewPasswordPage(
  { data: { ends }, actionData, searchParams }: PageProps<typeof loader, typeof action>,
): JSX.Element {
  const token = actionData?.token ?? one(searchParams.token) ?? "";
  if (token === "") {
    return (
      <section class="panel" aria-labelledby="title">
        <h1 id="title">Set a new password</h1>
        <p class="alert" role="alert">{actionData?.problem ?? "This link is not complete."}</p>
        <p class="aside">
          <a href="/reset">Ask for a new link</a>
        </p>
      </section>
    );
  }
  return (
    <section class="panel" aria-labelledby="title">
      <h1 id="title">Set a new password</h1>
      {ends && <EndingNotice ends={ends} />}
      <form method="post" action="/reset/new">
        <input type="hidden" name="token" value={token} />
        <PasswordField minLength={minimumPasswordLength} error={actionData?.problem} />
        <button type="submit" class="button wide">Set the password</button>
      </form>
    </section>
  );
}
