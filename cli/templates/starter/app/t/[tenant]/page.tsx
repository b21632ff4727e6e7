import {
  type EmailAddress,
  getUser,
  hasPermission,
  ownUrl,
  parseEmailAddress,
  requirePermission,
} from "@framework/auth";
import { createRateLimiter, createSqlRateLimitStorage } from "@framework/auth/rate-limit";
import { listMembers, requireMember, requireTenant } from "@framework/auth/tenant";
import {
  type ActionArgs,
  data,
  type LoaderArgs,
  type MetadataArgs,
  type PageProps,
  type RequestContext,
} from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../../env.ts";
import { Field } from "../../_components/field.tsx";
import { cursorOf, NextPage } from "../../_components/next_page.tsx";
import { siteName } from "../../_components/site.ts";
import { readForm } from "../../_server/read_form.ts";
import { sendMail } from "../../_server/send_mail.ts";

/** The title names the team. */
export function metadata({ data }: MetadataArgs<typeof loader>): { title: string } {
  return { title: `${data.name} · ${siteName}` };
}

interface Row {
  id: string;
  name: string | null;
  email: string | null;
}

/** The team of this request and who belongs to it, 50 at a time. */
export async function loader({ request, context }: LoaderArgs<Env>) {
  const { name, slug } = requireTenant();
  const { members, cursor } = await listMembers({ cursor: cursorOf(request) });
  const users: Row[] = await context.db.selectFrom("users").select(["id", "name", "email"])
    .where("id", "in", members.map(({ userId }) => userId)).execute();
  const people = members.map(({ userId, roles }) => {
    const user = users.find(({ id }) => id === userId);
    return { id: userId, name: user?.name ?? user?.email ?? "Somebody", roles };
  });
  return { name, slug, people, cursor };
}

/** Limits for the member who invites, and for the mailbox that gets the mail. */
const limits = [
  { name: "invitations", limit: 20, window: 3600, by: "identifier" },
  { name: "invited", limit: 3, window: 3600, by: "identifier" },
] as const;

/** Life of an invitation: a week, in milliseconds. */
const invitationAge = 604_800_000;

/**
 * Invites somebody by mail. Whether they have an account is told to nobody, and nobody is a member before they join on
 * their dashboard, signed in with this address and having proved it: anybody could sign up with it.
 */
export async function action({ request, context }: ActionArgs<Env>) {
  requirePermission("team:invite");
  const { email } = await readForm(request, ["email"]);
  const to = parseEmailAddress(email);
  if (to === null) {
    return data({ email, problem: "This is not an email address." }, { status: 422 });
  }
  const storage = createSqlRateLimitStorage(context.env.DB);
  for (const [index, identifier] of [requireMember().userId, to.identity].entries()) {
    const limiter = createRateLimiter(storage, limits[index]!);
    const limit = await limiter.check(request, { identifier });
    if (!limit.success) {
      const problem = "You have sent many invitations. Please try again later.";
      return data({ email, problem }, { status: 429, headers: limiter.headers(limit) });
    }
  }
  context.waitUntil(invite(context, to));
  return { email: to.address, problem: undefined };
}

async function invite(
  { env, db }: RequestContext<Env>,
  { address, identity }: EmailAddress,
): Promise<void> {
  const { id, name } = requireTenant();
  const expires = Date.now() + invitationAge;
  await db.insertInto("invitations")
    .values({ tenant_id: id, email_identity: identity, expires_at: expires })
    .onConflict((known) =>
      known.columns(["tenant_id", "email_identity"]).doUpdateSet({ expires_at: expires })
    )
    .execute();
  const url = ownUrl("/dashboard");
  const text = `You are invited to the team ${name} at ${siteName}.\n\n` +
    `Sign in with this address, or create an account with it:\n${url}\n\n` +
    "The invitation holds for a week.";
  await sendMail({ to: address, subject: `Join ${name}`, text, url }, { env });
}

/** A team's own page. */
export default function TeamPage(
  { data, actionData }: PageProps<typeof loader, typeof action>,
): JSX.Element {
  const isInvited = actionData !== undefined && actionData.problem === undefined;
  return (
    <>
      <h1>{data.name}</h1>
      <p class="lead">
        Everything below <code>/t/{data.slug}</code> is for its members.
      </p>
      <section aria-labelledby="members">
        <h2 id="members">Members</h2>
        <ul class="list">
          {data.people.map(({ id, name, roles }) => (
            <li key={id}>
              <span>
                {name}
                {id === getUser()?.id && " (you)"}
              </span>
              <small>{roles.join(", ")}</small>
            </li>
          ))}
        </ul>
        <NextPage cursor={data.cursor} label="More members" />
        {isInvited && (
          <p class="done" role="status">An invitation is on its way to {actionData.email}.</p>
        )}
        {hasPermission("team:invite") && (
          <form method="post" class="inline">
            <Field
              name="email"
              label="Invite somebody"
              type="email"
              autocomplete="off"
              value={isInvited ? "" : actionData?.email}
              hint="Members see the names of the others."
              error={actionData?.problem}
            />
            <button type="submit" class="go">Invite</button>
          </form>
        )}
      </section>
    </>
  );
}
