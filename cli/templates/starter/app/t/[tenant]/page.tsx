import { requireMember, requireTenant } from "@framework/auth/tenant";
import type { MetadataArgs, PageProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import { siteName } from "../../_components/site.ts";

/** The title names the team. */
export function metadata({ data }: MetadataArgs<"/t/[tenant]">): { title: string } {
  return { title: `${data.name} · ${siteName}` };
}

/** The team of this request, and what the member is there. */
export function loader() {
  const { name, slug } = requireTenant();
  return { name, slug, roles: requireMember().roles };
}

/** A team's own page: what your product does for a team begins here. */
export default function TeamPage({ data }: PageProps<"/t/[tenant]">): JSX.Element {
  return (
    <>
      <h1>{data.name}</h1>
      <p class="lead">
        Everything below <code>/t/{data.slug}</code> is for its members.
      </p>
      <dl class="facts">
        <div>
          <dt>Your role here</dt>
          <dd>{data.roles.join(", ")}</dd>
        </div>
      </dl>
      <p class="actions">
        <a class="button go" href={`/auth/team?team=${data.slug}`}>Members and invitations</a>
      </p>
    </>
  );
}
