import { getUser, hasPermission, parseEmailAddress, requirePermission } from "@framework/auth";
import { addMember, listMembers, requireTenant } from "@framework/auth/tenant";
import {
  type ActionArgs,
  data,
  type LoaderArgs,
  type MetadataArgs,
  type PageProps,
  redirect,
} from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../../env.ts";
import { Field } from "../../_components/field.tsx";
import { siteName } from "../../_components/site.ts";
import { readForm } from "../../_server/read_form.ts";

/** The title names the team. */
export function metadata({ data }: MetadataArgs<typeof loader>): { title: string } {
  return { title: `${data.name} · ${siteName}` };
}

interface Row {
  id: string;
  name: string | null;
  email: string | null;
}

/** The team of this request and who belongs to it. */
export async function loader({ context }: LoaderArgs<Env>) {
  const { name, slug } = requireTenant();
  const { members } = await listMembers();
  const users: Row[] = await context.db.selectFrom("users").select(["id", "name", "email"])
    .where("id", "in", members.map(({ userId }) => userId)).execute();
  const people = members.map(({ userId, roles }) => {
    const user = users.find(({ id }) => id === userId);
    return { id: userId, name: user?.name ?? user?.email ?? "Somebody", roles };
  });
  return { name, slug, people };
}

/** Makes somebody a member who has an account already. */
export async function action({ request, context }: ActionArgs<Env>) {
  requirePermission("team:invite");
  const { email } = await readForm(request, ["email"]);
  const identity = parseEmailAddress(email)?.identity ?? "";
  const user = await context.db.selectFrom("users").select("id")
    .where("email_identity", "=", identity).executeTakeFirst();
  if (user === undefined) {
    return data({ email, problem: "Nobody has an account with this address." }, { status: 422 });
  }
  await addMember(user.id, { roles: ["member"] });
  return redirect(`/t/${requireTenant().slug}`);
}

/** A team's own page. */
export default function TeamPage(
  { data, actionData }: PageProps<typeof loader, typeof action>,
): JSX.Element {
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
        {hasPermission("team:invite") && (
          <form method="post" class="inline">
            <Field
              name="email"
              label="Add a member"
              type="email"
              autocomplete="off"
              value={actionData?.email}
              hint="The address of an account here."
              error={actionData?.problem}
            />
            <button type="submit">Add</button>
          </form>
        )}
      </section>
    </>
  );
}
