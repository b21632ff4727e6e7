import { createRateLimiter, createSqlRateLimitStorage } from "@framework/auth/rate-limit";
import { errorProps, fieldProps, Form } from "@framework/cli/form";
import { href } from "@framework/cli/href";
import {
  type ActionArgs,
  data,
  type LoaderArgs,
  type PageProps,
  redirect,
} from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import { email as emailAddress, maxLength, minLength, object, pipe, string, trim } from "valibot";
import { Field } from "../_components/field.tsx";
import { MessageField } from "../_components/message_field.tsx";
import { siteName } from "../_components/site.ts";

export const metadata = { title: `Contact · ${siteName}` };

/** Characters of a message. */
const longest = 2000;

/** Three messages from one address in ten minutes. */
const limit = { name: "contact", limit: 3, window: 600, by: "address" } as const;

/** What the form sends. What this refuses is shown again, with what was typed, and never reaches the action. */
export const input = object({
  email: pipe(string(), trim(), maxLength(254), emailAddress("This is not an email address.")),
  text: pipe(
    string(),
    trim(),
    minLength(1, "Please write something."),
    maxLength(longest, `Please write up to ${longest} characters.`),
  ),
});

/** Keeps the message for whoever may read messages: `app/admin`. Loading the next page again sends nothing again. */
export async function action({ request, context }: ActionArgs<"/contact">) {
  const { env, db, input: { email, text } } = context;
  const limiter = createRateLimiter(createSqlRateLimitStorage(env.DB), limit);
  const result = await limiter.check(request);
  if (!result.success) {
    const minutes = Math.ceil(result.reset / 60);
    const problem = `You have sent many messages. Please try again in ${minutes} minutes.`;
    return data({ email, text, problem }, { status: 429, headers: limiter.headers(result) });
  }
  await db.insertInto("messages").values({ email, text, at: Date.now() }).execute();
  context.flash.set("Thank you, we have your message.", "done");
  return redirect(href("/contact"));
}

/** The message of the action, once. */
export function loader({ context }: LoaderArgs<"/contact">) {
  return { flash: context.flash.take() };
}

/** A form with a limit of the application's own. */
export default function ContactPage(
  { data: { flash }, form, actionData }: PageProps<"/contact">,
): JSX.Element {
  const problem = form?.message ?? actionData?.problem;
  return (
    <section class="panel" aria-labelledby="title">
      <h1 id="title">Contact</h1>
      {flash && <p class={flash.kind} role="status">{flash.text}</p>}
      <Form action={href("/contact")}>
        {problem && <p class="alert" role="alert">{problem}</p>}
        <Field
          form={form}
          name="email"
          label="Your email"
          type="email"
          autocomplete="email"
          value={actionData?.email}
        />
        <MessageField
          field={fieldProps(form, "text", {
            type: "textarea",
            value: actionData?.text,
            hint: "text-hint",
          })}
          error={errorProps(form, "text")}
          maxLength={longest}
        />
        <button type="submit" class="go wide">Send</button>
      </Form>
    </section>
  );
}
