import { requireAuth } from "@framework/auth";
import type { LoaderArgs, PageProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../env.ts";
import { siteName } from "../_components/site.ts";

export const metadata = { title: `Dashboard · ${siteName}` };

/** What the page needs from the server. */
export async function loader(
  { context }: LoaderArgs<Env>,
): Promise<{ memberSince: number; members: number }> {
  const user = requireAuth();
  const [own, all] = await Promise.all([
    context.db.selectFrom("users").select("created_at").where("id", "=", user.id)
      .executeTakeFirstOrThrow(),
    context.db.selectFrom("users").select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow(),
  ]);
  return { memberSince: own.created_at, members: all.count };
}

/** The page that only a signed-in user sees. */
export default function DashboardPage({ data }: PageProps<typeof loader>): JSX.Element {
  const user = requireAuth();
  return (
    <>
      <h1>Hello, {user.name ?? user.email}</h1>
      <dl class="facts">
        <div>
          <dt>Signed in as</dt>
          <dd>{user.email}</dd>
        </div>
        <div>
          <dt>Member since</dt>
          <dd>
            <time datetime={new Date(data.memberSince).toISOString()}>
              {new Date(data.memberSince).toISOString().slice(0, 10)}
            </time>
          </dd>
        </div>
        <div>
          <dt>Members</dt>
          <dd>{data.members}</dd>
        </div>
        <div>
          <dt>Role</dt>
          <dd>{user.role ?? "member"}</dd>
        </div>
      </dl>
      <p>
        Your own data as JSON: <a href="/api/me">/api/me</a>
      </p>
    </>
  );
}
