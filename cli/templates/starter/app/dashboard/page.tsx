import { requireAuth } from "@framework/auth";
import { href } from "@framework/cli/href";
import type { LoaderArgs, PageProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import { Day } from "../_components/day.tsx";
import { siteName } from "../_components/site.ts";
import type { AppUser } from "../auth/callbacks.ts";

export const metadata = { title: `Dashboard · ${siteName}` };

/** Loads the page's data. */
export async function loader(
  { context }: LoaderArgs<"/dashboard">,
): Promise<{ memberSince: number | string }> {
  const { created_at: memberSince } = await context.db.selectFrom("users").select("created_at")
    .where("id", "=", requireAuth().id).executeTakeFirstOrThrow();
  return { memberSince };
}

/** The page that only a signed-in user sees. */
export default function DashboardPage({ data }: PageProps<"/dashboard">): JSX.Element {
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
            <Day at={data.memberSince} />
          </dd>
        </div>
        <div>
          <dt>Role</dt>
          <dd>{user.role ?? "member"}</dd>
        </div>
        <div>
          <dt>As JSON</dt>
          <dd>
            <a href={href("/api/me")}>/api/me</a>
          </dd>
        </div>
      </dl>
      <section aria-labelledby="teams">
        <h2 id="teams">Your teams</h2>
        <p>Start one, invite people by mail, or open a team that you belong to.</p>
        <p class="actions">
          <a class="button go" href="/auth/team">Go to your teams</a>
        </p>
      </section>
    </>
  );
}
