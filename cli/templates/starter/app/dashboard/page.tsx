import { parseEmailAddress, requireAuth, requirePermission, verifiedEmail } from "@framework/auth";
import { addMember, createSqlTenantStorage, listTenantsOf } from "@framework/auth/tenant";
import {
  type ActionArgs,
  data,
  type LoaderArgs,
  type PageProps,
  redirect,
  type RequestContext,
} from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../env.ts";
import { Day } from "../_components/day.tsx";
import { Field } from "../_components/field.tsx";
import { cursorOf, NextPage } from "../_components/next_page.tsx";
import { PostButton } from "../_components/post_button.tsx";
import { siteName } from "../_components/site.ts";
import { codeOf } from "../_server/code_of.ts";
import { readForm } from "../_server/read_form.ts";
import type { AppUser } from "../auth/callbacks.ts";

export const metadata = { title: `Dashboard · ${siteName}` };

interface Team {
  id: string;
  slug: string;
  name: string;
}

interface Invitation extends Team {
  identity: string;
}

/** Teams that have invited the user, of whom the address is proved: who only says that it is theirs sees none. */
async function invitationsOf({ db }: RequestContext<Env>): Promise<Invitation[]> {
  const address = parseEmailAddress(verifiedEmail(requireAuth()) ?? "");
  if (address === null) return [];
  return await db.selectFrom("invitations").innerJoin("tenants", "tenants.id", "tenant_id")
    .select(["id", "slug", "name", "email_identity as identity"]).where(
      "email_identity",
      "=",
      address.identity,
    )
    .where("expires_at", ">", Date.now()).where("suspended_at", "is", null).execute();
}

/** Loads the page's data; the teams 50 at a time. */
export async function loader(
  { request, context }: LoaderArgs<Env>,
): Promise<
  { memberSince: number; teams: Team[]; invitations: Invitation[]; cursor: string | null }
> {
  const user = requireAuth();
  const { members, cursor } = await listTenantsOf(user.id, { cursor: cursorOf(request) });
  const [own, teams, invitations] = await Promise.all([
    context.db.selectFrom("users").select("created_at").where("id", "=", user.id)
      .executeTakeFirstOrThrow(),
    members.length === 0 ? [] : context.db.selectFrom("tenants").select(["id", "slug", "name"])
      .where("id", "in", members.map(({ tenantId }) => tenantId)).orderBy("name").execute(),
    invitationsOf(context),
  ]);
  return { memberSince: own.created_at, teams, invitations, cursor };
}

const problems: Record<string, string> = {
  TENANT_EXISTS: "There is a team with this address already.",
  INVALID_TENANT: "Small letters, digits and inner hyphens only, please.",
};

/** Makes a team, and its maker the owner; or joins one that has invited the user. */
export async function action({ request, context }: ActionArgs<Env>) {
  const { slug, join } = await readForm(request, ["slug", "join"]);
  if (join !== "") {
    const team = (await invitationsOf(context)).find(({ id }) => id === join);
    if (team === undefined) {
      return data({ slug, problem: "This invitation does not hold any more." }, { status: 422 });
    }
    await addMember(requireAuth().id, { tenantId: team.id, roles: ["member"] });
    await context.db.deleteFrom("invitations").where("tenant_id", "=", team.id)
      .where("email_identity", "=", team.identity).execute();
    return redirect(`/t/${team.slug}`);
  }
  requirePermission("teams:create");
  try {
    const team = await createSqlTenantStorage(context.env.DB).create({ slug, name: slug });
    await addMember(requireAuth().id, { tenantId: team.id, roles: ["owner"] });
  } catch (error) {
    const problem = problems[codeOf(error)];
    if (problem === undefined) throw error;
    return data({ slug, problem }, { status: 422 });
  }
  return redirect(`/t/${slug}`);
}

/** The page that only a signed-in user sees. */
export default function DashboardPage(
  { data, actionData }: PageProps<typeof loader, typeof action>,
): JSX.Element {
  const user = requireAuth<AppUser>();
  return (
    <>
      <h1>Hello, {user.displayName}</h1>
      <dl class="facts">
        <div>
          <dt>Signed in as</dt>
          <dd>{user.email ?? user.displayName}</dd>
        </div>
        <div>
          <dt>Member since</dt>
          <dd>
            <Day at={new Date(data.memberSince)} />
          </dd>
        </div>
        <div>
          <dt>Role</dt>
          <dd>{user.role ?? "member"}</dd>
        </div>
        <div>
          <dt>As JSON</dt>
          <dd>
            <a href="/api/me">/api/me</a>
          </dd>
        </div>
      </dl>
      <section aria-labelledby="teams">
        <h2 id="teams">Your teams</h2>
        <ul class="list">
          {data.invitations.map(({ id, name }) => (
            <li key={id}>
              <span>
                {name}
                <small>You are invited. The members see your name and your address.</small>
              </span>
              <PostButton label="Join" describe={`Join ${name}`} fields={{ join: id }} />
            </li>
          ))}
        </ul>
        <ul class="list">
          {data.teams.map(({ slug, name }) => (
            <li key={slug}>
              <a href={`/t/${slug}`}>{name}</a>
            </li>
          ))}
        </ul>
        <NextPage cursor={data.cursor} label="More teams" />
        <form method="post" class="inline">
          <Field
            name="slug"
            label="Start a team"
            type="text"
            autocomplete="off"
            value={actionData?.slug}
            hint="Its name in addresses, such as acme."
            error={actionData?.problem}
          />
          <button type="submit" class="go">Start</button>
        </form>
      </section>
    </>
  );
}
