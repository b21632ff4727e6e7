import { issueOneTimeToken, ownUrl, parseEmailAddress } from "@framework/auth";
import {
  createPasswordResetRateLimiter,
  createSqlRateLimitStorage,
} from "@framework/auth/rate-limit";
import { type ActionArgs, data, type PageProps, type RequestContext } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../env.ts";
import { Field } from "../_components/field.tsx";
import { siteName } from "../_components/site.ts";
import { readForm } from "../_server/read_form.ts";
import { sendMail } from "../_server/send_mail.ts";

export const metadata = { title: `Reset your password · ${siteName}` };

/** Sends a link to set a new password. Known and unknown addresses get the same answer. */
export async function action({ request, context }: ActionArgs<Env>) {
  const { email } = await readForm(request, ["email"]);
  const to = parseEmailAddress(email);
  if (to === null) {
    return data({ email, problem: "This is not an email address." }, { status: 422 });
  }
  const limiter = createPasswordResetRateLimiter(createSqlRateLimitStorage(context.env.DB));
  const { success } = await limiter.check(request, { identifier: to.identity });
  // Above the limit nothing is sent and nobody is told, or strangers could keep the owner from asking.
  // Nobody waits for it: the time to the answer tells nothing either.
  if (success) context.waitUntil(sendLink(context, to.identity));
  return { email, problem: undefined };
}

async function sendLink({ env, db }: RequestContext<Env>, identity: string): Promise<void> {
  const user = await db.selectFrom("users").select(["id", "email"])
    .where("email_identity", "=", identity).where("disabled_at", "is", null).executeTakeFirst();
  if (!user?.email) return;
  const { id, email } = user;
  // Whoever comes back with it has this mailbox: what somebody else set up under the address ends.
  const token = await issueOneTimeToken("reset-password", id, { sentTo: email });
  await sendMail(env, {
    from: `${siteName} <hello@example.com>`,
    to: email,
    subject: "Set a new password",
    text: `Set a new password:\n${ownUrl("/reset/new", { token })}\n\n` +
      "The link holds for an hour. Your old password ends when you set the new one.",
  });
}

/** Asks for the address of the account. */
export default function ResetPage(
  { actionData }: PageProps<undefined, typeof action>,
): JSX.Element {
  if (actionData && actionData.problem === undefined) {
    return (
      <section class="panel" aria-labelledby="title">
        <h1 id="title">Look into your mail</h1>
        <p>If {actionData.email} has an account here, a link is on its way.</p>
        <p class="aside">While you develop, mails are printed in the terminal of the server.</p>
      </section>
    );
  }
  return (
    <section class="panel" aria-labelledby="title">
      <h1 id="title">Reset your password</h1>
      <form method="post">
        <Field
          name="email"
          label="Email"
          type="email"
          autocomplete="username"
          value={actionData?.email}
          error={actionData?.problem}
          autofocus
        />
        <button type="submit" class="button wide">Send me a link</button>
      </form>
      <p class="aside">
        <a href="/signin">Back to sign-in</a>
      </p>
    </section>
  );
}
