import { parseEmailAddress } from "@framework/auth";
import { createRateLimiter, createSqlRateLimitStorage } from "@framework/auth/rate-limit";
import { href } from "@framework/cli/href";
import { type ActionArgs, data, type PageProps, redirect } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import { Field } from "../_components/field.tsx";
import { MessageField } from "../_components/message_field.tsx";
import { one, siteName } from "../_components/site.ts";
import { readForm } from "../_server/read_form.ts";

export const metadata = { title: `Contact · ${siteName}` };

/** Characters of a message. */
const maxLength = 2000;

/** Three messages from one address in ten minutes. */
const limit = { name: "contact", limit: 3, window: 600, by: "address" } as const;

/**
 * Keeps the message for whoever may read messages: `app/admin`. The answer leads to a page of its own, which can be
 * loaded again without sending anything again.
 */
export async function action({ request, context }: ActionArgs<"/contact">) {
  const { email, text } = await readForm(request, ["email", "text"]);
  const from = parseEmailAddress(email);
  if (from === null) {
    const problem = "This is not an email address.";
    return data({ email: "", text, problem }, { status: 422 });
  }
  if (text === "" || text.length > maxLength) {
    const problem = `Please write up to ${maxLength} characters.`;
    return data({ email, text, problem }, { status: 422 });
  }
  const limiter = createRateLimiter(createSqlRateLimitStorage(context.env.DB), limit);
  const result = await limiter.check(request);
  if (!result.success) {
    const minutes = Math.ceil(result.reset / 60);
    const problem = `You have sent many messages. Please try again in ${minutes} minutes.`;
    return data({ email, text, problem }, { status: 429, headers: limiter.headers(result) });
  }
  await context.db.insertInto("messages").values({ email: from.address, text, at: Date.now() })
    .execute();
  return redirect(href("/contact", { query: { done: "sent" } }));
}

/** A form with a limit of the application's own. */
export default function ContactPage(
  { actionData, searchParams }: PageProps<"/contact">,
): JSX.Element {
  const isSent = actionData === undefined && one(searchParams.done) === "sent";
  return (
    <section class="panel" aria-labelledby="title">
      <h1 id="title">Contact</h1>
      {isSent && <p class="done" role="status">Thank you, we have your message.</p>}
      {actionData?.problem && <p class="alert" role="alert">{actionData.problem}</p>}
      <form method="post" action={href("/contact")}>
        <Field
          name="email"
          label="Your email"
          type="email"
          autocomplete="email"
          value={actionData?.email}
        />
        <MessageField maxLength={maxLength} value={actionData?.text} />
        <button type="submit" class="go wide">Send</button>
      </form>
    </section>
  );
}
